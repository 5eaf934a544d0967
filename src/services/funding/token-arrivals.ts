import type { UserId } from '../../domain/ids.ts';
import type { TokenArrival } from '../../domain/token-arrival.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import type { Page, PageQuery } from '../../ports/catalogue.ts';
import { invalidCursor, pageAfter } from '../newest-page.ts';
import { TOKEN_ARRIVAL_TIMES, TOKEN_ARRIVALS } from './tables.ts';

/**
 * A token of a user's own choice: where its name speaks against nothing, its arrival is notified.
 */
export interface ChosenToken {
  readonly address: string;
  /** Null where it does not say. */
  readonly symbol: string | null;
  readonly decimals: number;
  readonly warnings: readonly unknown[];
}

/**
 * Records a coin or a token that arrived in a wallet, once by its name, with the fact that notifies
 * its user. Returns false when it was recorded before.
 */
export function recordTokenArrival(tx: StoreWriter, arrival: TokenArrival): boolean {
  const { userId, arrivalId, arrivedAtMs } = arrival;
  if (tx.get(TOKEN_ARRIVAL_TIMES, [userId, arrivalId]) !== null) return false;
  tx.put(TOKEN_ARRIVAL_TIMES, [userId, arrivalId], { arrivedAtMs });
  tx.put(TOKEN_ARRIVALS, [userId, arrivedAtMs, arrivalId], arrival);
  tx.append({ type: 'token.arrived', userId, atMs: arrivedAtMs, arrival });
  return true;
}

/**
 * Returns one page of what arrived in a user's wallets, newest first; a cursor is the name of the
 * last one of the page before. Errors: `invalid_request` for an invalid cursor.
 */
export function pageOfTokenArrivals(
  reader: StoreReader,
  userId: UserId,
  { limit, cursor }: PageQuery,
): Page<TokenArrival> {
  const before = cursor === null ? null : reader.get(TOKEN_ARRIVAL_TIMES, [userId, cursor]);
  if (cursor !== null && before === null) throw invalidCursor();
  return pageAfter(reader, TOKEN_ARRIVALS, userId, {
    limit,
    after: cursor === null || before === null ? null : [userId, before.value.arrivedAtMs, cursor],
  });
}
