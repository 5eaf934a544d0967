import { expect, it } from 'vitest';
import { anAgentsWorld, enableAgent } from '../../support/worlds/agents-world.ts';
import { aMarketBuy, aMarketId } from '../../support/builders.ts';
import { aRoundView, freshRound, turnedRound } from '../../support/worlds/round-views.ts';
import { brokenLaws, ordersOf } from '../../support/worlds/trading-world.ts';

it('looks after what an entry bought that was on its way when its agent was disabled, and enabled again at once', async () => {
  const { world, store, life } = await anAgentsWorld();
  await enableAgent(life, world.user);
  // A manual trade has the user's lock, so the entry waits; the one after the enabling waits behind
  // it.
  world.venue.submitFaults.push({ kind: 'late-ack', ms: 2_000 });
  world.venue.isChannelMute = true;
  world.venue.areReadsDown = true;
  const manual = life.orders.place(world.user, aMarketBuy({ marketId: aMarketId(2) }));
  life.signals.show(aRoundView());
  await world.clock.advance(100);
  expect(life.agents.view(world.user, 'btc_5min').activity).toBe('trading');
  await life.agents.disable(world.user, 'btc_5min');
  await life.agents.enable(world.user, 'btc_5min');
  await world.clock.advance(100);
  expect(life.agents.view(world.user, 'btc_5min').activity).toBe('trading');
  world.venue.isChannelMute = false;
  world.venue.areReadsDown = false;
  await world.clock.advance(8_000);
  await manual;
  life.signals.show(freshRound(world.clock.nowMs()));
  expect(life.agents.view(world.user, 'btc_5min').activity).toBe('holding');
  life.signals.show(turnedRound(world.clock.nowMs()));
  await world.clock.advance(10_000);
  expect(
    ordersOf(store)
      .filter(({ intent }) => intent.marketId === world.market.marketId)
      .map(({ intent, state }) => [intent.side, state]),
  ).toEqual([
    ['buy', 'filled'],
    ['sell', 'filled'],
  ]);
  expect(brokenLaws(store, world.user)).toEqual([]);
});
