import { expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { VenueFill } from '../../../src/domain/fill.ts';
import { asId, type TradeId } from '../../../src/domain/ids.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { depositEntry } from '../../../src/domain/ledger-entries.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import { bookFill } from '../../../src/services/books/fill-booking.ts';
import { takeBackSettled } from '../../../src/services/books/fill-reversals.ts';
import { balanceOf, postToLedger, putOrder } from '../../../src/services/books/record-changes.ts';
import { FILLS, ORDERS, POSITIONS, TRADED_MARKETS } from '../../../src/services/books/tables.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { explainOrder } from '../../../src/domain/order-reason.ts';
import { createChangedTrades } from '../../../src/services/funding/changed-trades.ts';
import { TRANSACTION_KEYS } from '../../../src/services/transactions/tables.ts';
import { putTransaction } from '../../../src/services/transactions/transaction-records.ts';
import { notificationOf } from '../../../src/services/notifications/notification-facts.ts';
import { aMarket, aTokenId, aUserId, T0 } from '../../support/builders.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { aVenueCall } from '../../support/venue-call.ts';
import { aSignedOrder, at, aWord, ORDER_ID } from '../../support/worlds/folded-orders.ts';

const USER = aUserId(1);
const TOKEN = aTokenId(1, 0);
const HASH = new Set(['0xa']);

function aTrade(shares: number, usdc: number): VenueFill {
  const leg = { shares: shareMicros(shares), price: priceTicks(5_000), usdc: usdcMicros(usdc) };
  return {
    tradeId: asId<TradeId>('t1'),
    orderId: ORDER_ID,
    marketId: aMarket(1).marketId,
    tokenId: TOKEN,
    side: 'buy',
    role: 'taker',
    legs: [leg],
    fee: { unit: 'cash', micros: 0 },
    word: 'confirmed',
    matchedAtMs: T0,
    transactionHash: '0xa',
  };
}

/** A purchase for 10 USDC that brought 20 shares, final in the books. */
async function aPurchase() {
  const bought = await anOrder({ state: 'live' });
  const { termsOf } = bought;
  await bought.store.write((tx) => {
    bookFill(tx, aTrade(20_000_000, 10_000_000), { nowMs: T0, termsOf });
  });
  return bought;
}

/** The same purchase, whose transaction failed. */
async function aFailedPurchase() {
  const failed = await anOrder({
    state: 'rejected',
    reason: 'it failed on the chain',
    reserved: { usdc: usdcMicros(0), shares: shareMicros(0) },
  });
  failed.shown.trade = null;
  await failed.store.write((tx) => {
    const made = aVenueCall(tx, USER);
    const { transactionId } = made;
    putTransaction(tx, { before: null, after: { ...made, transactionHash: '0xa' } });
    tx.put(TRANSACTION_KEYS, [USER, ORDER_ID], { userId: USER, transactionId });
  });
  return failed;
}

async function anOrder(end: Partial<OrderRecord>) {
  const store = createMemoryStore();
  const clock = createVirtualClock(T0);
  const commit = createCommit({ store, bus: createKeptBus(), metrics: createKeptMetrics() });
  const shown: { trade: VenueFill | null } = { trade: aTrade(20_000_000, 10_000_000) };
  const termsOf = () => ({
    rules: { feeOf: () => usdcMicros(0) },
    traits: at().traits,
    gateway: {
      lookup: async () =>
        shown.trade === null
          ? ({ kind: 'absent', proof: null } as const)
          : ({ kind: 'found', order: aWord('matched'), fills: [shown.trade] } as const),
    },
  });
  await store.write((tx) => {
    tx.put(TRADED_MARKETS, [aMarket(1).marketId], aMarket(1));
    const deposit = { userId: USER, transferId: 'd1', usdc: usdcMicros(100_000_000), atMs: T0 };
    postToLedger(tx, USER, depositEntry({ ...deposit, cashAccount: 'usdc:safe' }));
    putOrder(tx, null, aSignedOrder(end, { exact: 'spend', life: 'all_now' }));
  });
  const log = createKeptLog();
  const trades = createChangedTrades({ store, commit, termsOf, marketClock: clock, log });
  const books = () => ({
    cash: balanceOf(store, USER, 'usdc:safe'),
    shares: balanceOf(store, USER, TOKEN),
    order: store.range(ORDERS)[0]?.value,
    position: store.get(POSITIONS, [USER, TOKEN])?.value,
    fills: store.range(FILLS).map(({ value }) => [value.settlement, value.shares]),
  });
  const notified = () =>
    store
      .readJournal(0, 100)
      .flatMap(({ event }) => notificationOf(store, event)?.facts ?? [])
      .map(({ kind }) => kind);
  return { store, shown, trades, books, notified, termsOf };
}

it('L4: books a trade anew that came to other amounts: ledger, order, position and notifications follow', async () => {
  const { shown, trades, books, notified } = await aPurchase();
  shown.trade = aTrade(18_000_000, 9_900_000);
  expect(await trades(USER, HASH)).toBe(true);
  expect(books()).toMatchObject({
    cash: { settled: 90_100_000, provisional: 0 },
    shares: { settled: 18_000_000, provisional: 0 },
    order: {
      state: 'filled',
      filledShares: 18_000_000,
      filledUsdc: 9_900_000,
      settledShares: 18_000_000,
    },
    position: { shares: 18_000_000, costUsdc: 9_900_000, realizedPnl: 0, state: 'open' },
    fills: [
      ['reversed', 20_000_000],
      ['settled', 18_000_000],
    ],
  });
  expect(books().order?.reversedShares ?? 0).toBe(0);
  expect(notified().slice(-2)).toEqual(['trade_reversed', 'trade']);
});

it('books it once, and once more where it changes once more', async () => {
  const { shown, trades, books } = await aPurchase();
  shown.trade = aTrade(18_000_000, 9_900_000);
  expect([await trades(USER, HASH), await trades(USER, HASH)]).toEqual([true, false]);
  shown.trade = aTrade(19_000_000, 9_950_000);
  expect(await trades(USER, HASH)).toBe(true);
  expect(books()).toMatchObject({
    cash: { settled: 90_050_000, provisional: 0 },
    order: { filledShares: 19_000_000, settledShares: 19_000_000 },
    fills: [
      ['reversed', 20_000_000],
      ['reversed', 18_000_000],
      ['settled', 19_000_000],
    ],
  });
});

it('L4: books again what was taken back and is carried out after all', async () => {
  const { store, shown, trades, books } = await aPurchase();
  await store.write((tx) => {
    for (const { value } of tx.range(FILLS)) takeBackSettled(tx, value, T0);
  });
  shown.trade = { ...aTrade(20_000_000, 10_000_000), gas: { chain: 'BASE', units: '200' } };
  expect([books().cash.settled, await trades(USER, HASH)]).toEqual([100_000_000, true]);
  expect([await trades(USER, HASH), books()]).toMatchObject([
    false,
    {
      cash: { settled: 90_000_000, provisional: 0 },
      shares: { settled: 20_000_000, provisional: 0 },
      position: { shares: 20_000_000, costUsdc: 10_000_000 },
    },
  ]);
  expect(store.range(FILLS).map(({ value }) => value.gas?.units)).toEqual([undefined, '200']);
});

it('L4: books the trade of an order that had failed, and is carried out after all', async () => {
  const { store, shown, trades, books, notified } = await aFailedPurchase();
  expect(books()).toMatchObject({ cash: { settled: 100_000_000 }, order: { state: 'rejected' } });
  shown.trade = aTrade(20_000_000, 10_000_000);
  expect([await trades(USER, HASH), await trades(USER, HASH)]).toEqual([true, false]);
  expect(books()).toMatchObject({
    cash: { settled: 90_000_000, provisional: 0 },
    shares: { settled: 20_000_000, provisional: 0 },
    order: { state: 'rejected', filledShares: 20_000_000, settledShares: 20_000_000 },
    position: { shares: 20_000_000, costUsdc: 10_000_000 },
    fills: [['settled', 20_000_000]],
  });
  expect(notified().slice(-1)).toEqual(['trade']);
  const [order] = store.range(ORDERS).map(({ value }) => value);
  expect(order && explainOrder(order).reason).toMatch(/carried out after all/);
});

it('asks no venue about a transaction that is of no order', async () => {
  const { store, trades } = await aFailedPurchase();
  await store.write((tx) => tx.remove(TRANSACTION_KEYS, [USER, ORDER_ID]));
  expect(await trades(USER, HASH)).toBe(false);
});

it('books nothing where its venue shows no trade, the same one, or one of another transaction', async () => {
  const { shown, trades, books } = await aPurchase();
  const before = books();
  expect(await trades(USER, HASH)).toBe(false);
  shown.trade = aTrade(18_000_000, 9_900_000);
  expect(await trades(USER, new Set(['0xb']))).toBe(false);
  shown.trade = { ...shown.trade, word: 'mined' };
  expect(await trades(USER, HASH)).toBe(false);
  shown.trade = null;
  expect([await trades(USER, HASH), books()]).toEqual([false, before]);
});
