import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type MarketId, type TokenId, type UserId } from '../../../src/domain/ids.ts';
import type { OrderIntent, OrderRecord } from '../../../src/domain/order.ts';
import type { PositionRecord } from '../../../src/domain/position.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { Range, StoreReader, Table } from '../../../src/ports/store.ts';
import type { Page } from '../../../src/ports/catalogue.ts';
import { createTradeHistory } from '../../../src/services/history/trade-history.ts';
import { putOrder, putPosition } from '../../../src/services/books/record-changes.ts';
import {
  aLimitBuy,
  aMarketBuy,
  aMarketId,
  aMarketSell,
  aTokenId,
  aUserId,
  T0,
} from '../../support/builders.ts';
import { aFundedLife, during } from '../../support/worlds/trading-world.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

const FIRST = { limit: 50, cursor: null } as const;

/**
 * A user who has bought in two markets, sold in the first, and has one bid open and one cancelled
 * in each.
 */
async function aTrader() {
  const { world, life, store } = await aFundedLife();
  const { user, markets } = world;
  const [one, other] = [markets[0]?.marketId ?? aMarketId(1), markets[1]?.marketId ?? aMarketId(2)];
  const placed: OrderRecord[] = [];
  const place = async (request: Parameters<typeof life.orders.place>[1]) => {
    placed.push(await during(world, life.orders.place(user, request)));
    await world.clock.advance(10_000);
    return placed.at(-1)?.intent.intentId ?? asId('int_none');
  };
  await place(aMarketBuy({ marketId: one }));
  await place(aMarketBuy({ marketId: other }));
  await place(aMarketSell(5, { marketId: one }));
  for (const marketId of [one, other]) {
    await place(aLimitBuy({ marketId }));
    await during(world, life.orders.cancel(user, await place(aLimitBuy({ marketId }))));
  }
  await world.clock.advance(10_000);
  return {
    world,
    life,
    store,
    user,
    one,
    other,
    ids: placed.map(({ intent }) => intent.intentId),
    history: createTradeHistory(store),
  };
}

const idsOf = ({ data }: Page<OrderRecord>) => data.map(({ intent }) => intent.intentId);

/** Walks all pages of a list, two entries at a time. */
function walked<T>(
  list: (page: { readonly limit: number; readonly cursor: string | null }) => Page<T>,
): readonly T[] {
  const all: T[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Page<T> = list({ limit: 2, cursor });
    all.push(...page.data);
    if (page.nextCursor === null) return all;
    cursor = page.nextCursor;
  }
}

describe('orders of a user', () => {
  it('are listed newest first: open ones, those that have ended, or all, of one market or of all', async () => {
    const { history, user, ids, one } = await aTrader();
    const [bought, boughtToo, sold, rests, cancelled, restsToo, cancelledToo] = ids;
    const of = (state: 'open' | 'ended' | 'all', marketId?: MarketId) =>
      idsOf(
        history.orders(user, { ...FIRST, state, ...(marketId === undefined ? {} : { marketId }) }),
      );
    expect(of('open')).toEqual([restsToo, rests]);
    expect(of('ended')).toEqual([cancelledToo, cancelled, sold, boughtToo, bought]);
    expect(of('all')).toEqual([...ids].reverse());
    expect(of('all', one)).toEqual([cancelled, rests, sold, bought]);
    expect(of('ended', one)).toEqual([cancelled, sold, bought]);
    expect(of('open', one)).toEqual([rests]);
    expect(idsOf(history.orders(aUserId(2), { ...FIRST, state: 'all' }))).toEqual([]);
  });

  it('come page by page, each once', async () => {
    const { history, user, ids, one } = await aTrader();
    for (const state of ['open', 'ended', 'all'] as const) {
      const whole = history.orders(user, { ...FIRST, state });
      expect(walked((page) => history.orders(user, { ...page, state }))).toEqual(whole.data);
    }
    expect(
      walked((page) => history.orders(user, { ...page, state: 'all', marketId: one })).length,
    ).toBe(4);
    expect(ids.length).toBe(7);
  });
});

