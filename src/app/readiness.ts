import type { Readiness } from '../http/services.ts';
import type { Store } from '../ports/store.ts';
import { doorTrouble, TRADED_VENUES } from '../services/orders/venue-door.ts';
import { STOPS } from '../services/tables.ts';
import type { Core } from './core.ts';

/** Says whether the daemon can do its work: the venue takes orders, the store answers, and watched books are not all in doubt. */
export function createReadiness({ store, core }: { readonly store: Store; readonly core: { readonly books: Pick<Core['books'], 'all'> } }): () => Readiness {
  return () => {
    const checks = [check('venue', () => venuesShut(store)), check('store', () => (store.get(STOPS, ['all'])?.value.stopped === true ? 'trading is stopped for the house' : null)), check('books', () => booksInDoubt(core))];
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

function venuesShut(store: Store): string | null {
  const shut = TRADED_VENUES.filter((venue) => doorTrouble(store, venue, 0) !== null);
  return shut.length === 0 ? null : `${shut.join(', ')} takes no orders from where this service runs`;
}

function booksInDoubt({ books: { all } }: { readonly books: Pick<Core['books'], 'all'> }): string | null {
  const books = all();
  return books.length > 0 && books.every((book) => book.distrust() !== null) ? `none of ${books.length} books is trusted` : null;
}
