import type { Readiness } from '../http/services.ts';
import type { Store } from '../ports/store.ts';
import { STOPS } from '../services/tables.ts';
import type { Core } from './core.ts';

/** Says whether the daemon can do its work: the store answers, and watched books are not all in doubt. */
export function createReadiness({ store, core }: { readonly store: Store; readonly core: Core }): () => Readiness {
  return () => {
    const checks = [check('store', () => (store.get(STOPS, ['all'])?.value.stopped === true ? 'trading is stopped for the house' : null)), check('books', () => booksInDoubt(core))];
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

function booksInDoubt(core: Core): string | null {
  const books = core.books.all();
  return books.length > 0 && books.every((book) => book.distrust() !== null) ? `none of ${books.length} books is trusted` : null;
}
