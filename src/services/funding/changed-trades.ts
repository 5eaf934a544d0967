import type { FillRecord } from '../../domain/fill.ts';
import { asId, type OrderId, type UserId } from '../../domain/ids.ts';
import type { OrderHandle, OrderIntent } from '../../domain/order.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { OrderGateway } from '../../ports/order-gateway.ts';
import type { StoreReader } from '../../ports/store.ts';
import { orderNamed } from '../books/named-order.ts';
import { bookAnew, isChanged, type ChangedFill } from '../books/changed-fills.ts';
import type { BookingTerms } from '../books/fill-booking.ts';
import { FILLS } from '../books/tables.ts';
import { handleOf } from '../orders/order-attempts.ts';
import { transactionsOf } from '../transactions/stored-transactions.ts';
import { TRANSACTION_KEYS } from '../transactions/tables.ts';
import { namesOf } from './own-transactions.ts';

/** How an order is booked, and what its venue says of it. */
export interface OrderTerms extends BookingTerms {
  readonly gateway: Pick<OrderGateway, 'lookup'>;
}

/**
 * Has the venue say once more what trades of these transactions came to, and books those anew that
 * came to something else: also that of an order whose transaction had failed, in a block that was
 * taken back, and was carried out in the next one. Resolves with whether any did. Errors: those of
 * the venue and the chain, `store_unavailable`.
 */
export type ChangedTrades = (userId: UserId, hashes: ReadonlySet<string>) => Promise<boolean>;

/** Makes the question. */
export function createChangedTrades(
  deps: Pick<Runtime, 'store' | 'commit' | 'log'> & {
    readonly termsOf: (intent: OrderIntent) => OrderTerms;
    /** Market time, in which the books are kept. */
    readonly marketClock: Clock;
  },
): ChangedTrades {
  const { store, commit, termsOf, marketClock, log } = deps;

  async function changedFills(
    userId: UserId,
    hashes: ReadonlySet<string>,
  ): Promise<readonly ChangedFill[]> {
    const found: ChangedFill[] = [];
    for (const { fill, handle, orderId } of tradesBy(store, userId, hashes)) {
      const outcome = await termsOf(handle.intent).gateway.lookup(handle);
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
    for (const { shown } of replaced) {
      const { orderId, tradeId, transactionHash } = shown;
      log.error({ userId, orderId, tradeId, transactionHash }, 'money.trade_changed');
    }
    return replaced.length > 0;
  };
}

/** What a transaction was for: a fill that is booked, or an order that has none. */
interface Traded {
  readonly fill: FillRecord | null;
  readonly orderId: OrderId;
  readonly handle: OrderHandle;
}

/** The fills of these transactions, and the orders that they carry out and that have no fill. */
function tradesBy(
  reader: StoreReader,
  userId: UserId,
  hashes: ReadonlySet<string>,
): readonly Traded[] {
  const fills = reader.range(FILLS, { prefix: [userId] }).map(({ value }) => value);
  const filled = new Set<string>(fills.map(({ orderId }) => orderId));
  const booked = fills
    .filter(({ transactionHash }) => transactionHash !== null && hashes.has(transactionHash))
    .map((fill) => ({ fill, orderId: fill.orderId }));
  const ids = new Set(
    transactionsOf(reader, userId)
      .filter((record) => namesOf([record]).some((name) => hashes.has(name)))
      .map(({ transactionId }) => transactionId),
  );
  const unfilled = reader
    .range(TRANSACTION_KEYS, { prefix: [userId] })
    .filter(({ key: [, id], value }) => ids.has(value.transactionId) && !filled.has(String(id)))
    .map(({ key: [, id] }) => ({ fill: null, orderId: asId<OrderId>(String(id)) }));
  return [...booked, ...unfilled].flatMap((trade) => {
    const handle = handleAt(reader, userId, trade.orderId);
    return handle === null ? [] : [{ ...trade, handle }];
  });
}

/** The attempt that is known by a name; null where that is of something else. */
function handleAt(reader: StoreReader, userId: UserId, orderId: OrderId): OrderHandle | null {
  const order = orderNamed(reader, orderId);
  if (order?.intent.userId !== userId) return null;
  const attempt = order.attempts.find(
    (one) => one.orderId === orderId || String(one.attemptId) === String(orderId),
  );
  return attempt === undefined ? null : handleOf(order, attempt);
}
