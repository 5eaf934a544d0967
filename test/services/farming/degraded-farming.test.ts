import { describe, expect, it } from 'vitest';
import { HEALTH } from '../../../config/limits/risk.ts';
import { aLimitBuy } from '../../support/builders.ts';
import { aFarmWorld } from '../../support/worlds/farm-world.ts';
import { during, ordersOf } from '../../support/worlds/trading-world.ts';

const AGENT = 'venue_a_farming';

describe('a farming agent whose orders cannot be seen', () => {
  it('L8: says degraded, enters nothing and says so in one receipt, and comes back by itself', async () => {
    const farm = aFarmWorld(2);
    const { world, store } = farm;
    const life = await farm.start();
    for (const market of farm.markets) farm.quote(market, 1, { bid: 9_000, ask: 9_100 });
    await farm.enable(life);
    // A bid of the user's own, so that something is in motion.
    const [market] = farm.markets;
    if (market === undefined) throw new Error('a market');
    await during(
      world,
      life.orders.place(world.user, aLimitBuy({ marketId: market.marketId, outcome: 0 })),
    );
    world.venue.areReadsDown = true;
    world.venue.isChannelDown = true;
    world.venue.breakChannels();
    await world.clock.advance(HEALTH.blindAfterMs + 60_000);
    for (const each of farm.markets) farm.quote(each, 1, { bid: 9_600, ask: 9_700 });
    await world.clock.advance(60_000);
    const entries = () => ordersOf(store).filter(({ intent }) => intent.origin.kind === 'agent');
    const skips = () =>
      life.agents
        .decisions(world.user, AGENT, { limit: 200, cursor: null })
        .data.filter(({ decision }) => decision.decision.reason.startsWith('agent is degraded'));
    expect(entries()).toEqual([]);
    expect(life.agents.view(world.user, AGENT)).toMatchObject({
      activity: 'degraded',
      degraded: [{ code: 'user_stream_blind' }],
    });
    expect(skips()).toMatchObject([
      { decision: { outcome: { kind: 'none' }, decision: { verdict: 'skip' } } },
    ]);
    world.venue.areReadsDown = false;
    world.venue.isChannelDown = false;
    await world.clock.advance(600_000);
    expect(life.agents.view(world.user, AGENT).degraded).toEqual([]);
    expect(entries()).toHaveLength(2);
  });
});
