import { describe, expect, it } from 'vitest';
import { RESOLUTION } from '../../../config/limits.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import type { FillRecord } from '../../../src/domain/fill.ts';
import { asId, type MarketId } from '../../../src/domain/ids.ts';
import type { Resolution } from '../../../src/domain/market.ts';
import { createPositionWatch } from '../../../src/services/portfolio/position-watch.ts';
import {
  FILLS,
  OPEN_POSITIONS,
  RESOLUTIONS,
  TRADED_MARKETS,
} from '../../../src/services/books/tables.ts';
import { aMarket, aMarketId, aUserId, T0 } from '../../support/builders.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

describe('more markets than may be watched', () => {
  it('the one that has waited longest is asked about and paid out as soon as another is', async () => {
    const clock = createVirtualClock(T0);
    const store = createMemoryStore();
    const log = createKeptLog();
    const ended = new Set<MarketId>([aMarketId(2), aMarketId(3)]);
    const paid: MarketId[] = [];
    await store.write((tx) =>
      [1, 2, 3].forEach((number) => {
        tx.put(OPEN_POSITIONS, [aMarketId(number), aUserId(1), 'token'], { sinceMs: T0 });
        tx.put(TRADED_MARKETS, [aMarketId(number)], aMarket(number, { endsAtMs: T0 }));
      }),
    );
    // what the end was is the portfolio's to say
    const resolution = async (marketId: MarketId) =>
      ended.has(marketId) ? ({ marketId } as Resolution) : null;
    const watch = createPositionWatch({
      store,
      clock,
      log,
      metrics: createKeptMetrics(),
      bus: createKeptBus(),
      marketsMaximum: 1,
      venues: { of: () => ({ directory: { resolution } }) },
      // of the portfolio only these two are asked
      portfolio: {
        recordResolution: async () => undefined,
        async payOut(marketId: MarketId) {
          paid.push(marketId);
          await store.write((tx) => tx.remove(OPEN_POSITIONS, [marketId, aUserId(1), 'token']));
          return true;
        },
      } as unknown as Parameters<typeof createPositionWatch>[0]['portfolio'],
    });
    for (const number of [1, 2, 3, 2]) watch.watch(aMarketId(number), 'fresh');
    await clock.advance(60_000);
    expect([watch.size, paid]).toEqual([1, []]);
    expect(log.lines).toMatchObject([
      {
        event: 'position.watch_full',
        fields: { marketId: aMarketId(2), watched: 1, waiting: 1 },
      },
      {
        event: 'position.watch_full',
        fields: { marketId: aMarketId(3), watched: 1, waiting: 2 },
      },
    ]);
    ended.add(aMarketId(1));
    watch.hint(aMarketId(1));
    await clock.advance(60_000);
    expect([watch.size, paid]).toEqual([0, [aMarketId(1), aMarketId(2), aMarketId(3)]]);
    watch.stop();
    expect(clock.pending).toBe(0);
  });
});

describe('a market that ended before every fill was final', () => {
  it('L3: is paid once the rest is, and asked about once', async () => {
    const clock = createVirtualClock(T0);
    const store = createMemoryStore();
    const marketId = aMarketId(1);
    const reported: string[] = [];
    const paidAtMs: number[] = [];
    await store.write((tx) => tx.put(TRADED_MARKETS, [marketId], aMarket(1, { endsAtMs: T0 })));
    const watch = createPositionWatch({
      store,
      clock,
      log: createKeptLog(),
      metrics: createKeptMetrics(),
      bus: createKeptBus(),
      venues: {
        of: () => ({
          directory: {
            // what the end was is the portfolio's to say
            async resolution(asked) {
              reported.push('asked');
              return { marketId: asked } as Resolution;
            },
          },
        }),
      },
      // of the portfolio only these two are asked
      portfolio: {
        recordResolution: (resolution: Resolution) =>
          store.write((tx) => tx.put(RESOLUTIONS, [resolution.marketId], resolution)),
        async payOut(paid: MarketId) {
          reported.push(paid === marketId ? 'paying' : `paying ${paid}`);
          paidAtMs.push(clock.nowMs());
          return reported.length === 4;
        },
      } as unknown as Parameters<typeof createPositionWatch>[0]['portfolio'],
    });
    watch.watch(marketId, 'fresh');
    await clock.advance(3_600_000);
    expect([reported, watch.size, clock.pending]).toEqual([
      ['asked', 'paying', 'paying', 'paying'],
      0,
      0,
    ]);
    const waits = paidAtMs.slice(1).map((atMs, index) => atMs - (paidAtMs[index] ?? 0));
    expect(waits).toEqual([4 * RESOLUTION.firstMs, 8 * RESOLUTION.firstMs]);
  });
});

