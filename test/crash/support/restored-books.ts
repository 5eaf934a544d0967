import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import type { FillRecord } from '../../../src/domain/fill.ts';
import { isTerminal, lastAttempt, type OrderRecord } from '../../../src/domain/order.ts';
import type { Store } from '../../../src/ports/store.ts';
import { FILLS, ORDERS, POSITIONS } from '../../../src/services/books/tables.ts';
import { USERS } from '../../../src/services/sign-in/tables.ts';
import { brokenLaws } from '../../support/worlds/trading-world.ts';

/** What a store says of orders and trades. */
export interface Books {
  readonly orders: ReadonlyMap<string, OrderRecord>;
  readonly fills: ReadonlyMap<string, FillRecord>;
  /** What positions made that a market has paid from a Safe, micros, by user and token. */
  readonly paid: ReadonlyMap<string, number>;
  /** Orders with the same name at their venue as another. */
  readonly doubled: readonly string[];
  readonly brokenLaws: readonly string[];
}

/** Reads the books in a store's folder, which is opened and closed. */
export async function booksIn(path: string): Promise<Books> {
  const store = await openLmdbStore({ path });
  try {
    const named = store.range(ORDERS).map(({ value }) => [nameOf(value), value] as const);
    const orders = new Map(named);
    return {
      orders,
      fills: new Map(
        store.range(FILLS).map(({ value }) => [`${value.orderId} ${value.tradeId}`, value]),
      ),
      paid: new Map(
        store
          .range(POSITIONS)
          .filter(
            ({ value: { state, cashAccount } }) =>
              state === 'redeemed' && cashAccount === 'usdc:safe',
          )
          .map(({ key, value }) => [key.join(' '), value.realizedPnl]),
      ),
      doubled: named.filter(([name, value]) => orders.get(name) !== value).map(([name]) => name),
      brokenLaws: usersOf(store).flatMap((userId) => brokenLaws(store, userId)),
    };
  } finally {
    await store.close();
  }
}

function usersOf(store: Store) {
  return store.range(USERS).map(({ value }) => value.userId);
}

function nameOf(order: OrderRecord): string {
  return lastAttempt(order)?.orderId ?? order.intent.intentId;
}

/** What adopting made of the books that were lost, against the books as they were. */
export interface Comparison {
  /** Orders that are on a venue's or a chain's record: traded, or resting at the kill. */
  readonly orders: number;
  readonly fills: number;
  /** Positions that their market had paid. */
  readonly payouts: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
}

/** Compares: an order that never traded and does not rest is on no record. */
export function compared(before: Books, after: Books): Comparison {
  const onRecord = [...before.orders].filter(
    ([, { filledShares, state, attempts }]) =>
      filledShares > 0 || (state === 'live' && attempts.length > 0 && !isTerminal(state)),
  );
  const standing = [...before.fills].filter(([, { settlement }]) => settlement !== 'reversed');
  const lostOrders = onRecord.filter(([name]) => !after.orders.has(name)).map(([name]) => name);
  const lostFills = standing
    .filter(([name, fill]) => {
      const found = after.fills.get(name);
      return found?.shares !== fill.shares || found.usdc + found.fee !== fill.usdc + fill.fee;
    })
    .map(([name]) => name);
  const lostPayouts = [...before.paid]
    .filter(([name, profit]) => after.paid.get(name) !== profit)
    .map(
      ([name, profit]) =>
        `the payout of ${name}: it made ${profit}, and now ${after.paid.get(name) ?? 'nothing'}`,
    );
  const again = [...after.fills.keys()].filter((name) => name.endsWith(':again'));
  return {
    orders: onRecord.length,
    fills: standing.length,
    payouts: before.paid.size,
    lost: [...lostOrders, ...lostFills, ...lostPayouts],
    doubled: [...after.doubled, ...again],
  };
}