describe('fills of a user', () => {
  it('are listed newest first with their order, of one market or of all, page by page', async () => {
    const { history, user, ids, one, other } = await aTrader();
    const all = history.fills(user, FIRST).data;
    expect(
      all.map(({ fill, order }) => [
        fill.intentId,
        order?.intent.intentId,
        fill.side,
        fill.marketId,
        fill.settlement,
      ]),
    ).toEqual([
      [ids[2], ids[2], 'sell', one, 'settled'],
      [ids[1], ids[1], 'buy', other, 'settled'],
      [ids[0], ids[0], 'buy', one, 'settled'],
    ]);
    expect(walked((page) => history.fills(user, page))).toEqual(all);
    expect(walked((page) => history.fills(user, { ...page, marketId: one }))).toEqual(
      all.filter(({ fill }) => fill.marketId === one),
    );
    expect(history.fills(user, { ...FIRST, marketId: aMarketId(9) })).toEqual({
      data: [],
      nextCursor: null,
    });
  });
});

describe('positions of a user', () => {
  it('are listed newest first: what is open, what is closed, or all, page by page', async () => {
    const { history, user, life, world, one, other } = await aTrader();
    const marketsOf = (type: 'open' | 'closed' | 'all') =>
      history.holdings(user, { ...FIRST, type }).data.map(({ position }) => position.marketId);
    expect([marketsOf('open'), marketsOf('closed'), marketsOf('all')]).toEqual([
      [other, one],
      [],
      [other, one],
    ]);
    await during(world, life.orders.place(user, aMarketSell(20, { marketId: other })));
    await world.clock.advance(10_000);
    expect([marketsOf('open'), marketsOf('closed'), marketsOf('all')]).toEqual([
      [one],
      [other],
      [other, one],
    ]);
    expect(
      walked((page) => history.holdings(user, { ...page, limit: 1, type: 'all' })).length,
    ).toBe(2);
  });

  it('of one market are listed alone, newest first, page by page', async () => {
    const { history, user, life, world, one, other } = await aTrader();
    await during(world, life.orders.place(user, aMarketSell(20, { marketId: other })));
    await world.clock.advance(10_000);
    await during(world, life.orders.place(user, aMarketBuy({ marketId: other, outcome: 1 })));
    await world.clock.advance(10_000);
    const sidesOf = (type: 'open' | 'closed' | 'all', marketId = other) =>
      history
        .holdings(user, { ...FIRST, type, marketId })
        .data.map(({ position }) => position.outcomeLabel);
    expect([sidesOf('open'), sidesOf('closed'), sidesOf('all')]).toEqual([
      ['Down'],
      ['Up'],
      ['Down', 'Up'],
    ]);
    expect([sidesOf('all', one), sidesOf('all', aMarketId(99))]).toEqual([['Up'], []]);
    expect(
      walked((page) =>
        history.holdings(user, { ...page, limit: 1, type: 'all', marketId: other }),
      ).map(({ position }) => position.outcomeLabel),
    ).toEqual(['Down', 'Up']);
  });

  it('that were won and are not yet redeemed are open, and distinguished from others by that', async () => {
    const { world, life, store } = await aFundedLife(undefined, { redeem: async () => {} });
    const history = createTradeHistory(store);
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(10_000);
    await life.portfolio.recordResolution({
      marketId: world.market.marketId,
      payoutTicks: [10_000, 0],
      resolvedAtMs: world.clock.nowMs(),
    });
    const listed = (type: 'open' | 'closed' | 'all', redeemable?: boolean) =>
      history
        .holdings(world.user, {
          ...FIRST,
          type,
          ...(redeemable === undefined ? {} : { redeemable }),
        })
        .data.map((holding) => holding.redeemable);
    expect([
      listed('open'),
      listed('open', true),
      listed('all', true),
      listed('closed', true),
      listed('open', false),
    ]).toEqual([[true], [true], [true], [], []]);
  });

  it('whose market has ended are listed apart from those that were sold before it had', async () => {
    const { history, user, life, world, one, other } = await aTrader();
    await during(world, life.orders.place(user, aMarketSell(20, { marketId: other })));
    await world.clock.advance(10_000);
    const settled = () =>
      history
        .holdings(user, { ...FIRST, type: 'all', resolved: true })
        .data.map(({ position }) => position.marketId);
    expect(settled()).toEqual([]);
    for (const marketId of [one, other])
      await life.portfolio.recordResolution({
        marketId,
        payoutTicks: [0, 10_000],
        resolvedAtMs: world.clock.nowMs(),
      });
    expect(settled()).toEqual([one]);
  });
});