const MARKET = aMarketId(1);
const HELD = [MARKET, aUserId(1), 'token'] as const;

/**
 * A watch over a store and a bus, of which the venue and the portfolio give the set answers;
 * what they were asked is kept with the time since the start.
 */
async function aWatch(
  answers: { isEnded?: () => boolean; isPaid?: () => boolean } = {},
  { endsAtMs = T0 + 3_600_000, marketsMaximum = 10 } = {},
) {
  const clock = createVirtualClock(T0);
  const store = createMemoryStore();
  const [bus, log, metrics] = [createKeptBus(), createKeptLog(), createCountingMetrics()];
  const asked: (readonly [what: 'end' | 'pay', atMs: number])[] = [];
  await store.write((tx) => tx.put(TRADED_MARKETS, [MARKET], aMarket(1, { endsAtMs })));
  const watch = createPositionWatch({
    store,
    clock,
    bus,
    log,
    metrics,
    marketsMaximum,
    venues: {
      of: () => ({
        directory: {
          async resolution(marketId) {
            asked.push(['end', clock.nowMs() - T0]);
            // what the end was is the portfolio's to say
            return answers.isEnded?.() === true
              ? ({ marketId, resolvedAtMs: clock.nowMs() } as Resolution)
              : null;
          },
        },
      }),
    },
    // of the portfolio only these two are asked
    portfolio: {
      recordResolution: (resolution: Resolution) =>
        store.write((tx) => tx.put(RESOLUTIONS, [resolution.marketId], resolution)),
      async payOut() {
        asked.push(['pay', clock.nowMs() - T0]);
        return answers.isPaid?.() ?? true;
      },
    } as unknown as Parameters<typeof createPositionWatch>[0]['portfolio'],
  });
  let seq = 0;
  const tell = (event: unknown) =>
    // a watch looks at no more of a fact than is given here
    bus.publish([{ seq: (seq += 1), event: event as DomainEvent }]);
  const changed = (shares: number, marketId = MARKET) =>
    tell({ type: 'position.changed', position: { marketId, shares } });
  return { clock, store, watch, asked, tell, changed, log, metrics };
}

