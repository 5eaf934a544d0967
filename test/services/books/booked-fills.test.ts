import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { TradeStatus, VenueFill } from '../../../src/domain/fill.ts';
import { asId, type OrderId, type TradeId } from '../../../src/domain/ids.ts';
import { depositEntry } from '../../../src/domain/ledger-entries.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { StoreWriter } from '../../../src/ports/store.ts';
import {
  bookFill,
  failureOf,
  saysNothingNew,
  type BookingContext,
} from '../../../src/services/books/fill-booking.ts';
import { takeBackSettled } from '../../../src/services/books/fill-reversals.ts';
import { standingFills } from '../../../src/services/books/kept-fills.ts';
import { postPayout, takeBackPayout } from '../../../src/services/books/payout-booking.ts';
import { balanceOf, postToLedger, putOrder } from '../../../src/services/books/record-changes.ts';
import {
  BREAKERS,
  FILLS,
  OPEN_FILLS,
  ORDERS,
  POSITIONS,
  TOKEN_FILLS,
  TRADED_MARKETS,
  USER_FILLS,
} from '../../../src/services/books/tables.ts';
import { anAttempt } from '../../support/attempts.ts';
import { aMarket, aTokenId, aUserId, T0 } from '../../support/builders.ts';
import { VENUE_A } from '../../support/venue-ids.ts';
import { aSignedOrder, at, ORDER_ID } from '../../support/worlds/folded-orders.ts';

const USER = aUserId(1);
const TOKEN = aTokenId(1, 0);
const LATER = T0 + 7;
const SALE_ID = asId<OrderId>('0x02');
const trade = (name: string) => asId<TradeId>(name);
/** A fee of 7 a leg for who takes, none for who makes. */
const CONTEXT: BookingContext = {
  nowMs: LATER,
  termsOf: () => ({
    rules: { feeOf: (_, legs, role) => usdcMicros(role === 'taker' ? legs.length * 7 : 0) },
    traits: at().traits,
  }),
};

/** What the venue says of 2 shares bought at 0.50. */
const aTrade = (changes: Partial<VenueFill> = {}): VenueFill => ({
  tradeId: trade('t1'),
  orderId: ORDER_ID,
  marketId: aMarket(1).marketId,
  tokenId: TOKEN,
  side: 'buy',
  role: 'taker',
  legs: [{ shares: shareMicros(2_000_000), price: priceTicks(5_000) }],
  fee: null,
  word: 'matched',
  matchedAtMs: T0,
  transactionHash: null,
  ...changes,
});
const aSale = (changes: Partial<VenueFill> = {}) =>
  aTrade({ tradeId: trade('s1'), orderId: SALE_ID, side: 'sell', ...changes });

/** Books with a buy of 20 shares and a sale of as many, both live. */
async function booksOf(intent: Partial<OrderRecord['intent']> = {}) {
  const store = createMemoryStore();
  const put = (change: (tx: StoreWriter) => void) => store.write(change);
  const deposit = { userId: USER, transferId: 'd1', usdc: usdcMicros(100_000_000), atMs: T0 };
  await put((tx) => {
    tx.put(TRADED_MARKETS, [aMarket(1).marketId], aMarket(1));
    postToLedger(tx, USER, depositEntry({ ...deposit, cashAccount: 'usdc:safe' }));
    putOrder(tx, null, aSignedOrder({ state: 'live' }, intent));
    const reserved = { usdc: usdcMicros(0), shares: shareMicros(20_000_000) };
    const sale = {
      intentId: asId<OrderRecord['intent']['intentId']>('int_2'),
      side: 'sell',
    } as const;
    putOrder(
      tx,
      null,
      aSignedOrder(
        { state: 'live', attempts: [anAttempt(SALE_ID)], reserved },
        { ...intent, ...sale, exact: 'spend', spendMicros: 20_000_000, receiveMicros: 1 },
      ),
    );
  });
  const book = (fill: VenueFill, nowMs = LATER) =>
    store.write((tx) => bookFill(tx, fill, { ...CONTEXT, nowMs }));
  const tell = async (word: TradeStatus, transactionHash: string | null = null) => {
    const fill = aTrade({ word, transactionHash });
    const isOld = saysNothingNew(store, fill);
    const { result, contradicts } = await book(fill);
    return [isOld, result, contradicts];
  };
  const fillOf = (tradeId: string, orderId: OrderId = ORDER_ID) =>
    store.get(FILLS, [USER, orderId, tradeId])?.value;
  const position = () => store.get(POSITIONS, [USER, TOKEN])?.value;
  const cash = () => balanceOf(store, USER, 'usdc:safe');
  const facts = () => store.readJournal(0, 100).map(({ event }) => event);
  return { store, put, book, tell, fillOf, position, cash, facts };
}

