import { describe, expect, it } from 'vitest';
import { RESOLUTION } from '../../../config/limits.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { MarketId } from '../../../src/domain/ids.ts';
import type { Resolution } from '../../../src/domain/market.ts';
import { createPositionWatch } from '../../../src/services/portfolio/position-watch.ts';
import { OPEN_POSITIONS, RESOLUTIONS, TRADED_MARKETS } from '../../../src/services/books/tables.ts';
import { aMarket, aMarketId, aUserId, T0 } from '../../support/builders.ts';
import { createKeptBus, createKeptLog } from '../../support/quiet.ts';

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
    expect([watch.size, paid, log.lines.map(({ event }) => event)]).toEqual([
      1,
      [],
      ['position.watch_full', 'position.watch_full'],
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
    const told: string[] = [];
    const paidAtMs: number[] = [];
    await store.write((tx) => tx.put(TRADED_MARKETS, [marketId], aMarket(1, { endsAtMs: T0 })));
    const watch = createPositionWatch({
      store,
      clock,
      log: createKeptLog(),
      bus: createKeptBus(),
      venues: {
        of: () => ({
          directory: {
            // what the end was is the portfolio's to say
            async resolution(asked) {
              told.push('asked');
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
          told.push(paid === marketId ? 'paying' : `paying ${paid}`);
          paidAtMs.push(clock.nowMs());
          return told.length === 4;
        },
      } as unknown as Parameters<typeof createPositionWatch>[0]['portfolio'],
    });
    watch.watch(marketId, 'fresh');
    await clock.advance(3_600_000);
    expect([told, watch.size, clock.pending]).toEqual([
      ['asked', 'paying', 'paying', 'paying'],
      0,
      0,
    ]);
    const waits = paidAtMs.slice(1).map((atMs, index) => atMs - (paidAtMs[index] ?? 0));
    expect(waits).toEqual([4 * RESOLUTION.firstMs, 8 * RESOLUTION.firstMs]);
  });
});
