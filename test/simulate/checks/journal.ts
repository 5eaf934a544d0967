import type { DomainEvent, JournalEntry } from '../../../src/domain/events.ts';
import type { Store } from '../../../src/ports/store.ts';

const PAGE = 2_000;

/** Every entry of the journal, in order. */
export function* journalOf(store: Store): Generator<JournalEntry, void> {
  for (
    let page = store.readJournal(0, PAGE);
    page.length > 0;
    page = store.readJournal(page.at(-1)?.seq ?? 0, PAGE)
  )
    yield* page;
}

/** Facts of one kind, in order. */
export function factsOf<Type extends DomainEvent['type']>(
  journal: readonly JournalEntry[],
  type: Type,
): readonly Extract<DomainEvent, { readonly type: Type }>[] {
  // What was asked for by its type is of that type.
  return journal.flatMap(({ event }) =>
    event.type === type ? [event as Extract<DomainEvent, { readonly type: Type }>] : [],
  );
}

/** Texts that stand in a list more than once, each once. */
export function repeated(texts: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return [...new Set(texts.filter((text) => seen.size === seen.add(text).size))];
}
