import { describe, expect, it } from 'vitest';
import { BID } from '../../../config/limits/bid.ts';
import { AGENT } from '../../../config/limits.ts';
import type { MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { RoundView } from '../../../src/domain/signal.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import {
  anAgentsWorld,
  enableAgent,
  startAgents,
  type AgentsLife,
} from '../../support/worlds/agents-world.ts';
import { T0 } from '../../support/builders.ts';
import { aPrice, freshRound, observed, turnedRound } from '../../support/worlds/round-views.ts';
import { brokenLaws, ordersOf, type World } from '../../support/worlds/trading-world.ts';
import { orderIdOf } from '../../support/attempts.ts';

const FIRST_PAGE = { limit: 50, cursor: null };

/** The round with Up at more than 90 percent. */
const strong = (atMs: number): RoundView => ({ ...freshRound(atMs), volatility: 0.00003 });
/** The round with Up still ahead, but worth less than 60 cents. */
const weak = (atMs: number): RoundView => ({
  ...freshRound(atMs),
  oracle: observed(aPrice(70_005), atMs),
  exchange: observed(aPrice(70_007), atMs),
});

/** A world whose agent bids by the limiter, with the ask at 72 cents: the bid rests. */
async function aBidder(askTicks = 7_200) {
  const { world, store, life } = await anAgentsWorld();
  world.venue.quote(world.market.outcomes[0].tokenId, {
    bid: [5_500, 1_000],
    ask: [askTicks, 1_000],
  });
  await enableAgent(life, world.user, 'btc_5min', 'limiter');
  life.signals.show(strong(world.clock.nowMs()));
  await world.clock.advance(1_000);
  return { world, store, life };
}

const activity = ({ agents }: AgentsLife, { user }: World) =>
  agents.view(user, 'btc_5min').activity;
const verdicts = ({ agents }: AgentsLife, { user }: World) =>
  agents
    .decisions(user, 'btc_5min', FIRST_PAGE)
    .data.map(({ decision }) => decision.decision.verdict)
    .reverse();

function theBid(store: MemoryStore) {
  const [order, ...others] = ordersOf(store);
  if (order === undefined || others.length > 0) throw new Error('one order is expected');
  return { ...order, orderId: orderIdOf(order) };
}

/** Shows the same view every second, so that it never grows stale. */
async function shown(
  life: AgentsLife,
  world: World,
  seconds: number,
  view: (atMs: number) => RoundView = strong,
): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    life.signals.show(view(world.clock.nowMs()));
    await world.clock.advance(1_000);
  }
}

/** Ends the process as a power failure does, and starts the next one. */
async function restarted(world: World, store: MemoryStore, life: AgentsLife) {
  await life.agents.stop();
  await life.orders.stop();
  const cut = store.crash();
  return { store: cut, life: await startAgents(world, cut) };
}