describe('a watched market', () => {
  it('is one in which a user has come to hold shares', async () => {
    const { watch, changed, tell } = await aWatch();
    changed(0);
    tell({ type: 'order.stopped' });
    expect(watch.size).toBe(0);
    changed(1_000_000);
    changed(2_000_000);
    expect(watch.size).toBe(1);
  });

  it('is asked about soon after its stated end, and at once when its end is hinted at', async () => {
    const { clock, watch, asked } = await aWatch({}, { endsAtMs: T0 + 60_000 });
    watch.watch(MARKET, 'fresh');
    watch.hint(aMarketId(9));
    await clock.advance(60_000 + RESOLUTION.firstMs - 1);
    expect(asked).toEqual([]);
    await clock.advance(1);
    expect(asked).toHaveLength(1);
    watch.hint(MARKET);
    await clock.settle();
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['whose end is known already, to be paid and not asked about', true],
    ['of which nothing is on record, to be looked for', false],
  ])('is one %s, soon after it is watched', async (_, isKnown) => {
    const { clock, store, watch, asked } = await aWatch();
    const marketId = isKnown ? MARKET : aMarketId(7);
    // what the end was is the portfolio's to say
    if (isKnown)
      await store.write((tx) => tx.put(RESOLUTIONS, [marketId], { marketId } as Resolution));
    watch.watch(marketId, 'fresh');
    await clock.advance(RESOLUTION.firstMs);
    expect([asked, watch.size]).toEqual(isKnown ? [[['pay', RESOLUTION.firstMs]], 0] : [[], 1]);
  });

  it.each(['fill.settled', 'fill.reversed'])(
    'L3: is paid at once when its last fill is final: %s',
    async (type) => {
      let isPaid = false;
      const world = await aWatch({ isEnded: () => true, isPaid: () => isPaid }, { endsAtMs: T0 });
      const { clock, store, watch, asked, tell } = world;
      const [userId, orderId, tradeId] = [aUserId(1), asId('0x01'), asId('t1')];
      // a watch reads of a fill whose market it is
      await store.write((tx) =>
        tx.put(FILLS, [userId, orderId, tradeId], { marketId: MARKET } as FillRecord),
      );
      watch.watch(MARKET, 'fresh');
      await clock.advance(RESOLUTION.firstMs);
      expect(asked.map(([what]) => what)).toEqual(['end', 'pay']);
      isPaid = true;
      tell({ type: 'fill.recorded', userId, orderId, tradeId });
      tell({ type, userId, orderId, tradeId: asId('of no order here') });
      await clock.settle();
      expect(watch.size).toBe(1);
      tell({ type, userId, orderId, tradeId });
      await clock.settle();
      expect([asked.length, watch.size]).toEqual([3, 0]);
      tell({ type, userId, orderId, tradeId });
      expect(watch.size).toBe(0);
    },
  );

  it('is watched on where a trade was reported while it was paid out', async () => {
    const { clock, store, watch, asked } = await aWatch({ isEnded: () => true }, { endsAtMs: T0 });
    await store.write((tx) => tx.put(OPEN_POSITIONS, HELD, { sinceMs: T0 }));
    watch.watch(MARKET, 'fresh');
    await clock.advance(RESOLUTION.firstMs);
    expect([asked.length, watch.size]).toEqual([2, 1]);
    await store.write((tx) => tx.remove(OPEN_POSITIONS, HELD));
    await clock.advance(RESOLUTION.firstMs);
    expect([asked.map(([what]) => what), watch.size]).toEqual([['end', 'pay', 'pay'], 0]);
  });

  it('is left when the watch stops, and none of those that wait takes its place', async () => {
    const { clock, store, watch, asked, changed } = await aWatch({}, { marketsMaximum: 1 });
    await store.write((tx) => tx.put(TRADED_MARKETS, [aMarketId(2)], aMarket(2)));
    watch.watch(MARKET, 'found');
    watch.watch(aMarketId(2), 'found');
    watch.stop();
    changed(1_000_000, aMarketId(3));
    await clock.advance(3_600_000);
    expect([asked.length, watch.size, clock.pending]).toEqual([1, 0, 0]);
  });
});

describe('what was won', () => {
  it('is in the figures until it is paid, and is named once where that takes long', async () => {
    const state = { isPaid: false };
    const { clock, watch, log, metrics } = await aWatch(
      { isEnded: () => true, isPaid: () => state.isPaid },
      { endsAtMs: T0 },
    );
    const figures = () => {
      metrics.read();
      return [metrics.gauges['payouts_open'], Number(metrics.gauges['payouts_oldest_seconds'])];
    };
    const named = () => log.lines.filter(({ event }) => event === 'position.payout_late');
    expect(figures()).toEqual([0, 0]);
    watch.watch(MARKET, 'fresh');
    await clock.advance(RESOLUTION.payoutLateMs / 2);
    expect([figures()[0], named()]).toEqual([1, []]);
    await clock.advance(2 * RESOLUTION.payoutLateMs);
    expect(figures()[1]).toBeGreaterThan((2 * RESOLUTION.payoutLateMs) / 1_000);
    expect(named()).toMatchObject([{ fields: { marketId: MARKET } }]);
    state.isPaid = true;
    await clock.advance(3_600_000);
    expect([figures(), watch.size]).toEqual([[0, 0], 0]);
  });
});
