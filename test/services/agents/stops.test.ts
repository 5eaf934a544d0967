import { describe, expect, it } from 'vitest';
import type { StopPolicy } from '../../../src/domain/agent.ts';
import { asId, type AgentId, type DecisionId } from '../../../src/domain/ids.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import type { PlaceOrder } from '../../../src/services/orders/place-order.ts';
import { AGENTS, UNWINDS } from '../../../src/services/books/tables.ts';
import {
  anAgentsWorld,
  enableAgent,
  startAgents,
  type AgentsLife,
} from '../../support/worlds/agents-world.ts';
import { aBook, aLimitBuy, aMarketBuy, aMarketId, aUserId } from '../../support/builders.ts';
import { aRoundView, turnedRound } from '../../support/worlds/round-views.ts';
import { brokenLaws, during, ordersOf, type World } from '../../support/worlds/trading-world.ts';

const FIRST_PAGE = { limit: 50, cursor: null };

/** An entry of the agent, as its trading makes it. */
function anEntry(changes: Partial<PlaceOrder> = {}, agentId: AgentId = 'btc_5min'): PlaceOrder {
  return aLimitBuy({
    origin: { kind: 'agent', agentId, decisionId: asId<DecisionId>('dec_1'), purpose: 'entry' },
    ...changes,
  });
}

/** An agent that holds ten shares of the first round and has a bid resting in the second. */
async function aBusyAgent(onStop: StopPolicy) {
  const { world, store, life } = await anAgentsWorld();
  await enableAgent(life, world.user);
  await life.agents.enable(world.user, 'btc_5min', { onStop });
  life.signals.show(aRoundView());
  await world.clock.advance(10_000);
  expect(
    (await during(world, life.orders.place(world.user, anEntry({ marketId: aMarketId(2) })))).state,
  ).toBe('live');
  await world.clock.advance(1_000);
  return { world, store, life };
}

function factsOf(life: AgentsLife, type: DomainEvent['type']): readonly DomainEvent[] {
  return life.bus.entries.map(({ event }) => event).filter((event) => event.type === type);
}

/** Orders of the user as a trader would list them. */
function reported(life: AgentsLife): readonly unknown[] {
  return ordersOf(life.store).map(({ intent, state }) => [intent.side, intent.life, state]);
}

async function disabled(world: World, life: AgentsLife): Promise<void> {
  await life.agents.disable(world.user, 'btc_5min');
  await world.clock.advance(20_000);
}

