import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../src/domain/errors.ts';
import { NO_COMPARISON, withPair, type Pair } from '../../../src/domain/paper-comparison.ts';
import { PAPER } from '../../../config/limits/paper.ts';
import type { UserId } from '../../../src/domain/ids.ts';
import { usdcMicros } from '../../../src/domain/units.ts';
import { createPromMetrics } from '../../../src/adapters/metrics/prom-metrics.ts';
import { OPEN_PAIRS, PAIRS } from '../../../src/services/paper/tables.ts';
import { ORDERS } from '../../../src/services/books/tables.ts';
import { aUserId, T0 } from '../../support/builders.ts';
import {
  aPaperWorld,
  paperOrders,
  startPaper,
  type PaperLife,
} from '../../support/worlds/paper-world.ts';
import { aRoundView, freshRound } from '../../support/worlds/round-views.ts';
import type { World } from '../../support/worlds/trading-world.ts';

async function enableLive(
  life: PaperLife,
  world: World,
  userId: UserId = world.user,
): Promise<void> {
  await life.agents.updateSettings(userId, 'btc_5min', { avgPositionSize: 5, strategy: 'up_down' });
  await life.agents.enable(userId, 'btc_5min');
}

describe('a live agent beside its shadow run', () => {
  it('is compared entry by entry: price, fill, fees, and profit to the end', async () => {
    const { world, life } = await aPaperWorld();
    // The venue gives less than its book shows: 9 600 shares of what 5 USD buy at the 50 cents that
    // are visible.
    world.venue.quote(world.market.outcomes[0].tokenId, {
      bid: [4_800, 1_000],
      ask: [5_100, 1_000],
    });
    await enableLive(life, world);
    life.signals.show(aRoundView());
    await world.clock.advance(8_000);
    const bought = life.agents.performance(world.user, 'btc_5min').paper;
    expect(bought?.difference).toMatchObject({
      entries: 1,
      liveFilled: 1,
      paperFilled: 1,
      bothFilled: 1,
      paperFeesUsdc: 175_000,
    });
    expect(bought?.difference.slippageUsdc).toBeGreaterThan(0);
    expect(bought?.shadow).toMatchObject({ trades: 1, openPositions: 1, exposureUsdc: 5_175_000 });
    expect(bought?.own).toMatchObject({ trades: 0 });
    await world.clock.advanceTo(T0 + 301_000);
    world.venue.resolve(world.market.marketId, [10_000, 0]);
    await world.clock.advance(180_000);
    const { paper, realizedPnl } = life.agents.performance(world.user, 'btc_5min');
    expect(paper?.difference).toMatchObject({
      liveRealisedUsdc: realizedPnl,
      paperRealisedUsdc: 4_825_000,
    });
    expect(paper?.shadow).toMatchObject({ wins: 1, realizedPnl: 4_825_000, openPositions: 0 });
  });

  it('is not compared with an entry of the shadow run that was decided long before its own', async () => {
    const { world, life } = await aPaperWorld();
    const other = aUserId(2);
    world.venue.deposit(other, usdcMicros(50_000_000));
    await life.funding.syncDeposits(other);
    await enableLive(life, world, other);
    life.signals.show(aRoundView());
    await world.clock.advance(PAPER.pairWindowMs + 1_000);
    life.signals.show(freshRound(world.clock.nowMs()));
    await enableLive(life, world);
    await world.clock.advance(8_000);
    const difference = (userId: UserId) =>
      life.agents.performance(userId, 'btc_5min').paper?.difference;
    expect(life.agents.performance(world.user, 'btc_5min')).toMatchObject({ trades: 1 });
    expect([difference(other)?.entries, difference(world.user)]).toEqual([1, NO_COMPARISON]);
  });

  it('counts what only paper filled', async () => {
    const { world, store, life } = await aPaperWorld();
    await enableLive(life, world);
    world.venue.quote(world.market.outcomes[0].tokenId, {
      bid: [4_800, 1_000],
      ask: [9_000, 1_000],
    });
    life.signals.show(aRoundView());
    await world.clock.advance(8_000);
    expect(store.range(ORDERS).map(({ value }) => value.state)).toEqual(['cancelled']);
    expect(life.agents.performance(world.user, 'btc_5min').paper?.difference).toMatchObject({
      entries: 1,
      liveFilled: 0,
      paperFilled: 1,
      bothFilled: 0,
      slippageUsdc: 0,
      comparedShares: 0,
    });
  });

  it('is compared again after a moment where the store refused to take the comparison', async () => {
    const { world, store, life } = await aPaperWorld();
    await enableLive(life, world);
    const write = store.write.bind(store);
    const refused = vi.fn();
    vi.spyOn(store, 'write').mockImplementation((change) =>
      write((tx) =>
        change({
          ...tx,
          put(table, key, value, expectedVersion) {
            if (table.name === PAIRS.name && refused.mock.calls.length === 0) {
              refused();
              throw new AppError('store_unavailable', 'the disk is full', { retryable: true });
            }
            tx.put(table, key, value, expectedVersion);
          },
        }),
      ),
    );
    life.signals.show(aRoundView());
    await world.clock.advance(8_000);
    expect(refused).toHaveBeenCalledOnce();
    expect(life.agents.performance(world.user, 'btc_5min').paper?.difference).toMatchObject({
      entries: 1,
      bothFilled: 1,
    });
  });

  it('L9: goes on after a restart where the comparison stood, and closes it', async () => {
    const { world, store, life } = await aPaperWorld();
    await enableLive(life, world);
    life.signals.show(aRoundView());
    await world.clock.advance(8_000);
    const before = life.agents.performance(world.user, 'btc_5min').paper?.difference;
    expect(before).toMatchObject({ entries: 1, bothFilled: 1, slippageUsdc: 0 });
    expect(store.range(OPEN_PAIRS)).toHaveLength(1);
    await life.agents.stop();
    life.die();
    const left = store.crash({ keptCommits: 0 });
    const next = await startPaper(world, left);
    next.signals.show(freshRound(world.clock.nowMs()));
    await world.clock.advance(2_000);
    expect(next.agents.performance(world.user, 'btc_5min').paper?.difference).toEqual(before);
    await world.clock.advanceTo(T0 + 301_000);
    world.venue.resolve(world.market.marketId, [0, 10_000]);
    await world.clock.advance(180_000);
    expect(next.agents.performance(world.user, 'btc_5min').paper?.difference).toMatchObject({
      entries: 1,
      liveRealisedUsdc: -5_175_000,
      paperRealisedUsdc: -5_175_000,
    });
    expect([
      left.range(OPEN_PAIRS),
      left.range(PAIRS).length,
      paperOrders(left).shadows.length,
    ]).toEqual([[], 1, 1]);
  });

  it('is no pair of an agent on paper', async () => {
    const { world, store, life } = await aPaperWorld();
    await life.agents.updateSettings(world.user, 'btc_5min', {
      avgPositionSize: 5,
      strategy: 'up_down',
    });
    await life.agents.enable(world.user, 'btc_5min', { mode: 'paper' });
    life.signals.show(aRoundView());
    await world.clock.advance(8_000);
    expect(store.range(PAIRS)).toEqual([]);
    expect(life.agents.performance(world.user, 'btc_5min')).toMatchObject({
      trades: 0,
      paper: { own: { trades: 1, feesUsdc: 175_000 }, shadow: null, difference: NO_COMPARISON },
    });
  });

  it('has a metric of its own for the difference in price', () => {
    const metrics = createPromMetrics();
    metrics.observe('paper_price_difference_usdc', -0.01);
    return expect(metrics.renderMetrics()).resolves.toContain(
      'paper_price_difference_usdc_bucket{le="0"} 1',
    );
  });
});

describe('a comparison', () => {
  const side = fc.record({
    shares: fc.nat(50_000_000),
    usdc: fc.nat(50_000_000),
    feesUsdc: fc.nat(1_000_000),
    realisedUsdc: fc.integer({ min: -50_000_000, max: 50_000_000 }),
  });
  const pair: fc.Arbitrary<Pair> = fc.record({ live: side, paper: fc.option(side) });

  it('is the same however often and in whatever order its pairs were reported', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ key: fc.nat(3), pair }), { maxLength: 30 }), (reported) => {
        const now = new Map<number, Pair>();
        let sum = NO_COMPARISON;
        for (const { key, pair: after } of reported) {
          sum = withPair(sum, now.get(key) ?? null, after);
          now.set(key, after);
        }
        expect(sum).toEqual(
          [...now.values()].reduce((total, each) => withPair(total, null, each), NO_COMPARISON),
        );
      }),
    );
  });
});
