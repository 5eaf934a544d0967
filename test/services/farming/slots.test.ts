import { describe, expect, it } from 'vitest';
import { FARMING } from '../../../config/limits/farming.ts';
import type { Market } from '../../../src/domain/market.ts';
import { aFarmWorld } from '../../support/worlds/farm-world.ts';
import { ordersOf } from '../../support/worlds/trading-world.ts';

const AGENT = 'venue_a_farming';

describe('slots', () => {
  it('are a few at a time, and every candidate has its turn', async () => {
    const farm = aFarmWorld(FARMING.slots * 2 + 3, 1_000_000_000);
    const life = await farm.start();
    await farm.enable(life, { maxOpenPositions: 100 });
    await farm.world.clock.advance(10_000);
    expect(farm.watched.size).toBeLessThanOrEqual(FARMING.slots + FARMING.heldWatchedMaximum);
    expect(ordersOf(farm.store).length).toBeLessThanOrEqual(FARMING.slots);
    await farm.world.clock.advance(FARMING.slotMs * 4);
    expect(ordersOf(farm.store)).toHaveLength(farm.markets.length);
    await life.agents.stop();
    expect(farm.watched.size).toBe(0);
  });

  it('watch nothing while no farming agent is enabled', async () => {
    const farm = aFarmWorld(3);
    const life = await farm.start();
    await farm.world.clock.advance(600_000);
    expect([farm.scans.length, farm.watched.size]).toEqual([0, 0]);
    await farm.enable(life);
    await farm.world.clock.advance(10_000);
    await life.agents.disable(farm.world.user, AGENT);
    const { length } = farm.scans;
    await farm.world.clock.advance(600_000);
    expect([farm.scans.length, farm.watched.size]).toEqual([length, 0]);
  });

  it('L8: a book that is absent for a moment changes nothing; one that never comes is reported once', async () => {
    const farm = aFarmWorld(FARMING.slots + 1);
    for (const market of farm.markets) farm.quote(market, 1, null);
    const life = await farm.start();
    await farm.enable(life);
    await farm.world.clock.advance(FARMING.slotMs * 2);
    const receipts = life.agents
      .decisions(farm.world.user, AGENT, { limit: 100, cursor: null })
      .data.map(({ decision }) => decision);
    expect(ordersOf(farm.store)).toEqual([]);
    expect(receipts.length).toBeGreaterThan(0);
    expect(new Set(receipts.map(({ decision }) => decision.reason))).toEqual(
      new Set(['No decision without a trusted book.']),
    );
    expect(receipts.length).toBeLessThanOrEqual(farm.markets.length * 2);
  });

  it('a market that ends between decision and order is not bought: the refusal has its receipt, and the agent goes on', async () => {
    const farm = aFarmWorld(2);
    const [first] = farm.markets;
    if (first === undefined) throw new Error('a market');
    const life = await farm.start();
    // The venue closes the first market the moment its candidate has been judged.
    const closing: Market & { closed: boolean } = Object.assign(first, { closed: false });
    farm.assess = async () => {
      farm.world.clock.after(4_900, () => void (closing.closed = true));
      return { kind: 'allowed', reason: 'plain' };
    };
    await farm.enable(life);
    await farm.world.clock.advance(60_000);
    const bought = ordersOf(farm.store).map(({ intent }) => intent.marketId);
    expect(bought).not.toContain(first.marketId);
    expect(bought).toHaveLength(1);
    const refused = life.agents
      .decisions(farm.world.user, AGENT, { limit: 100, cursor: null })
      .data.filter(({ decision }) => decision.outcome.kind === 'refused');
    expect(refused.map(({ decision }) => decision.outcome)).toMatchObject([
      { code: 'market_closed' },
    ]);
  });
});
