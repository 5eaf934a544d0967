import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type TradeId } from '../../../src/domain/ids.ts';
import { payoutEntry } from '../../../src/domain/ledger-entries.ts';
import type { Resolution } from '../../../src/domain/market.ts';
import type { PositionRecord } from '../../../src/domain/position.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { StoreWriter } from '../../../src/ports/store.ts';
import { bookFill } from '../../../src/services/books/fill-booking.ts';
import {
  bookPayout,
  bookResolution,
  hasWon,
  isInMotion,
  paidForShares,
  postPayout,
  takeBackPayout,
  type PayoutHolder,
} from '../../../src/services/books/payout-booking.ts';
import { standingFills } from '../../../src/services/books/kept-fills.ts';
import { balanceOf, postToLedger, putOrder } from '../../../src/services/books/record-changes.ts';
import {
  BALANCES,
  FILLS,
  LEDGER_ENTRIES,
  OPEN_FILLS,
  OPEN_ORDERS,
  OPEN_POSITIONS,
  ORDERS,
  POSITIONS,
  RESOLUTIONS,
  TOKEN_FILLS,
  TRADED_MARKETS,
} from '../../../src/services/books/tables.ts';
import { aMarket, aMarketId, aTokenId, aUserId, T0 } from '../../support/builders.ts';
import { VENUE_A } from '../../support/venue-ids.ts';
import { aSignedOrder, at, ORDER_ID } from '../../support/worlds/folded-orders.ts';

const USER = aUserId(1);
const MARKET = aMarketId(1);
const TOKEN = aTokenId(1, 0);
const LATER = T0 + 7;
const HOLDER: PayoutHolder = { userId: USER, tokenId: TOKEN, isRedeemed: false, nowMs: LATER };
const ended = (payoutTicks: Resolution['payoutTicks']): Resolution => ({
  marketId: MARKET,
  payoutTicks,
  resolvedAtMs: T0,
});

/** Books with 2 settled shares of the first outcome that cost a dollar; the order has ended. */
async function booksOf({ isSettled = true, isOver = true } = {}) {
  const store = createMemoryStore();
  const put = <T>(change: (tx: StoreWriter) => T) => store.write(change);
  await put((tx) => {
    tx.put(TRADED_MARKETS, [MARKET], aMarket(1));
    const order = aSignedOrder({ state: 'live' });
    putOrder(tx, null, order);
    const fill = {
      tradeId: asId<TradeId>('t1'),
      orderId: ORDER_ID,
      marketId: MARKET,
      tokenId: TOKEN,
      side: 'buy',
      role: 'taker',
      legs: [{ shares: shareMicros(2_000_000), price: priceTicks(5_000) }],
      fee: null,
      word: isSettled ? 'confirmed' : 'matched',
      matchedAtMs: T0,
      transactionHash: null,
    } as const;
    const { traits } = at();
    const rules = { feeOf: () => usdcMicros(0) };
    bookFill(tx, fill, { nowMs: T0, termsOf: () => ({ rules, traits }) });
    if (isOver) tx.remove(OPEN_ORDERS, [USER, order.intent.intentId]);
  });
  const pay = (payoutTicks: Resolution['payoutTicks'], holder: Partial<PayoutHolder> = {}) =>
    put((tx) => bookPayout(tx, ended(payoutTicks), { ...HOLDER, ...holder }));
  const position = () => store.get(POSITIONS, [USER, TOKEN])?.value ?? expect.unreachable();
  const change = (part: Partial<PositionRecord>) => {
    const changed = { ...position(), ...part };
    return put((tx) => tx.put(POSITIONS, [USER, TOKEN], changed));
  };
  const cash = () => balanceOf(store, USER, 'usdc:safe').settled;
  const open = () => store.range(OPEN_POSITIONS).length;
  const changes = () =>
    store.readJournal(0, 100).filter(({ event }) => event.type === 'position.changed').length;
  return { store, put, pay, position, change, cash, open, changes };
}

