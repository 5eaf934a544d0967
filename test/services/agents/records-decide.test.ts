import { describe, expect, it } from 'vitest';
import { asId, type IntentId } from '../../../src/domain/ids.ts';
import { AGENT_MARKETS, AGENTS } from '../../../src/services/books/tables.ts';
import { anAgentsWorld, enableAgent, type AgentsLife } from '../../support/worlds/agents-world.ts';
import { aRoundView } from '../../support/worlds/round-views.ts';
import { ordersOf, type World } from '../../support/worlds/trading-world.ts';

/** Orders and refusals that came of a world's first round. */
function cameOf(life: AgentsLife, world: World): unknown {
  const refusals = life.agents
    .decisions(world.user, 'btc_5min', { limit: 50, cursor: null })
    .data.flatMap(({ decision: { outcome } }) =>
      outcome.kind === 'refused' ? [outcome.code] : [],
    );
  return { orders: ordersOf(life.store).length, refusals };
}

describe('a decision reads the record as stored, not what the actor remembers', () => {
  it('L6: an agent whose record says disabled asks for no order, though its actor was never informed', async () => {
    const { world, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    await life.commit((tx) => {
      const record = tx.get(AGENTS, [world.user, 'btc_5min'])?.value;
      if (record !== undefined)
        tx.put(AGENTS, [world.user, 'btc_5min'], { ...record, enabled: false });
    });
    life.signals.show(aRoundView());
    await world.clock.advance(30_000);
    expect(cameOf(life, world)).toEqual({ orders: 0, refusals: [] });
  });

  it('L7: an agent whose market was claimed while it paused asks for no order', async () => {
    const { world, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    life.signals.show(aRoundView());
    life.signals.views.set(world.market.marketId, aRoundView({ oracle: null }));
    await world.clock.advance(500);
    await life.commit((tx) =>
      tx.put(AGENT_MARKETS, [world.user, 'btc_5min', world.market.marketId], {
        intentId: asId<IntentId>('int_00000000000000000000000001'),
        atMs: world.clock.nowMs(),
      }),
    );
    life.signals.views.set(world.market.marketId, aRoundView());
    await world.clock.advance(30_000);
    expect(cameOf(life, world)).toEqual({ orders: 0, refusals: [] });
  });
});
