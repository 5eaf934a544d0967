import type { UserId } from '../../domain/ids.ts';
import type { OrderIntent } from '../../domain/order.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { OrderGateway } from '../../ports/order-gateway.ts';
import type { Store } from '../../ports/store.ts';
import { bookAnew, isChanged, type ChangedFill } from '../books/changed-fills.ts';
import type { BookingTerms } from '../books/fill-booking.ts';
import { orderOf } from '../books/kept-fills.ts';
import { FILLS } from '../books/tables.ts';
import type { Commit } from '../commit.ts';
import { handleOf } from '../orders/order-attempts.ts';

/** How an order is booked, and what its venue says of it. */
export interface OrderTerms extends BookingTerms {
  readonly gateway: Pick<OrderGateway, 'lookup'>;
}

export interface ChangedTradesDeps {
  readonly store: Store;
  readonly commit: Commit;
  readonly termsOf: (intent: OrderIntent) => OrderTerms;
  /** Market time, in which the books are kept. */
  readonly marketClock: Clock;
  readonly log: Log;
}

/**
 * Has the venue say once more what trades of these transactions came to, and books those anew that
 * came to something else; resolves with whether any did. Errors: those of the venue and the chain,
 * `store_unavailable`.
 */
export type ChangedTrades = (userId: UserId, hashes: ReadonlySet<string>) => Promise<boolean>;

/** Makes the question. */
export function createChangedTrades(deps: ChangedTradesDeps): ChangedTrades {
  const { store, commit, termsOf, marketClock, log } = deps;

  async function changedFills(
    userId: UserId,
    hashes: ReadonlySet<string>,
  ): Promise<readonly ChangedFill[]> {
    const found: ChangedFill[] = [];
    for (const { value: fill } of store.range(FILLS, { prefix: [userId] })) {
      const { transactionHash, orderId } = fill;
      if (transactionHash === null || !hashes.has(transactionHash)) continue;
      const order = orderOf(store, fill);
      const outcome = await termsOf(order.intent).gateway.lookup(handleOf(order));
      const fills = outcome.kind === 'found' ? (outcome.fills ?? []) : [];
      const shown = fills.find((one) => one.orderId === orderId);
      if (shown !== undefined && isChanged(store, { fill, shown })) found.push({ fill, shown });
    }
    return found;
  }

  return async (userId, hashes) => {
    if (hashes.size === 0) return false;
    const changed = await changedFills(userId, hashes);
    if (changed.length === 0) return false;
    const replaced = await commit((tx) => {
      const context = { nowMs: marketClock.nowMs(), termsOf };
      const still = changed.filter((one) => isChanged(tx, one));
      for (const one of still) bookAnew(tx, one, context);
      return still;
    });
    for (const { fill } of replaced) {
      const { orderId, tradeId, transactionHash } = fill;
      log.error({ userId, orderId, tradeId, transactionHash }, 'money.trade_changed');
    }
    return replaced.length > 0;
  };
}
