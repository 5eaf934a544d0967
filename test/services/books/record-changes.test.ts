import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryStore, type MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { FillRecord } from '../../../src/domain/fill.ts';
import { asId, type OrderId, type TradeId } from '../../../src/domain/ids.ts';
import { depositEntry } from '../../../src/domain/ledger-entries.ts';
import type { OrderOrigin, OrderRecord } from '../../../src/domain/order.ts';
import { foldFill } from '../../../src/domain/position-fold.ts';
import type { PositionRecord } from '../../../src/domain/position.ts';
import { NO_RISK } from '../../../src/domain/risk.ts';
import { shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { StoreWriter } from '../../../src/ports/store.ts';
import {
  agentRiskOf,
  balanceOf,
  postToLedger,
  putFill,
  putOrder,
  putPosition,
  riskOf,
  assignHoldingsToAgent,
} from '../../../src/services/books/record-changes.ts';
import {
  AGENT_MARKETS,
  AGENT_RISK,
  FILLS,
  FUNDS_DISPUTES,
  MARKET_ORDERS,
  OPEN_FILLS,
  OPEN_ORDERS,
  OPEN_POSITIONS,
  ORDER_IDS,
  ORDERS,
  POSITION_TIMES,
  POSITIONS,
} from '../../../src/services/books/tables.ts';
import { anAttempt } from '../../support/attempts.ts';
import { aMarket, aMarketId, aTokenId, aUserId, T0 } from '../../support/builders.ts';
import { aFill } from '../../support/worlds/money-records.ts';
import { aSignedOrder, ORDER_ID } from '../../support/worlds/folded-orders.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

const USER = aUserId(1);
const MARKET = aMarketId(1);
const TOKEN = aTokenId(1, 0);
const AGENT = 'btc_5min';
const BY_AGENT: OrderOrigin = {
  kind: 'agent',
  agentId: AGENT,
  decisionId: asId('dec_1'),
  purpose: 'entry',
};
const NOTHING = { usdc: usdcMicros(0), shares: shareMicros(0) };
const ENDED = { state: 'cancelled', reserved: NOTHING } as const;

let store: MemoryStore;
beforeEach(() => {
  store = createMemoryStore();
});

const write = <T>(change: (tx: StoreWriter) => T) => store.write(change);
const put = (before: OrderRecord | null, after: OrderRecord) =>
  write((tx) => putOrder(tx, before, after));
const facts = () => store.readJournal(0, 100).map(({ event }) => event);
const keysOf = (table: Parameters<MemoryStore['range']>[0]) =>
  store.range(table).map(({ key }) => key);
const theFill = (part: Partial<FillRecord> = {}): FillRecord =>
  aFill({ userId: USER, marketId: MARKET, tokenId: TOKEN, orderId: ORDER_ID, ...part });
const aPosition = (part: Partial<PositionRecord> = {}): PositionRecord => ({
  ...foldFill(null, theFill(), { market: aMarket(1), agentId: null }),
  ...part,
});
const putHeld = (before: PositionRecord | null, after: PositionRecord, atMs = T0) =>
  write((tx) => putPosition(tx, before, after, atMs));
const enter = (agentId: 'btc_5min' | 'eth_15min' = AGENT, marketId = MARKET) =>
  write((tx) =>
    tx.put(AGENT_MARKETS, [USER, agentId, marketId], { intentId: asId('int_1'), atMs: T0 }),
  );

describe('an order that is written', () => {
  it('for the first time is listed by market, by name and among the open ones, with its risk and no fact', async () => {
    const order = aSignedOrder();
    await put(null, order);
    const ref = { userId: USER, intentId: 'int_1' };
    expect([
      store.get(ORDERS, [USER, 'int_1'])?.value,
      store.range(MARKET_ORDERS).map(({ key, value }) => [key, value]),
      store.range(ORDER_IDS).map(({ key, value }) => [key, value]),
      store.get(OPEN_ORDERS, [USER, 'int_1'])?.value,
      riskOf(store, USER).cash,
      store.range(AGENT_RISK),
      facts(),
    ]).toEqual([
      order,
      [[[USER, MARKET, 'int_1'], true]],
      [[[ORDER_ID], ref]],
      { sinceMs: T0, venue: VENUE_A, marketId: MARKET, isFencing: true },
      { 'usdc:safe': { reservedUsdc: 10_701_000, outgoingUsdc: 0 } },
      [],
      [],
    ]);
  });

  it('again is a fact where its state has changed, and keeps its lists', async () => {
    const signed = aSignedOrder();
    const live = aSignedOrder({ state: 'live', reason: 'as reported', updatedAtMs: T0 + 1 });
    await put(null, signed);
    await put(signed, { ...signed, reason: 'other' });
    expect(facts()).toEqual([]);
    await put({ ...signed, reason: 'other' }, live);
    expect([
      facts(),
      store.get(MARKET_ORDERS, [USER, MARKET, 'int_1'])?.version,
      keysOf(ORDER_IDS).length,
    ]).toEqual([
      [
        {
          type: 'order.changed',
          userId: USER,
          atMs: T0 + 1,
          intentId: 'int_1',
          from: 'signed',
          to: 'live',
          reason: 'as reported',
        },
      ],
      1,
      1,
    ]);
  });

  it('L2: is open with its fence unchanged, until it has ended', async () => {
    const [signed, submitting, live] = (['signed', 'submitting', 'live'] as const).map((state) =>
      aSignedOrder({ state }),
    ) as [OrderRecord, OrderRecord, OrderRecord]; // three states, three orders
    const open = () => {
      const found = store.get(OPEN_ORDERS, [USER, 'int_1']);
      return found === null ? null : [found.value.isFencing, found.version];
    };
    await put(null, signed);
    await put(signed, submitting);
    expect(open()).toEqual([true, 1]);
    await put(submitting, live);
    expect(open()).toEqual([false, 2]);
    await put(live, aSignedOrder(ENDED));
    expect(open()).toBeNull();
  });

  it("is found by each of its attempts, and by the venue's id once that is learned", async () => {
    const before = aSignedOrder({ attempts: [anAttempt('ours', { orderId: null })] });
    await put(null, before);
    expect(keysOf(ORDER_IDS)).toEqual([['ours']]);
    const theirs = asId<OrderId>('theirs');
    const named = aSignedOrder({ attempts: [anAttempt('ours', { orderId: theirs })] });
    await put(before, named);
    await put(named, { ...named, attempts: [...named.attempts, anAttempt('next')] });
    const ref = { userId: USER, intentId: 'int_1' };
    expect(store.range(ORDER_IDS).map(({ key, value }) => [key, value])).toEqual([
      [['next'], ref],
      [['ours'], ref],
      [['theirs'], ref],
    ]);
  });

  it('never takes the name of another', async () => {
    await put(null, aSignedOrder());
    const other = aSignedOrder({}, { intentId: asId('int_2') });
    await expect(put(null, other)).rejects.toMatchObject({ code: 'conflict' });
    const theirs = aSignedOrder(
      { attempts: [anAttempt('ours', { orderId: ORDER_ID })] },
      { intentId: asId('int_2') },
    );
    await expect(put(null, theirs)).rejects.toMatchObject({ code: 'conflict' });
  });

  it("L5: by an agent counts as the agent's as well", async () => {
    const order = aSignedOrder({}, { origin: BY_AGENT });
    await put(null, order);
    expect(agentRiskOf(store, USER, AGENT)).toEqual(riskOf(store, USER));
    await put(order, { ...order, ...ENDED });
    expect([agentRiskOf(store, USER, AGENT), riskOf(store, USER)]).toEqual([NO_RISK, NO_RISK]);
  });

  it.each([
    ['that the venue takes in', 'signed', { state: 'live' }, 0],
    ['that stays undecided', 'signed', { state: 'submitting' }, 1],
    ['that was taken in before', 'live', { state: 'matched' }, 1],
    ['that is refused', 'signed', ENDED, 1],
  ] as const)('%s leaves so many disputes over its funds', async (_, state, change, left) => {
    const [before, after] = [aSignedOrder({ state }), aSignedOrder(change)];
    await put(null, before);
    await write((tx) =>
      tx.put(FUNDS_DISPUTES, [USER, 'usdc:safe'], {
        asset: 'usdc:safe',
        sinceMs: 0,
        refusals: 1,
        reason: '',
        retryAtMs: 0,
      } as never),
    );
    await put(before, after);
    expect(keysOf(FUNDS_DISPUTES)).toHaveLength(left);
  });

  it('that waits again with the service proves nothing of its funds', async () => {
    const before = aSignedOrder({}, { restsAt: 'service' });
    const ended = anAttempt(ORDER_ID, { ended: { how: 'never', proof: 'absent', atMs: T0 } });
    await put(null, before);
    await write((tx) => tx.put(FUNDS_DISPUTES, [USER, 'usdc:safe'], {} as never));
    await put(before, { ...before, state: 'live', attempts: [ended] });
    expect(keysOf(FUNDS_DISPUTES)).toHaveLength(1);
  });

  it('to sell marks its position as closing while shares are set aside', async () => {
    const sale = aSignedOrder(
      { state: 'live', reserved: { ...NOTHING, shares: shareMicros(5) } },
      { side: 'sell' },
    );
    const state = () => store.get(POSITIONS, [USER, TOKEN])?.value.state;
    await put(null, sale);
    expect(state()).toBeUndefined();
    await putHeld(null, aPosition());
    const more = aSignedOrder(
      { state: 'live', attempts: [anAttempt('0x02')], reserved: sale.reserved },
      { side: 'sell', intentId: asId('int_2') },
    );
    await put(null, more);
    expect(state()).toBe('closing');
    await put(sale, { ...sale, ...ENDED });
    expect(state()).toBe('closing');
    await put(more, { ...more, ...ENDED, updatedAtMs: T0 + 9 });
    expect(state()).toBe('open');
    expect(facts().at(-1)).toMatchObject({ type: 'position.changed', atMs: T0 + 9 });
    await write((tx) => tx.put(POSITIONS, [USER, TOKEN], aPosition({ state: 'resolved' })));
    const last = aSignedOrder(
      { state: 'live', attempts: [anAttempt('0x03')], reserved: sale.reserved },
      { side: 'sell', intentId: asId('int_3') },
    );
    await put(null, last);
    await put(last, { ...last, ...ENDED });
    expect(state()).toBe('resolved');
  });

  it('to sell may find a position that ties nothing up', async () => {
    const none = aPosition({ state: 'closed', shares: shareMicros(0) });
    await write((tx) => tx.put(POSITIONS, [USER, TOKEN], none));
    const over = aSignedOrder({ ...ENDED }, { side: 'sell' });
    await put(null, over);
    expect(store.get(POSITIONS, [USER, TOKEN])?.value).toEqual(none);
  });

  it('to buy leaves its position as it is', async () => {
    await putHeld(null, aPosition({ state: 'closing' }));
    await put(null, aSignedOrder());
    expect(store.get(POSITIONS, [USER, TOKEN])?.value.state).toBe('closing');
  });
});

describe('a fill that is written', () => {
  const putOne = (before: FillRecord | null, after: FillRecord) =>
    write((tx) => putFill(tx, before, after));

  it('is open until it is final, and at risk for those who answer for its market', async () => {
    await put(null, aSignedOrder());
    await enter();
    await enter('eth_15min', aMarketId(2));
    const before = riskOf(store, USER);
    await putOne(null, theFill());
    expect([
      store.get(FILLS, [USER, ORDER_ID, 't1'])?.value,
      store.get(OPEN_FILLS, [USER, ORDER_ID, 't1'])?.value,
      agentRiskOf(store, USER, AGENT).cash,
      store.get(AGENT_RISK, [USER, 'eth_15min']),
      riskOf(store, USER).cash['usdc:safe']?.outgoingUsdc,
    ]).toEqual([
      theFill(),
      { sinceMs: 1_000, venue: VENUE_A },
      { 'usdc:safe': { reservedUsdc: 0, outgoingUsdc: 5_175_000 } },
      null,
      5_175_000,
    ]);
    await putOne(theFill(), theFill({ word: 'mined' }));
    expect(store.get(OPEN_FILLS, [USER, ORDER_ID, 't1'])?.version).toBe(1);
    await putOne(theFill(), theFill({ settlement: 'settled' }));
    expect([keysOf(OPEN_FILLS), agentRiskOf(store, USER, AGENT), riskOf(store, USER)]).toEqual([
      [],
      NO_RISK,
      before,
    ]);
  });

  it('belongs to an order that has a record', async () => {
    await expect(putOne(null, theFill())).rejects.toThrow('invariant broken');
  });
});

describe('a position that is written', () => {
  it('is listed by when it was opened, among the open or the closed, and reported', async () => {
    const position = aPosition({ openedAtMs: 7 });
    await putHeld(null, position, T0 + 1);
    expect([
      store.range(POSITION_TIMES).map(({ key, value }) => [key, value]),
      keysOf(OPEN_POSITIONS),
      facts(),
    ]).toEqual([
      [[[USER, 'open', 7, TOKEN], true]],
      [[MARKET, USER, TOKEN]],
      [{ type: 'position.changed', userId: USER, atMs: T0 + 1, position }],
    ]);
    expect(store.get(OPEN_POSITIONS, [MARKET, USER, TOKEN])?.value).toEqual({ sinceMs: 7 });
    await putHeld(position, { ...position, state: 'closing' });
    expect(store.get(POSITION_TIMES, [USER, 'open', 7, TOKEN])?.version).toBe(1);
    const closed = { ...position, shares: shareMicros(0), costUsdc: usdcMicros(0) };
    await putHeld(position, closed);
    expect([
      keysOf(POSITION_TIMES),
      store.get(OPEN_POSITIONS, [MARKET, USER, TOKEN])?.version,
    ]).toEqual([[[USER, 'closed', 7, TOKEN]], 2]);
    await putHeld(closed, { ...position, openedAtMs: 9 });
    expect(keysOf(POSITION_TIMES)).toEqual([[USER, 'open', 9, TOKEN]]);
  });

  it('without shares is among the closed from the start, and owed nothing', async () => {
    await putHeld(null, aPosition({ shares: shareMicros(0), openedAtMs: 7 }));
    expect([keysOf(POSITION_TIMES), keysOf(OPEN_POSITIONS)]).toEqual([
      [[USER, 'closed', 7, TOKEN]],
      [],
    ]);
  });

  it('is at risk for its user and the agents that have entered its market', async () => {
    await enter();
    await putHeld(null, aPosition());
    expect([
      riskOf(store, USER).tokens[TOKEN]?.costUsdc,
      agentRiskOf(store, USER, AGENT).tokens[TOKEN]?.costUsdc,
      store.get(AGENT_RISK, [USER, 'eth_15min']),
    ]).toEqual([5_175_000, 5_175_000, null]);
  });

  it('takes a loss back on the day it was booked on', async () => {
    const lost = aPosition({ realizedPnl: usdcMicros(-5) });
    const day = 86_400_000;
    await putHeld(null, lost, day);
    await write((tx) =>
      putPosition(tx, lost, aPosition(), { atMs: 2 * day, takesBackFromMs: day }),
    );
    expect([riskOf(store, USER).realisedUsdc, facts().at(-1)]).toMatchObject([
      0,
      { atMs: 2 * day },
    ]);
  });
});

describe('an agent that enters a market', () => {
  const takeUp = () =>
    write((tx) => assignHoldingsToAgent(tx, { userId: USER, agentId: AGENT, marketId: MARKET }));

  it('answers for what its user holds there, and has sold without proof', async () => {
    await put(null, aSignedOrder({}, { side: 'sell', life: 'rests' }));
    await putHeld(null, aPosition());
    const sold = theFill({ side: 'sell', tradeId: asId<TradeId>('t2') });
    await write((tx) => {
      putFill(tx, null, sold);
      putFill(tx, null, theFill({ tradeId: asId('t3'), marketId: aMarketId(2) }));
    });
    await takeUp();
    const { tokens, cash } = agentRiskOf(store, USER, AGENT);
    expect([tokens, cash]).toEqual([
      {
        [TOKEN]: {
          openBuys: 0,
          reservedShares: 0,
          outgoingShares: 10_000_000,
          heldShares: 10_000_000,
          costUsdc: 5_175_000,
        },
      },
      {},
    ]);
  });

  it('answers for nothing of other users, or that has no record', async () => {
    const other = aUserId(2);
    await write((tx) => {
      tx.put(OPEN_POSITIONS, [MARKET, USER, TOKEN], { sinceMs: T0 });
      tx.put(OPEN_FILLS, [USER, ORDER_ID, 'gone'], { sinceMs: T0, venue: VENUE_A });
      tx.put(OPEN_FILLS, [other, ORDER_ID, 't1'], { sinceMs: T0, venue: VENUE_A });
      tx.put(FILLS, [other, ORDER_ID, 't1'], theFill({ userId: other }));
    });
    await takeUp();
    expect(store.range(AGENT_RISK)).toEqual([]);
  });

  it('where its user has nothing answers for nothing', async () => {
    await putHeld(null, { ...aPosition(), marketId: aMarketId(2) });
    await takeUp();
    expect(store.range(AGENT_RISK)).toEqual([]);
  });
});

describe('a ledger entry', () => {
  const entry = depositEntry({
    userId: USER,
    cashAccount: 'usdc:safe',
    transferId: 'd1',
    usdc: usdcMicros(5),
    atMs: T0,
  });

  it('L4: is booked once, with the fact', async () => {
    expect(balanceOf(store, USER, 'usdc:safe')).toEqual({ provisional: 0, settled: 0 });
    expect([
      await write((tx) => postToLedger(tx, USER, entry)),
      await write((tx) => postToLedger(tx, USER, entry)),
      balanceOf(store, USER, 'usdc:safe').settled,
      facts(),
      await write((tx) => postToLedger(tx, USER, { ...entry, entryId: 'deposit:other' })),
      balanceOf(store, USER, 'usdc:safe').settled,
    ]).toEqual([
      true,
      false,
      5,
      [{ type: 'ledger.posted', userId: USER, atMs: T0, entry }],
      true,
      10,
    ]);
  });

  it('may be reported by the transfer it is of', async () => {
    await write((tx) => postToLedger(tx, USER, entry, { isToldByTransfer: true }));
    expect(facts()).toEqual([
      { type: 'ledger.posted', userId: USER, atMs: T0, entry, isToldByTransfer: true },
    ]);
  });
});
