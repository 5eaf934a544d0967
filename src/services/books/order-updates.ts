import { AppError } from '../../domain/errors.ts';
import { lastAttempt, type OrderRecord } from '../../domain/order.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store, StoreReader, StoreWriter } from '../../ports/store.ts';
import type { Commit } from '../../ports/commit.ts';
import { putOrder } from './record-changes.ts';
import { ORDERS, type OrderRef } from './tables.ts';

/**
 * Folds something that was learned into a record; gives the same record when it says nothing new.
 */
export type OrderFold = (record: OrderRecord, nowMs: number) => OrderRecord;

/**
 * Who did the learning: the order's own actor, or another source, which the actor is then notified
 * of.
 */
type WordSource = 'actor' | 'outside';

/** Hears of every order that was stored anew. */
type OrderListener = (record: OrderRecord, source: WordSource) => void;

/** What is stored in the same transaction as a word that changed an order. */
export interface Alongside {
  /** Looks at the order as the word leaves it, before it is written, and may say more of it. */
  readonly amend?: (tx: StoreReader, after: OrderRecord) => OrderRecord;
  /** Adds what follows, once it is written. */
  readonly add: (tx: StoreWriter, after: OrderRecord) => void;
}

/** What is learned about orders, stored before anybody acts on it. */
export interface OrderUpdates {
  /**
   * Folds an update into the order, durably; resolves with the record as it is then. An update that
   * changed it has what goes `alongside` stored in the same transaction. Errors: `not_found`,
   * `store_unavailable`.
   */
  apply(
    ref: OrderRef,
    fold: OrderFold,
    source: WordSource,
    alongside?: Alongside,
  ): Promise<OrderRecord>;
  /** The record as committed. Errors: `not_found`. */
  read(ref: OrderRef): OrderRecord;
  /**
   * Says that another source has stored an update of this order, durably: a fill that was booked.
   */
  announce(record: OrderRecord): void;
  /** Names the one listener; it is called after the update is durable. */
  listen(listener: OrderListener): void;
}

/** Makes the one way words become records. */
export function createOrderUpdates({
  store,
  commit,
  clock,
  named,
}: {
  readonly store: Store;
  readonly commit: Commit;
  readonly clock: Clock;
  /** Receives an order whose venue has just stated its own id of it. */
  readonly named: (order: OrderRecord) => void;
}): OrderUpdates {
  let tell: OrderListener = () => undefined;

  function read({ userId, intentId }: OrderRef): OrderRecord {
    const found = store.get(ORDERS, [userId, intentId])?.value;
    if (found === undefined) throw new AppError('not_found', `no order ${intentId}`);
    return found;
  }

  return {
    read,
    announce: (record) => tell(record, 'outside'),
    listen: (listener) => void (tell = listener),
    async apply(ref, fold, source, alongside) {
      const known = read(ref);
      if (fold(known, clock.nowMs()) === known) return known;
      const { record, isChanged, isNamed } = await commit((tx) => {
        const before = tx.get(ORDERS, [ref.userId, ref.intentId])?.value ?? known;
        const folded = fold(before, clock.nowMs());
        if (folded === before) return { record: before, isChanged: false, isNamed: false };
        const after = alongside?.amend?.(tx, folded) ?? folded;
        putOrder(tx, before, after);
        alongside?.add(tx, after);
        return { record: after, isChanged: true, isNamed: isUnnamed(before) && !isUnnamed(after) };
      });
      if (isChanged) tell(record, source);
      if (isNamed) named(record);
      return record;
    },
  };
}

/** Reports whether an order has left whose venue has not stated its own id yet. */
function isUnnamed(order: OrderRecord): boolean {
  return lastAttempt(order)?.orderId === null;
}