describe('cursors', () => {
  it.each([
    '!!',
    'zzzz',
    'WyJmaWxscyIsMV0',
    'WyJvcmRlcnMiXQ',
    'WyJvcmRlcnMiLDFd',
    'WyJvcmRlcnMiLCAiaW50XzEiXQ',
  ])('of another list, or of none, are refused: %s', (cursor) => {
    const history = createTradeHistory(createMemoryStore());
    expect(() => history.orders(aUserId(1), { limit: 1, cursor, state: 'all' })).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        fields: [{ path: '/cursor', message: expect.any(String) }],
      }),
    );
  });
});

describe('a user with a long past', () => {
  const ORDERS = 3_000;

  /** Counts the records that reads give. */
  function counting(store: StoreReader): { readonly reader: StoreReader; taken(): number } {
    let records = 0;
    return {
      reader: {
        get: (table, key) => ((records += 1), store.get(table, key)),
        range: <T>(table: Table<T>, range?: Range) => {
          const found = store.range(table, range);
          records += found.length;
          return found;
        },
      },
      taken() {
        const before = records;
        records = 0;
        return before;
      },
    };
  }

  function anEndedOrder(user: UserId, number: number): OrderRecord {
    const intent: OrderIntent = {
      intentId: asId(`int_${String(number).padStart(12, '0')}`),
      userId: user,
      venue: VENUE_A,
      cashAccount: 'usdc:safe',
      origin: { kind: 'manual' },
      marketId: aMarketId(number % 7),
      tokenId: aTokenId(number % 7, 0),
      outcome: 0,
      side: 'buy',
      life: 'all_now',
      price: priceTicks(5_000),
      spendMicros: 5_000_000,
      receiveMicros: 10_000_000,
      exact: 'spend',
      createdAtMs: T0 + number,
      expiresAtMs: null,
      sendUntilMs: T0 + number + 5_000,
    };
    return {
      intent,
      attempts: [],
      state: 'cancelled',
      reason: null,
      filledShares: shareMicros(0),
      filledUsdc: usdcMicros(0),
      feesUsdc: usdcMicros(0),
      matchedShares: null,
      ending: null,
      reserved: { usdc: usdcMicros(0), shares: shareMicros(0) },
      cancelWanted: false,
      updatedAtMs: T0 + number,
    };
  }

  function aClosedPosition(user: UserId, number: number): PositionRecord {
    return {
      userId: user,
      cashAccount: 'usdc:safe',
      marketId: aMarketId(number),
      tokenId: asId<TokenId>(String(1_000_000 + number)),
      outcome: 0,
      question: 'Up?',
      outcomeLabel: 'Up',
      agentId: null,
      state: 'closed',
      shares: shareMicros(0),
      costUsdc: usdcMicros(0),
      realizedPnl: usdcMicros(0),
      feesUsdc: usdcMicros(0),
      openedAtMs: T0 + number,
      endsAtMs: T0 + 1_000_000,
      closedAtMs: T0 + number,
    };
  }

  it('costs no more than the page that is read', async () => {
    const store = createMemoryStore();
    const user = aUserId(1);
    await store.write((tx) => {
      for (let number = 0; number < ORDERS; number += 1) {
        putOrder(tx, null, anEndedOrder(user, number));
        putPosition(tx, null, aClosedPosition(user, number), T0);
      }
    });
    const { reader, taken } = counting(store);
    const history = createTradeHistory(reader);
    const reads: readonly (() => Page<unknown>)[] = [
      () => history.orders(user, { ...FIRST, state: 'open' }),
      () => history.orders(user, { ...FIRST, state: 'ended' }),
      () => history.orders(user, { ...FIRST, state: 'all', marketId: aMarketId(3) }),
      () => history.holdings(user, { ...FIRST, type: 'open' }),
      () => history.holdings(user, { ...FIRST, type: 'all' }),
      () => history.holdings(user, { ...FIRST, type: 'all', redeemable: true }),
    ];
    const counts = reads.map((read) => [read().data.length, taken() < 500]);
    expect(counts).toEqual([
      [0, true],
      [50, true],
      [50, true],
      [0, true],
      [50, true],
      [0, true],
    ]);
  });
});