describe('a limit entry', () => {
  it('is a bid at 60 cents, never above, with its end 30 s before the end of the round', async () => {
    const { world, store, life } = await aBidder();
    expect(theBid(store).intent).toMatchObject({
      life: 'rests',
      price: 6_000,
      spendMicros: 4_998_000,
      receiveMicros: 8_330_000,
      expiresAtMs: T0 + 270_000,
    });
    expect([activity(life, world), theBid(store).state]).toEqual(['resting', 'live']);
    expect(life.agents.performance(world.user, 'btc_5min')).toMatchObject({
      trades: 1,
      fillRateMicros: null,
      openPositions: 0,
    });
    expect(life.agents.performanceOfAll(world.user).total).toMatchObject({ trades: 1 });
  });

  it('L5: sets aside the worst case, price and fee, and all of it is back when it ends unfilled', async () => {
    const { world, store, life } = await aBidder();
    expect(life.portfolio.cash(world.user, 'usdc:safe').reserved).toBeGreaterThanOrEqual(4_998_000);
    await shown(life, world, 250);
    expect([theBid(store).state, life.portfolio.cash(world.user, 'usdc:safe')]).toMatchObject([
      'expired',
      { reserved: 0, available: 100_000_000 },
    ]);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('takes what is offered below its price, at the price offered', async () => {
    const { world, store, life } = await aBidder(3_000);
    await shown(life, world, 5);
    expect(theBid(store)).toMatchObject({
      state: 'filled',
      filledShares: 8_330_000,
      filledUsdc: 2_499_000,
    });
    expect(activity(life, world)).toBe('holding');
  });

  it('L7: is the one trade of its round, also when it ends unfilled', async () => {
    const { world, store, life } = await aBidder();
    await shown(life, world, 209);
    expect(activity(life, world)).toBe('watching');
    await shown(life, world, 20);
    expect([
      theBid(store).state,
      verdicts(life, world).filter((verdict) => verdict === 'enter'),
    ]).toEqual(['expired', ['enter']]);
  });

  it('is looked after by its agent once it is filled', async () => {
    const { world, store, life } = await aBidder();
    world.venue.trade(theBid(store).orderId, 8_330_000);
    await shown(life, world, 10);
    expect([theBid(store).state, activity(life, world)]).toEqual(['filled', 'holding']);
    expect(verdicts(life, world)).toEqual(['enter', 'hold']);
    await shown(life, world, 20, turnedRound);
    expect(ordersOf(store).map(({ intent, filledShares }) => [intent.side, filledShares])).toEqual([
      ['buy', 8_330_000],
      ['sell', 8_330_000],
    ]);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('of a strategy that counts evaluation windows is decided by what its group has seen', async () => {
    const { world, store, life } = await anAgentsWorld();
    world.venue.quote(world.market.outcomes[0].tokenId, {
      bid: [5_500, 1_000],
      ask: [7_200, 1_000],
    });
    await enableAgent(life, world.user, 'btc_5min', 'inference_strike');
    await shown(life, world, 30);
    expect(ordersOf(store)).toEqual([]);
    await shown(life, world, 2);
    expect(theBid(store).intent.createdAtMs).toBe(T0 + 90_000);
  });

  it('is refused with a receipt where the venue takes no bid as small as the largest position', async () => {
    const { world, store, life } = await anAgentsWorld();
    await life.agents.updateSettings(world.user, 'btc_5min', {
      minPositionSize: 1,
      avgPositionSize: 2,
      maxPositionSize: '2.99',
      strategy: 'limiter',
    });
    await life.agents.enable(world.user, 'btc_5min');
    await shown(life, world, 10);
    expect(ordersOf(store)).toEqual([]);
    const [receipt] = life.agents.decisions(world.user, 'btc_5min', FIRST_PAGE).data;
    expect(receipt?.decision.decision.criteria.at(-1)).toEqual({
      name: 'largest position',
      value: '2.99 USD',
      threshold: "at least 3 USD, the venue's smallest bid",
      passed: false,
    });
  });
});

describe('a bid that rests', () => {
  it('is taken back when its outcome is worth no more than it pays, and nothing is bought', async () => {
    const { world, store, life } = await aBidder();
    await shown(life, world, 6);
    await shown(life, world, 6, weak);
    expect([theBid(store).state, activity(life, world)]).toEqual(['cancelled', 'watching']);
    const last = life.agents
      .decisions(world.user, 'btc_5min', FIRST_PAGE)
      .data.find(({ decision }) => decision.decision.verdict === 'exit');
    expect(last?.decision).toMatchObject({
      decision: {
        outcome: 0,
        reason: 'The bid at 0.6 is taken back: Up is worth no more than it pays.',
      },
      outcome: { kind: 'none' },
    });
    expect(life.portfolio.cash(world.user, 'usdc:safe')).toMatchObject({
      reserved: 0,
      available: 100_000_000,
    });
  });

  it('keeps what was filled of it when the rest is taken back, and sells that when the signal turns', async () => {
    const { world, store, life } = await aBidder();
    world.venue.trade(theBid(store).orderId, 3_000_000);
    await shown(life, world, 6);
    expect([theBid(store).state, activity(life, world)]).toEqual(['live', 'resting']);
    await shown(life, world, 12, turnedRound);
    const [bid, sale] = ordersOf(store);
    expect([bid?.state, bid?.filledShares, sale?.intent.side, sale?.filledShares]).toEqual([
      'cancelled',
      3_000_000,
      'sell',
      3_000_000,
    ]);
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('L8: is taken back once it could not be judged for half a minute, and not for a moment of silence', async () => {
    const { world, store, life } = await aBidder();
    const blind = (atMs: number) => ({ ...strong(atMs), volatility: null });
    await shown(life, world, BID.unjudgedMaximumMs / 1_000 - 6, blind);
    expect(theBid(store).state).toBe('live');
    await shown(life, world, 5);
    await shown(life, world, BID.unjudgedMaximumMs / 1_000 - 6, blind);
    expect(theBid(store).state).toBe('live');
    await shown(life, world, 12, blind);
    expect(theBid(store).state).toBe('cancelled');
    expect(verdicts(life, world).filter((verdict) => verdict === 'exit')).toHaveLength(1);
  });

  it('is taken back by us when the venue lets it outlive its end', async () => {
    const { world, store, life } = await aBidder();
    const { orderId } = theBid(store);
    const order = world.venue.orders.get(orderId);
    if (order === undefined) throw new Error('the venue has the bid');
    await shown(life, world, 208);
    // The venue's own end of it never comes: at that moment it finds an order that does not rest.
    order.status = 'delayed';
    await shown(life, world, 2);
    order.status = 'live';
    await shown(life, world, 3);
    expect([world.venue.cancels, world.clock.nowMs()]).toEqual([[], T0 + 274_000]);
    await shown(life, world, 2);
    expect([world.venue.cancels, theBid(store).state]).toEqual([[orderId], 'cancelled']);
  });

  it('leaves one receipt of being taken back, however often the venue has to be asked', async () => {
    const { world, store, life } = await aBidder();
    for (let time = 0; time < 8; time += 1)
      world.venue.cancelFaults.push({ kind: 'unclear', reason: 'timeout' });
    await shown(life, world, 25, weak);
    expect([
      theBid(store).state,
      verdicts(life, world).filter((verdict) => verdict === 'exit'),
    ]).toEqual(['live', ['exit']]);
    expect(world.venue.cancels.length).toBeGreaterThan(1);
  });

  it('lets a fill that was faster than the cancel win', async () => {
    const { world, store, life } = await aBidder();
    const { orderId } = theBid(store);
    world.venue.cancelFaults.push({ kind: 'unclear', reason: 'timeout' });
    life.signals.show(weak(world.clock.nowMs()));
    world.venue.trade(orderId, 8_330_000);
    await shown(life, world, 15);
    expect([theBid(store).state, theBid(store).filledShares, activity(life, world)]).toEqual([
      'filled',
      8_330_000,
      'holding',
    ]);
  });

  it('L6: is left to the stop when its agent is disabled: the agent itself asks for nothing more', async () => {
    const { world, life } = await aBidder();
    await life.agents.disable(world.user, 'btc_5min');
    await shown(life, world, 10, weak);
    expect(verdicts(life, world)).not.toContain('exit');
  });
});

describe('a bid over a restart', () => {
  it('L9: is taken up again, rests on, and is held once it is filled', async () => {
    const { world, store, life } = await aBidder();
    const next = await restarted(world, store, life);
    expect(activity(next.life, world)).toBe('resting');
    await shown(next.life, world, 10);
    world.venue.trade(theBid(next.store).orderId, 8_330_000);
    await shown(next.life, world, 10);
    expect([theBid(next.store).state, activity(next.life, world)]).toEqual(['filled', 'holding']);
    expect(world.venue.orders.size).toBe(1);
    expect(brokenLaws(next.store, world.user)).toEqual([]);
  });

  it('L9: filled in part before and in full while no process ran, becomes a position', async () => {
    const { world, store, life } = await aBidder();
    const { orderId } = theBid(store);
    world.venue.trade(orderId, 2_000_000);
    await world.clock.advance(1_000);
    await life.agents.stop();
    await life.orders.stop();
    world.venue.trade(orderId, 6_330_000);
    const cut = store.crash();
    const next = await startAgents(world, cut);
    await shown(next, world, 10);
    expect([theBid(cut).state, theBid(cut).filledShares, activity(next, world)]).toEqual([
      'filled',
      8_330_000,
      'holding',
    ]);
  });

  it('L7: leaves no second bid behind when it ended while no process ran', async () => {
    const { world, store, life } = await aBidder();
    await life.agents.stop();
    await life.orders.stop();
    world.venue.end(theBid(store).orderId, 'cancelled', 'by the venue');
    const cut = store.crash();
    const next = await startAgents(world, cut);
    await shown(next, world, 20);
    expect([theBid(cut).state, activity(next, world), world.venue.orders.size]).toEqual([
      'cancelled',
      'watching',
      1,
    ]);
  });

  it('L2: whose answer was lost is asked about, and followed once the venue has it', async () => {
    const { world, store, life } = await anAgentsWorld();
    world.venue.quote(world.market.outcomes[0].tokenId, {
      bid: [5_500, 1_000],
      ask: [7_200, 1_000],
    });
    await enableAgent(life, world.user, 'btc_5min', 'limiter');
    world.venue.submitFaults.push({ kind: 'late-book', ms: 3_000 });
    life.signals.show(strong(world.clock.nowMs()));
    await world.clock.advance(1_000);
    const next = await restarted(world, store, life);
    await shown(next.life, world, 15);
    expect([theBid(next.store).state, activity(next.life, world), world.venue.orders.size]).toEqual(
      ['live', 'resting', 1],
    );
    world.venue.trade(theBid(next.store).orderId, 8_330_000, priceTicks(6_000));
    await shown(next.life, world, 10);
    expect(activity(next.life, world)).toBe('holding');
  });

  it('is taken back after the restart when it cannot be judged', async () => {
    const { world, store, life } = await aBidder();
    const next = await restarted(world, store, life);
    await shown(
      next.life,
      world,
      BID.unjudgedMaximumMs / 1_000 + AGENT.reviewIntervalMs / 1_000 + 1,
      (atMs) => ({ ...strong(atMs), strike: null }),
    );
    expect([theBid(next.store).state, activity(next.life, world)]).toEqual([
      'cancelled',
      'watching',
    ]);
  });
});
