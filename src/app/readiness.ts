import type { Readiness } from '../http/services.ts';
import type { Store } from '../ports/store.ts';
import { doorTrouble, TRADED_VENUES } from '../services/orders/venue-door.ts';
import { stopKey } from '../services/orders/stop-check.ts';
import { STOPS } from '../services/books/tables.ts';
import type { Core } from './core.ts';

const HOUSE = stopKey({ kind: 'all' });

/** Says whether the daemon can do its work: the store answers, the venue takes orders, trading is not stopped, and watched books are not all in doubt. */
export function createReadiness({
  store,
  core,
}: {
  readonly store: Store;
  readonly core: { readonly books: Pick<Core['books'], 'all'> };
}): () => Readiness {
  return () => {
    const checks = [
      check('store', () => storeTrouble(store)),
      check('venue', () => venuesShut(store)),
      check('trading', () => tradingStopped(store)),
      check('books', () => booksInDoubt(core)),
    ];
    return { ready: checks.every(({ ok }) => ok), checks };
  };
}

function check(name: string, fault: () => string | null): Readiness['checks'][number] {
  try {
    const detail = fault();
    return { name, ok: detail === null, detail };
  } catch (cause) {
    return { name, ok: false, detail: cause instanceof Error ? cause.message : String(cause) };
  }
}

/** A store that does not answer throws, whatever it is asked. */
function storeTrouble(store: Store): null {
  store.get(STOPS, HOUSE);
  return null;
}

function tradingStopped(store: Store): string | null {
  return store.get(STOPS, HOUSE)?.value.stopped === true ? 'buying is stopped for everybody' : null;
}

function venuesShut(store: Store): string | null {
  const shut = TRADED_VENUES.filter((venue) => doorTrouble(store, venue, 0) !== null);
  return shut.length === 0
    ? null
    : `${shut.join(', ')} takes no orders from where this service runs`;
}

function booksInDoubt({
  books: { all },
}: {
  readonly books: Pick<Core['books'], 'all'>;
}): string | null {
  const books = all();
  return books.length > 0 && books.every((book) => book.distrust() !== null)
    ? `none of ${books.length} books is trusted`
    : null;
}