describe('a trade reported for the first time', () => {
  it('L3: is booked provisionally, on its order, its position and the ledger', async () => {
    const { store, book, fillOf, position, cash, facts } = await booksOf();
    const { result, order, contradicts } = await book(aTrade());
    const record = {
      userId: USER,
      cashAccount: 'usdc:safe',
      intentId: 'int_1',
      orderId: ORDER_ID,
      tradeId: 't1',
      marketId: aMarket(1).marketId,
      tokenId: TOKEN,
      outcome: 0,
      side: 'buy',
      role: 'taker',
      shares: 2_000_000,
      usdc: 1_000_000,
      fee: 7,
      settlement: 'provisional',
      word: 'matched',
      transactionHash: null,
      matchedAtMs: T0,
      recordedAtMs: LATER,
    };
    const recorded = store.readJournal(0, 100).find(({ event }) => event.type === 'fill.recorded');
    expect([result, contradicts, fillOf('t1'), recorded?.event]).toEqual([
      'recorded',
      false,
      record,
      { type: 'fill.recorded', userId: USER, atMs: LATER, fill: record },
    ]);
    expect(order).toEqual(store.get(ORDERS, [USER, 'int_1'])?.value);
    expect(order).toMatchObject({ filledShares: 2_000_000, filledUsdc: 1_000_000, feesUsdc: 7 });
    const place = { orderId: ORDER_ID, tradeId: 't1' };
    expect([
      store.range(TOKEN_FILLS).map(({ key, value }) => [key, value]),
      store.range(USER_FILLS).map(({ key, value }) => [key, value]),
      store.range(OPEN_FILLS).map(({ key }) => key),
    ]).toEqual([
      [[[USER, TOKEN, recorded?.seq], place]],
      [[[USER, recorded?.seq], place]],
      [[USER, ORDER_ID, 't1']],
    ]);
    expect(cash()).toEqual({ provisional: -1_000_007, settled: 100_000_000 });
    expect(position()).toMatchObject({ shares: 2_000_000, costUsdc: 1_000_007, state: 'open' });
    expect(facts().some(({ type }) => type === 'fill.settled')).toBe(false);
  });

  it('of an order that is not ours changes nothing', async () => {
    const { store, book, facts } = await booksOf();
    const before = facts().length;
    const foreign = aTrade({ orderId: asId<OrderId>('0x99') });
    expect([saysNothingNew(store, foreign), await book(foreign), facts().length]).toEqual([
      false,
      { result: 'foreign', order: null, contradicts: false },
      before,
    ]);
  });

  it.each([
    ['another token', { tokenId: aTokenId(1, 1) }],
    ['the other side', { side: 'sell' }],
    ['no legs', { legs: [] }],
  ] as const)('that has %s does not fit its order', async (_, changes) => {
    const { book, fillOf } = await booksOf();
    await expect(book(aTrade(changes))).rejects.toMatchObject({ code: 'venue_protocol' });
    expect(fillOf('t1')).toBeUndefined();
  });

  it('is money rounded against us leg by leg, or as the venue states it', async () => {
    const { book, fillOf } = await booksOf();
    const one = { shares: shareMicros(1), price: priceTicks(5_000) };
    const legs = [one, { ...one, shares: shareMicros(3) }];
    await book(aTrade({ legs, role: 'maker' }));
    await book(aSale({ legs: [...legs, { ...one, usdc: usdcMicros(9) }] }));
    expect([fillOf('t1'), fillOf('s1', SALE_ID)]).toMatchObject([
      { shares: 4, usdc: 3, fee: 0 },
      { shares: 5, usdc: 0 + 1 + 9, fee: 21 },
    ]);
  });

  it.each([
    [{ unit: 'cash', micros: 0 }, 'buy', { fee: 0 }],
    [{ unit: 'cash', micros: 9_000_000 }, 'buy', { fee: 9_000_000 }],
    [{ unit: 'shares', micros: 1_999_999 }, 'buy', { fee: 0, feeShares: 1_999_999 }],
    [{ unit: 'shares', micros: 2_000_000 }, 'buy', null],
    [{ unit: 'shares', micros: 0 }, 'sell', null],
    [{ unit: 'cash', micros: 5 }, 'sell', { fee: 5 }],
    [{ unit: 'cash', micros: -1 }, 'buy', null],
    [{ unit: 'cash', micros: 0.5 }, 'buy', null],
  ] as const)('states a fee of %o of a %s', async (fee, side, booked) => {
    const { book, fillOf } = await booksOf();
    const reported = book(side === 'buy' ? aTrade({ fee }) : aSale({ fee }));
    if (booked === null) {
      await expect(reported).rejects.toMatchObject({ code: 'venue_protocol' });
      return;
    }
    await reported;
    const record = side === 'buy' ? fillOf('t1') : fillOf('s1', SALE_ID);
    const { fee: cash, feeShares } = record ?? expect.unreachable();
    expect({ fee: cash, ...(feeShares === undefined ? {} : { feeShares }) }).toEqual(booked);
  });

  it('is no older than its order', async () => {
    const { book, fillOf } = await booksOf();
    await book(aTrade({ matchedAtMs: T0 - 1 }));
    await book(aTrade({ tradeId: trade('t2'), matchedAtMs: T0 + 1 }));
    expect([fillOf('t1')?.matchedAtMs, fillOf('t2')?.matchedAtMs]).toEqual([T0, T0 + 1]);
  });

  it('notes what the network took for its transaction, and anew where another block has it', async () => {
    const { book, fillOf, cash } = await booksOf();
    await book(aTrade());
    expect(fillOf('t1')).not.toHaveProperty('gas');
    const { settled, provisional } = cash();
    const mined = { word: 'mined', transactionHash: '0xa' } as const;
    await book(aTrade({ ...mined, gas: { chain: 'BASE', units: '7' } }));
    expect(fillOf('t1')?.gas).toEqual({ chain: 'BASE', units: '7' });
    await book(aTrade({ ...mined, word: 'confirmed', gas: { chain: 'BASE', units: '8' } }));
    expect(fillOf('t1')).toMatchObject({
      gas: { chain: 'BASE', units: '8' },
      settlement: 'settled',
    });
    // it is another coin, of no account of the books
    expect(cash()).toMatchObject({ settled: settled + provisional, provisional: 0 });
  });

  it('of a sale notes what its shares had cost; a purchase, and a sale of none, note nothing', async () => {
    const { book, fillOf } = await booksOf();
    await book(aTrade());
    const legs = [{ shares: shareMicros(500_000), price: priceTicks(6_000) }];
    await book(aSale({ legs }));
    expect([fillOf('t1')?.releasedUsdc, fillOf('s1', SALE_ID)?.releasedUsdc]).toEqual([
      undefined,
      250_002,
    ]);
    await book({ ...aTrade(), tradeId: trade('t2') });
    const other = await booksOf();
    await other.book(aSale({ legs }));
    expect([fillOf('t2')?.releasedUsdc, other.fillOf('s1', SALE_ID)?.releasedUsdc]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('opens its position in the name of the agent whose order it is', async () => {
    const agent = { kind: 'agent', agentId: 'btc_5min', purpose: 'entry' } as const;
    const { book, position } = await booksOf({ origin: { ...agent, decisionId: asId('dec_1') } });
    await book(aTrade());
    expect(position()?.agentId).toBe('btc_5min');
    const manual = await booksOf();
    await manual.book(aTrade());
    expect(manual.position()?.agentId).toBeNull();
  });
});

describe('a word about a trade that is known', () => {
  it('on its way is noted where it is later, by word or transaction', async () => {
    const { tell, fillOf } = await booksOf();
    expect([
      await tell('matched'),
      await tell('matched', '0xa'),
      await tell('mined', '0xa'),
      await tell('mined', '0xa'),
      await tell('mined', '0xb'),
      await tell('retrying', '0xb'),
      await tell('matched', '0xc'),
    ]).toEqual([
      [false, 'recorded', false],
      [true, 'unchanged', false],
      [false, 'upgraded', false],
      [true, 'unchanged', false],
      [false, 'upgraded', false],
      [false, 'upgraded', false],
      [true, 'unchanged', false],
    ]);
    expect(fillOf('t1')).toMatchObject({ word: 'retrying', transactionHash: '0xb' });
  });

  it('L3: that it is final settles it once, and no failure after that is believed', async () => {
    const { store, tell, fillOf, cash, facts } = await booksOf();
    await tell('matched');
    expect([
      await tell('confirmed', '0xa'),
      await tell('confirmed', '0xb'),
      await tell('failed'),
      await tell('mined', '0xc'),
    ]).toEqual([
      [false, 'settled', false],
      [true, 'unchanged', false],
      [false, 'unchanged', true],
      [true, 'unchanged', false],
    ]);
    expect([cash(), store.get(ORDERS, [USER, 'int_1'])?.value.settledShares]).toEqual([
      { provisional: 0, settled: 98_999_993 },
      2_000_000,
    ]);
    expect(fillOf('t1')).toMatchObject({
      settlement: 'settled',
      word: 'confirmed',
      transactionHash: '0xa',
    });
    expect(facts().filter(({ type }) => type === 'fill.settled')).toEqual([
      {
        type: 'fill.settled',
        userId: USER,
        atMs: LATER,
        tradeId: 't1',
        orderId: ORDER_ID,
        transactionHash: '0xa',
      },
    ]);
    expect(store.range(OPEN_FILLS)).toEqual([]);
  });

  it('L4: final, it is taken back where the chain proves that its transaction did nothing after all', async () => {
    const { store, tell, fillOf, cash, position, facts } = await booksOf();
    await tell('confirmed', '0xa');
    const settled = fillOf('t1') ?? expect.unreachable();
    await store.write((tx) => takeBackSettled(tx, settled, LATER));
    expect([cash(), position()?.shares, fillOf('t1')]).toEqual([
      { provisional: 0, settled: 100_000_000 },
      0,
      { ...settled, settlement: 'reversed', word: 'failed' },
    ]);
    expect(store.get(ORDERS, [USER, 'int_1'])?.value).toMatchObject({
      settledShares: 0,
      reversedShares: 2_000_000,
    });
    expect(facts().map(({ type }) => type)).toContain('fill.reversed');
    const again = fillOf('t1') ?? expect.unreachable();
    await expect(store.write((tx) => takeBackSettled(tx, again, LATER))).rejects.toThrow(/settled/);
  });

  it('L3: that it failed takes it back; confirmed after all it is booked anew, and called a contradiction', async () => {
    const { store, tell, fillOf, cash, position, facts } = await booksOf();
    await tell('matched');
    expect([await tell('failed'), await tell('failed'), await tell('mined', '0xa')]).toEqual([
      [false, 'reversed', false],
      [true, 'unchanged', false],
      [true, 'unchanged', false],
    ]);
    expect([cash(), store.get(ORDERS, [USER, 'int_1'])?.value.reversedShares]).toEqual([
      { provisional: 0, settled: 100_000_000 },
      2_000_000,
    ]);
    expect(position()).toMatchObject({
      state: 'closed',
      shares: 0,
      costUsdc: 0,
      realizedPnl: 0,
      feesUsdc: 0,
      closedAtMs: LATER,
    });
    expect(facts()).toContainEqual({
      type: 'fill.reversed',
      userId: USER,
      atMs: LATER,
      tradeId: 't1',
      orderId: ORDER_ID,
    });
    expect(standingFills(store, USER, TOKEN)).toEqual([]);
    expect([await tell('confirmed', '0xb'), await tell('confirmed', '0xb')]).toEqual([
      [false, 'settled', true],
      [true, 'unchanged', false],
    ]);
    expect(fillOf('t1:again')).toMatchObject({ settlement: 'settled', shares: 2_000_000 });
    expect(standingFills(store, USER, TOKEN).map(({ tradeId }) => tradeId)).toEqual(['t1:again']);
    expect([cash().settled, position()?.shares]).toEqual([98_999_993, 2_000_000]);
  });

  it('that is final at once books match and end together', async () => {
    const { book, cash } = await booksOf();
    const { result, order } = await book(aTrade({ word: 'confirmed', transactionHash: '0xa' }));
    expect([result, order?.settledShares, cash()]).toEqual([
      'settled',
      2_000_000,
      { provisional: 0, settled: 98_999_993 },
    ]);
    const failed = await booksOf();
    const reversed = await failed.book(aTrade({ word: 'failed' }));
    expect([reversed.result, reversed.order?.reversedShares, failed.cash().provisional]).toEqual([
      'reversed',
      2_000_000,
      0,
    ]);
  });

  it('may be its failure for want of any other', async () => {
    const { book, fillOf } = await booksOf();
    await book(aTrade({ transactionHash: '0xa' }));
    const record = fillOf('t1') ?? expect.unreachable();
    expect(failureOf(record)).toEqual({
      ...aTrade({ transactionHash: '0xa' }),
      legs: [],
      word: 'failed',
    });
    expect((await book(failureOf(record))).result).toBe('reversed');
  });
});

describe('what a booking needs', () => {
  it.each<[string, (tx: StoreWriter) => void, VenueFill[]]>([
    ['the order of its name', (tx) => tx.remove(ORDERS, [USER, 'int_1']), [aTrade()]],
    [
      'the market of its order',
      (tx) => tx.remove(TRADED_MARKETS, [aMarket(1).marketId]),
      [aTrade()],
    ],
  ])('is %s: without it stops', async (_, spoil, fills) => {
    const { put, book } = await booksOf();
    await put(spoil);
    for (const fill of fills) await expect(book(fill)).rejects.toThrow('invariant broken');
  });

  it('for its end is its order, and for its failure its position', async () => {
    const { put, book } = await booksOf();
    await book(aTrade());
    await put((tx) => tx.remove(POSITIONS, [USER, TOKEN]));
    await expect(book(aTrade({ word: 'failed' }))).rejects.toThrow('invariant broken');
    await put((tx) => tx.remove(ORDERS, [USER, 'int_1']));
    await expect(book(aTrade({ word: 'confirmed' }))).rejects.toThrow('invariant broken');
  });

  it('of fills that stand are those of its token and user that have a record', async () => {
    const { store, put, book } = await booksOf();
    await book(aTrade());
    const fill = store.get(FILLS, [USER, ORDER_ID, 't1'])?.value ?? expect.unreachable();
    const [other, place] = [aUserId(2), { orderId: ORDER_ID, tradeId: fill.tradeId }];
    await put((tx) => {
      tx.put(TOKEN_FILLS, [USER, aTokenId(1, 1), 1], place);
      tx.put(TOKEN_FILLS, [other, TOKEN, 1], place);
      tx.put(TOKEN_FILLS, [USER, TOKEN, 999], { ...place, tradeId: trade('gone') });
    });
    expect(standingFills(store, USER, TOKEN)).toEqual([fill]);
  });

  it('counts how trades end at the venue', async () => {
    const { store, book } = await booksOf();
    await book(aTrade({ word: 'confirmed' }));
    await book(aTrade({ tradeId: trade('t2'), word: 'failed' }));
    await book(aTrade({ tradeId: trade('t3'), word: 'confirmed' }));
    const [counted] = store.get(BREAKERS, ['operator', VENUE_A])?.value.counts ?? [];
    expect(counted).toMatchObject({ settled: 2, failed: 1 });
  });
});

describe('a trade that is taken back', () => {
  const second = aTrade({
    tradeId: trade('t2'),
    legs: [{ shares: shareMicros(1_000_000), price: priceTicks(4_000) }],
  });

  it.each(['open', 'closing', 'resolved'] as const)(
    'leaves a position that is %s as that, made of the fills that stand',
    async (state) => {
      const { store, put, book, position } = await booksOf();
      await book(aTrade());
      await book(second);
      const marked = { ...(position() ?? expect.unreachable()), state };
      await put((tx) => tx.put(POSITIONS, [USER, TOKEN], marked));
      await book(aTrade({ word: 'failed' }));
      expect(position()).toEqual({
        ...marked,
        shares: 1_000_000,
        costUsdc: 400_007,
        feesUsdc: 7,
        realizedPnl: 0,
      });
      expect(standingFills(store, USER, TOKEN)).toHaveLength(1);
    },
  );

  it('opens a position again that its sale had closed, and leaves one closed that others close', async () => {
    const legs = [{ shares: shareMicros(2_000_000), price: priceTicks(6_000) }];
    const { book, position } = await booksOf();
    await book(aTrade());
    await book(aSale({ legs }));
    expect(position()?.state).toBe('closed');
    await book(aSale({ word: 'failed' }));
    expect(position()).toMatchObject({ state: 'open', shares: 2_000_000, closedAtMs: null });
    const other = await booksOf();
    for (const fill of [aTrade(), aSale({ legs }), second]) await other.book(fill);
    const closing = { ...(other.position() ?? expect.unreachable()), state: 'closing' } as const;
    await other.put((tx) => tx.put(POSITIONS, [USER, TOKEN], closing));
    await other.book({ ...second, word: 'failed' });
    expect(other.position()).toMatchObject({ state: 'closed', shares: 0 });
  });

  it('after its market was paid leaves what was paid alone', async () => {
    const { put, book, position } = await booksOf();
    await book(aTrade({ word: 'confirmed' }));
    const held = position() ?? expect.unreachable();
    await put((tx) => postPayout(tx, held, { shares: 2_000_000, usdc: 2_000_000, nowMs: LATER }));
    await book(second);
    expect(position()).toMatchObject({ shares: 1_000_000, realizedPnl: 999_993 });
    await book({ ...second, word: 'failed' });
    expect(position()).toMatchObject({ shares: 0, costUsdc: 0, realizedPnl: 999_993 });
  });

  it('after the payout of its market was taken back takes nothing but itself out', async () => {
    const { put, book, position } = await booksOf();
    await book(aTrade({ word: 'confirmed' }));
    await book(second);
    await book({ ...second, word: 'confirmed' });
    const held = position() ?? expect.unreachable();
    await put((tx) => {
      const payout = postPayout(tx, held, { shares: 3_000_000, usdc: 3_000_000, nowMs: LATER });
      takeBackPayout(tx, USER, { payout, transactionHash: null, nowMs: LATER });
    });
    expect(position()).toEqual({ ...held, state: 'resolved' });
    await put((tx) => {
      const fill = standingFills(tx, USER, TOKEN).at(-1) ?? expect.unreachable();
      takeBackSettled(tx, fill, LATER);
    });
    expect(position()).toMatchObject({
      state: 'resolved',
      shares: 2_000_000,
      costUsdc: 1_000_007,
      realizedPnl: 0,
    });
  });

  it('of a position moved by hand takes its own shares and money out, and leaves the rest', async () => {
    const { put, book, position } = await booksOf();
    await book(aTrade({ fee: { unit: 'shares', micros: 500_000 } }));
    await book(second);
    const moved = { ...(position() ?? expect.unreachable()), isMoved: true } as const;
    await put((tx) => tx.put(POSITIONS, [USER, TOKEN], moved));
    await book(aTrade({ word: 'failed' }), LATER + 1);
    expect(position()).toMatchObject({ shares: 1_000_000, feesUsdc: 7, isMoved: true });
    const { costUsdc, realizedPnl } = position() ?? expect.unreachable();
    expect(realizedPnl - costUsdc).toBe(-400_007);
  });

  it('whose fee was kept in shares counts with what that was worth, and no more once taken back', async () => {
    const { book, position, put } = await booksOf();
    await book(aTrade({ fee: { unit: 'shares', micros: 200_000 } }));
    const fees = () => position()?.feesUsdc;
    const first = fees() ?? expect.unreachable();
    expect(first).toBeGreaterThan(0);
    const moved = { ...(position() ?? expect.unreachable()), isMoved: true } as const;
    await put((tx) => tx.put(POSITIONS, [USER, TOKEN], moved));
    await book(aTrade({ tradeId: trade('t2'), fee: { unit: 'shares', micros: 200_000 } }));
    expect(fees()).toBe(2 * first);
    await book(aTrade({ word: 'failed' }));
    expect(fees()).toBe(first);
  });

  it('of a sale from a position moved by hand gives its shares back', async () => {
    const { put, book, position } = await booksOf();
    await book(aTrade());
    await book(aSale({ legs: [{ shares: shareMicros(2_000_000), price: priceTicks(6_000) }] }));
    const moved = { ...(position() ?? expect.unreachable()), isMoved: true } as const;
    await put((tx) => tx.put(POSITIONS, [USER, TOKEN], moved));
    await book(aSale({ word: 'failed' }), LATER + 1);
    const { shares, costUsdc, realizedPnl, feesUsdc } = position() ?? expect.unreachable();
    expect([shares, realizedPnl - costUsdc, feesUsdc]).toEqual([2_000_000, -1_000_007, 7]);
  });
});
