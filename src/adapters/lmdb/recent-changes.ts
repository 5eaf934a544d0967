import type { DomainEvent, JournalEntry } from '../../domain/events.ts';
import { readerOf, type FactReader } from '../../domain/user-topic.ts';
import { compareKeys } from '../../ports/store-rules.ts';
import type { Range, Versioned } from '../../ports/store.ts';
import { NamedRecords } from '../memory/named-records.ts';

/** A record that was taken out has this version: it hides what lies below it. */
export const REMOVED = 0;

/**
 * Changes that lie over older ones: records by table and name (`recordName`), removals among them,
 * and the facts that came with them.
 */
export class RecentChanges {
  readonly #tables = new Map<string, NamedRecords>();
  readonly #events: DomainEvent[] = [];
  readonly #links: string[] = [];
  readonly #passed = new Set<string>();
  readonly #read = new Map<FactReader, JournalEntry[]>();
  #size = 0;

  /** Records and facts held. */
  get size(): number {
    return this.#size;
  }

  get events(): readonly DomainEvent[] {
    return this.#events;
  }

  /** Links of the facts, once they are chained. */
  get links(): readonly string[] {
    return this.#links;
  }

  /** Names of the tables that were changed. */
  get tables(): Iterable<string> {
    return this.#tables.keys();
  }

  /**
   * Names of the records that came and went: nothing is known of them here, and nothing must be
   * known below.
   */
  get passed(): ReadonlySet<string> {
    return this.#passed;
  }

  /**
   * The record, one of version REMOVED where it was taken out, undefined where nothing happened to
   * it.
   */
  get(table: string, name: string): Versioned<unknown> | undefined {
    return this.#tables.get(table)?.get(name);
  }

  /** Records of a range in its order, its limit left to the reader; null without one. */
  iterate(table: string, range: Range): Iterable<Versioned<unknown>> | null {
    return this.#tables.get(table)?.iterate(range) ?? null;
  }

  set(table: string, name: string, record: Versioned<unknown>): void {
    let records = this.#tables.get(table);
    if (records === undefined) this.#tables.set(table, (records = new NamedRecords()));
    records.set(name, record);
    if (this.#passed.size > 0) this.#passed.delete(name);
    this.#size += 1;
  }

  /**
   * Forgets a record that nothing below knows, nor ever may: where nothing is hidden, no removal
   * need be looked through.
   */
  forget(table: string, name: string): void {
    this.#tables.get(table)?.delete(name);
    this.#passed.add(name);
  }

  append(event: DomainEvent): void {
    this.#events.push(event);
    this.#size += 1;
  }

  /** Keeps a fact of the log for whoever reads it, where a topic tells it. */
  keepFact(entry: JournalEntry): void {
    const reader = readerOf(entry.event);
    if (reader === null) return;
    const facts = this.#read.get(reader);
    if (facts === undefined) this.#read.set(reader, [entry]);
    else facts.push(entry);
  }

  /** Facts that were kept for a reader, in order. */
  factsOf(reader: FactReader): readonly JournalEntry[] {
    return this.#read.get(reader) ?? [];
  }

  /** Takes in the links of the facts absorbed last. */
  chain(links: readonly string[]): void {
    for (const link of links) this.#links.push(link);
  }

  /** Takes in what was changed on top of it. */
  absorb(later: RecentChanges): void {
    this.absorbRecords(later);
    for (const event of later.#events) this.append(event);
  }

  /** Takes in the records that were changed on top of it; the log has the facts. */
  absorbRecords(later: RecentChanges): void {
    later.forEach((table, record, name) => this.set(table, name, record));
  }

  /** Visits every record with its table and name. */
  forEach(visit: (table: string, record: Versioned<unknown>, name: string) => void): void {
    for (const [table, records] of this.#tables)
      records.forEach((record, name) => visit(table, record, name));
  }

  /** Every record with its table, in key order within a table. */
  *records(): Generator<readonly [table: string, record: Versioned<unknown>], void> {
    for (const [table, records] of this.#tables) {
      for (const record of records.iterate({}) ?? []) yield [table, record];
    }
  }
}

/**
 * Joins sorted runs into one, the first run winning where several have a key; records of version
 * REMOVED stay out, and what they hide. Runs are read no further than the reader goes.
 */
export function* joinRuns(
  runs: readonly Iterable<Versioned<unknown>>[],
  reverse: boolean,
): Generator<Versioned<unknown>, void> {
  const iterators = runs.map((run) => run[Symbol.iterator]());
  const heads = iterators.map((iterator) => headOf(iterator));
  try {
    for (;;) {
      const next = firstOf(heads, reverse);
      if (next === null) return;
      for (const [index, head] of heads.entries()) {
        const iterator = iterators[index];
        if (head !== null && iterator !== undefined && compareKeys(head.key, next.key) === 0)
          heads[index] = headOf(iterator);
      }
      if (next.version !== REMOVED) yield next;
    }
  } finally {
    for (const iterator of iterators) iterator.return?.();
  }
}

function headOf(iterator: Iterator<Versioned<unknown>>): Versioned<unknown> | null {
  const { done, value } = iterator.next();
  return done === true ? null : value;
}

/** The head that comes first; of equal keys the earliest run's. */
function firstOf(
  heads: readonly (Versioned<unknown> | null)[],
  reverse: boolean,
): Versioned<unknown> | null {
  let first: Versioned<unknown> | null = null;
  for (const head of heads) {
    if (head === null) continue;
    const order = first === null ? -1 : compareKeys(head.key, first.key);
    if (first === null || (reverse ? order > 0 : order < 0)) first = head;
  }
  return first;
}