describe('what a stop of an agent does', () => {
  it('is chosen at enabling, cancels open orders unless asked to keep them, and stays over a disabling', async () => {
    const { world, life } = await anAgentsWorld();
    expect(life.agents.view(world.user, 'btc_5min').onStop).toBe('cancel_only');
    await enableAgent(life, world.user);
    expect(await life.agents.enable(world.user, 'btc_5min', { onStop: 'close' })).toMatchObject({
      enabled: true,
      onStop: 'close',
    });
    await life.agents.disable(world.user, 'btc_5min');
    expect(await life.agents.enable(world.user, 'btc_5min')).toMatchObject({ onStop: 'close' });
    await life.commit((tx) => {
      const record = tx.get(AGENTS, [world.user, 'btc_5min'])?.value;
      if (record === undefined) return;
      const { onStop: _before, ...old } = record;
      tx.put(AGENTS, [world.user, 'btc_5min'], old);
    });
    expect(life.agents.view(world.user, 'btc_5min').onStop).toBe('cancel_only');
  });

  it('L6: keep leaves orders and positions as they are', async () => {
    const { world, life } = await aBusyAgent('keep');
    await disabled(world, life);
    expect(reported(life)).toEqual([
      ['buy', 'all_now', 'filled'],
      ['buy', 'rests', 'live'],
    ]);
    expect(life.agents.view(world.user, 'btc_5min')).toMatchObject({
      activity: 'disabled',
      unwind: null,
    });
    expect(factsOf(life, 'agent.unwound')).toEqual([]);
  });

  it('L6: cancel_only cancels open orders and keeps positions', async () => {
    const { world, life, store } = await aBusyAgent('cancel_only');
    await disabled(world, life);
    expect(reported(life)).toEqual([
      ['buy', 'all_now', 'filled'],
      ['buy', 'rests', 'cancelled'],
    ]);
    expect(life.portfolio.holdings(world.user, { type: 'open' })).toMatchObject([
      { settledShares: 10_000_000 },
    ]);
    expect([factsOf(life, 'agent.unwound'), store.range(UNWINDS)]).toEqual([
      [expect.objectContaining({ policy: 'cancel_only' })],
      [],
    ]);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('L6, L11: close cancels open orders and sells the positions, with receipts, and says when it is done', async () => {
    const { world, life, store } = await aBusyAgent('close');
    const view = await life.agents.disable(world.user, 'btc_5min');
    expect(view).toMatchObject({
      enabled: false,
      activity: 'stopping',
      unwind: { policy: 'close', sinceMs: world.clock.nowMs() },
    });
    await world.clock.advance(20_000);
    expect(reported(life)).toEqual([
      ['buy', 'all_now', 'filled'],
      ['buy', 'rests', 'cancelled'],
      ['sell', 'part_now', 'filled'],
    ]);
    expect(life.portfolio.holdings(world.user, { type: 'open' })).toEqual([]);
    expect(life.agents.view(world.user, 'btc_5min')).toMatchObject({
      activity: 'disabled',
      unwind: null,
    });
    expect(
      life.agents.trades(world.user, 'btc_5min', FIRST_PAGE).data[0]?.decision.decision.reason,
    ).toBe('Sold because the agent was stopped, and its stop closes positions.');
    expect(factsOf(life, 'agent.unwound')).toHaveLength(1);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('close sells what the agent bought and leaves what was bought manually', async () => {
    const { world, life } = await aBusyAgent('close');
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(10_000);
    await disabled(world, life);
    expect(life.portfolio.holdings(world.user, { type: 'open' })).toMatchObject([
      { settledShares: 20_000_000 },
    ]);
  });

  it('close leaves what was bought manually also where the agent was about to sell by itself', async () => {
    const { world, life, store } = await aBusyAgent('close');
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(10_000);
    // A manual trade has the user's lock: the agent's own sale waits for it, and so does that of
    // the stop.
    world.venue.submitFaults.push({ kind: 'late-ack', ms: 2_000 });
    world.venue.isChannelMute = true;
    const manual = life.orders.place(world.user, aMarketBuy({ marketId: aMarketId(2) }));
    life.signals.show(turnedRound(world.clock.nowMs()));
    await world.clock.advance(100);
    expect(life.agents.view(world.user, 'btc_5min').activity).toBe('leaving');
    await disabled(world, life);
    await manual;
    expect(
      life.portfolio.holdings(world.user, { type: 'open', marketId: aMarketId(1) }),
    ).toMatchObject([{ settledShares: 20_000_000 }]);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('close waits for a bid, tells of the refusal once, and sells when one comes', async () => {
    const { world, life } = await aBusyAgent('close');
    const { tokenId } = world.market.outcomes[0];
    world.books.set(
      tokenId,
      aBook(world.market, 0, { bids: [], receivedAtMs: world.clock.nowMs() + 60_000 }),
    );
    await disabled(world, life);
    const refusals = () =>
      life.agents
        .decisions(world.user, 'btc_5min', FIRST_PAGE)
        .data.filter(({ decision }) => decision.outcome.kind === 'refused');
    expect([refusals().length, life.agents.view(world.user, 'btc_5min').activity]).toEqual([
      1,
      'stopping',
    ]);
    world.books.delete(tokenId);
    await world.clock.advance(40_000);
    expect([refusals().length, life.portfolio.holdings(world.user, { type: 'open' })]).toEqual([
      1,
      [],
    ]);
  });

  it('L2: close sells what an order in doubt at the stop turns out to have bought', async () => {
    const { world, life, store } = await anAgentsWorld();
    await enableAgent(life, world.user);
    await life.agents.enable(world.user, 'btc_5min', { onStop: 'close' });
    world.venue.submitFaults.push({ kind: 'late-book', ms: 3_000 });
    world.venue.areReadsDown = true;
    life.signals.show(aRoundView());
    await world.clock.advance(1_000);
    await life.agents.disable(world.user, 'btc_5min');
    await world.clock.advance(5_000);
    world.venue.areReadsDown = false;
    await world.clock.advance(60_000);
    expect(reported(life)).toEqual([
      ['buy', 'all_now', 'filled'],
      ['sell', 'part_now', 'filled'],
    ]);
    expect([life.portfolio.holdings(world.user, { type: 'open' }), store.range(UNWINDS)]).toEqual([
      [],
      [],
    ]);
  });

  it('L3: close sells again what a sale that failed to settle gives back', async () => {
    const { world, life, store } = await aBusyAgent('close');
    world.venue.settlements.push([{ afterMs: 2_000, word: 'failed' }]);
    await disabled(world, life);
    await world.clock.advance(60_000);
    expect(ordersOf(store).filter(({ intent }) => intent.side === 'sell')).toHaveLength(2);
    expect(life.portfolio.holdings(world.user, { type: 'open' })).toEqual([]);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('close leaves a position whose market has ended to its payout', async () => {
    const { world, life, store } = await aBusyAgent('close');
    const { tokenId } = world.market.outcomes[0];
    world.books.set(tokenId, aBook(world.market, 0, { distrust: 'gap' }));
    await disabled(world, life);
    expect(store.range(UNWINDS)).toHaveLength(1);
    await world.clock.advanceTo(world.market.endsAtMs + 60_000);
    expect(store.range(UNWINDS)).toEqual([]);
    expect(life.portfolio.holdings(world.user, { type: 'open' })).toHaveLength(1);
  });

  it("is taken back by enabling again: what is left is the agent's", async () => {
    const { world, life, store } = await aBusyAgent('close');
    world.books.set(world.market.outcomes[0].tokenId, aBook(world.market, 0, { distrust: 'gap' }));
    await disabled(world, life);
    expect(await life.agents.enable(world.user, 'btc_5min')).toMatchObject({
      enabled: true,
      activity: 'holding',
      unwind: null,
    });
    world.books.clear();
    await world.clock.advance(60_000);
    expect([reported(life).at(-1), store.range(UNWINDS)]).toEqual([
      ['buy', 'rests', 'cancelled'],
      [],
    ]);
  });

  it('L9: goes on after a restart', async () => {
    const { world, life, store } = await aBusyAgent('close');
    const done = life.agents.disable(world.user, 'btc_5min');
    await done;
    life.die();
    const next = await startAgents(world, store.crash());
    expect(next.agents.view(world.user, 'btc_5min').activity).toBe('stopping');
    await world.clock.advance(30_000);
    expect(reported(next)).toEqual([
      ['buy', 'all_now', 'filled'],
      ['buy', 'rests', 'cancelled'],
      ['sell', 'part_now', 'filled'],
    ]);
    expect(next.agents.view(world.user, 'btc_5min').activity).toBe('disabled');
    await next.agents.stop();
    await next.orders.stop();
  });
});

describe('stopping all agents of a user', () => {
  it('L6: disables each, and says what its stop does with what it has open', async () => {
    const { world, life } = await aBusyAgent('close');
    await life.agents.updateSettings(world.user, 'eth_15min', {
      avgPositionSize: 5,
      strategy: 'up_down',
    });
    await life.agents.enable(world.user, 'eth_15min', { onStop: 'keep' });
    const answer = await life.agents.stopAll(world.user);
    expect(answer.filter(({ wasEnabled }) => wasEnabled)).toEqual([
      { agentId: 'btc_5min', wasEnabled: true, policy: 'close', openOrders: 1, positions: 1 },
      { agentId: 'eth_15min', wasEnabled: true, policy: 'keep', openOrders: 0, positions: 0 },
    ]);
    expect(life.agents.list(world.user).filter(({ enabled }) => enabled)).toEqual([]);
    expect(factsOf(life, 'agents.stopped')).toMatchObject([
      {
        agents: [
          { agentId: 'btc_5min', policy: 'close', openOrders: 1, positions: 1 },
          { agentId: 'eth_15min', policy: 'keep', openOrders: 0, positions: 0 },
        ],
      },
    ]);
    expect(factsOf(life, 'audit.recorded')).toMatchObject([
      { action: 'agents_stopped', subject: 'btc_5min: close, eth_15min: keep' },
    ]);
  });

  it('is the same done twice, at once and later, and reported once', async () => {
    const { world, life } = await aBusyAgent('keep');
    const [first, second] = await Promise.all([
      life.agents.stopAll(world.user),
      life.agents.stopAll(world.user),
    ]);
    const third = await life.agents.stopAll(world.user);
    expect(
      [first, second, third].map((answer) => answer.filter(({ wasEnabled }) => wasEnabled).length),
    ).toEqual([1, 0, 0]);
    expect(factsOf(life, 'agents.stopped')).toHaveLength(1);
  });

  it('leaves manual trading as it is, and the agents of others', async () => {
    const { world, life } = await aBusyAgent('keep');
    const other = aUserId(2);
    world.venue.deposit(other, 50_000_000);
    await life.funding.syncDeposits(other);
    await enableAgent(life, other);
    await life.agents.stopAll(world.user);
    expect((await during(world, life.orders.place(world.user, aMarketBuy()))).state).not.toBe(
      'rejected',
    );
    expect(life.agents.view(other, 'btc_5min').enabled).toBe(true);
  });

  it('L6: nothing of an agent is signed, or sent for the first time, after it resolves, however many are on their way', async () => {
    const { world, life, store } = await anAgentsWorld(1_000_000_000);
    await enableAgent(life, world.user);
    const calls = Array.from({ length: 30 }, (_, index) =>
      life.orders.place(
        world.user,
        anEntry({
          marketId: aMarketId(1 + (index % 2)),
          amount: { unit: 'shares', micros: 25_000_000 },
          type: { kind: 'limit', price: priceTicks(4_000), expiresAtMs: null },
        }),
      ),
    );
    for (const call of calls) call.catch(() => undefined);
    await life.agents.stopAll(world.user);
    const sent = world.venue.bodies.size;
    const signed = ordersOf(store).length;
    await world.clock.advance(120_000);
    await Promise.allSettled(calls);
    expect([world.venue.bodies.size, ordersOf(store).length]).toEqual([sent, signed]);
  });
});