describe('the end of a market', () => {
  it('is stored once, with the fact; what was said first is kept', async () => {
    const { store, put } = await booksOf();
    const first = ended([10_000, 0]);
    expect([
      await put((tx) => bookResolution(tx, first, LATER)),
      await put((tx) => bookResolution(tx, ended([0, 10_000]), LATER)),
      store.get(RESOLUTIONS, [MARKET])?.value,
      store
        .readJournal(0, 100)
        .flatMap(({ event }) => (event.type === 'market.resolved' ? [event] : [])),
    ]).toEqual([
      true,
      false,
      first,
      [{ type: 'market.resolved', atMs: LATER, marketId: MARKET, resolution: first }],
    ]);
  });
});

describe('a payout', () => {
  it('L3: of what won is booked once all is final', async () => {
    const { pay, position, cash, open, store } = await booksOf();
    expect([cash(), await pay([5_000, 5_000]), cash(), open()]).toEqual([-1_000_000, 'paid', 0, 0]);
    expect(position()).toMatchObject({ state: 'redeemed', shares: 0, realizedPnl: 0 });
    expect(position().closedAtMs).toBe(LATER);
    expect(store.get(LEDGER_ENTRIES, [`payout:${MARKET}:${USER}:${TOKEN}`])?.value.atMs).toBe(
      LATER,
    );
    expect(await pay([5_000, 5_000])).toBe('nothing');
  });

  it('of what lost ends the position for no money, also where winners are redeemed on chain', async () => {
    for (const isRedeemed of [false, true]) {
      const { pay, position, cash, open } = await booksOf();
      expect(await pay([0, 10_000], { isRedeemed })).toBe('paid');
      expect([cash(), open()]).toEqual([-1_000_000, 0]);
      expect(position()).toMatchObject({ state: 'lost', realizedPnl: -1_000_000 });
    }
  });

  it('of what won waits for the chain where it is redeemed there, and is marked once', async () => {
    const { pay, position, cash, open, changes } = await booksOf();
    const before = changes();
    expect([
      await pay([1, 9_999], { isRedeemed: true }),
      await pay([1, 9_999], { isRedeemed: true }),
      position().state,
      changes() - before,
      cash(),
      open(),
    ]).toEqual(['won', 'won', 'resolved', 1, -1_000_000, 1]);
  });

  it.each([
    ['a fill that is not final', { isSettled: false, isOver: true }],
    ['an order that has not ended', { isSettled: true, isOver: false }],
  ])('L3: waits for %s, and the position is marked', async (_, how) => {
    const { store, pay, position, cash } = await booksOf(how);
    expect([isInMotion(store, position()), await pay([10_000, 0])]).toEqual([true, 'pending']);
    expect([position().state, cash()]).toEqual(['resolved', how.isSettled ? -1_000_000 : 0]);
  });

  it('waits for nothing of another token, market or user', async () => {
    const fill = await booksOf({ isSettled: false });
    const unmoved = { ...fill.position(), tokenId: aTokenId(1, 1) };
    const others = { ...fill.position(), userId: aUserId(2) };
    expect([unmoved, others].map((each) => isInMotion(fill.store, each))).toEqual([false, false]);
    const gone = await booksOf();
    await gone.put((tx) =>
      tx.put(OPEN_FILLS, [USER, ORDER_ID, 'gone'], { sinceMs: T0, venue: VENUE_A }),
    );
    expect(isInMotion(gone.store, gone.position())).toBe(false);
    const order = await booksOf({ isOver: false });
    const { store, position } = order;
    expect([
      isInMotion(store, { ...position(), tokenId: aTokenId(1, 1) }),
      isInMotion(store, { ...position(), marketId: aMarketId(2) }),
      isInMotion(store, { ...position(), userId: aUserId(2) }),
    ]).toEqual([false, false, false]);
    await order.put((tx) => tx.remove(ORDERS, [USER, 'int_1']));
    expect(isInMotion(store, position())).toBe(false);
  });

  it('of no shares, or of fewer than none, is nothing, and looked at no more', async () => {
    for (const shares of [0, -1]) {
      const { pay, change, cash, open } = await booksOf();
      await change({ shares: shareMicros(shares) });
      expect([await pay([10_000, 0]), cash(), open()]).toEqual(['nothing', -1_000_000, 0]);
    }
  });

  it('of a position that no user has is nothing', async () => {
    const { pay, open } = await booksOf();
    expect([
      await pay([10_000, 0], { tokenId: aTokenId(1, 1) }),
      await pay([10_000, 0], { userId: aUserId(2) }),
      open(),
    ]).toEqual(['nothing', 'nothing', 1]);
  });

  it('L4: stops where position and ledger do not agree, or an open position has no record', async () => {
    const { pay, put } = await booksOf();
    await put((tx) => tx.put(BALANCES, [USER, TOKEN], { provisional: 0, settled: 1_999_999 }));
    await expect(pay([10_000, 0])).rejects.toThrow('invariant broken');
    await put((tx) => tx.remove(POSITIONS, [USER, TOKEN]));
    await expect(pay([10_000, 0])).rejects.toThrow('invariant broken');
  });

  it('in parts is named by its number, and ends the position with the last', async () => {
    const { store, put, position, cash, open } = await booksOf();
    const part = (shares: number) =>
      put((tx) => postPayout(tx, position(), { shares, usdc: shares, nowMs: LATER }));
    await part(500_000);
    expect([position().shares, position().state, cash(), open()]).toEqual([
      1_500_000,
      'resolved',
      -500_000,
      1,
    ]);
    await part(1_500_000);
    expect([position().state, cash(), open()]).toEqual(['redeemed', 1_000_000, 0]);
    expect(
      store
        .range(LEDGER_ENTRIES)
        .flatMap(({ value: { kind, entryId } }) => (kind === 'payout' ? [entryId] : [])),
    ).toEqual([`payout:${MARKET}#2:${USER}:${TOKEN}`, `payout:${MARKET}:${USER}:${TOKEN}`]);
  });

  it('counts to what was paid for the shares unless it was taken back, as do fills that redeem', async () => {
    const { store, put, position, pay } = await booksOf();
    const paid = () => paidForShares(store, position());
    expect(paid()).toBe(0);
    const first = await put((tx) =>
      postPayout(tx, position(), { shares: 500_000, usdc: 500_000, nowMs: LATER }),
    );
    await pay([10_000, 0]);
    expect([position().state, paid()]).toEqual(['redeemed', 2_000_000]);
    await put((tx) =>
      takeBackPayout(tx, USER, { payout: first, transactionHash: null, nowMs: LATER }),
    );
    expect(paid()).toBe(1_500_000);
    await put((tx) => {
      const [bought = expect.unreachable()] = standingFills(tx, USER, TOKEN);
      const sold = { ...bought, side: 'sell', shares: shareMicros(500_000) } as const;
      const fills = [
        { ...sold, tradeId: asId<TradeId>('t2'), usdc: usdcMicros(500_000) },
        { ...sold, tradeId: asId<TradeId>('t3'), usdc: usdcMicros(499_999) },
      ];
      for (const [at, fill] of fills.entries()) {
        const { orderId, tradeId } = fill;
        tx.put(FILLS, [USER, orderId, tradeId], fill);
        tx.put(TOKEN_FILLS, [USER, TOKEN, 1_000 + at], { orderId, tradeId });
      }
    });
    expect(paid()).toBe(2_000_000);
  });

  it('is made a hundred times at most', async () => {
    const { put, position } = await booksOf();
    const paid = (name: string) =>
      payoutEntry({
        ...position(),
        marketId: asId<PositionRecord['marketId']>(name),
        usdc: usdcMicros(0),
        atMs: LATER,
      });
    const part = () =>
      put((tx) => postPayout(tx, position(), { shares: 1, usdc: 1, nowMs: LATER }));
    await put((tx) => {
      postToLedger(tx, USER, paid(MARKET));
      for (let number = 2; number <= 99; number += 1)
        postToLedger(tx, USER, paid(`${MARKET}#${number}`));
    });
    await part();
    await expect(part()).rejects.toThrow('was paid 100 times');
  });

  it('has winners where shares are held and their outcome is paid anything', async () => {
    const { position } = await booksOf();
    const held = position();
    const none = { ...held, shares: shareMicros(0) };
    const other = { ...held, outcome: 1 as const };
    expect([
      hasWon(held, ended([1, 9_999])),
      hasWon(held, ended([0, 10_000])),
      hasWon(none, ended([10_000, 0])),
      hasWon(other, ended([10_000, 0])),
    ]).toEqual([true, false, false, false]);
  });
});
