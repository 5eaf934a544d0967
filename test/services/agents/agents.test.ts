import { describe, expect, it } from 'vitest';
import { AGENT } from '../../../config/limits.ts';
import { STALENESS } from '../../../config/limits/market-data.ts';
import { AGENT_PROFILES } from '../../../src/domain/agent.ts';
import { AGENT_IDS } from '../../../src/domain/ids.ts';
import { viewAgentSettings } from '../../../src/http/views/agent.ts';
import { AGENT_RESULTS } from '../../../src/services/books/tables.ts';
import { anAgentsWorld, enableAgent, startAgents } from '../../support/worlds/agents-world.ts';
import { aBook, aLevel, aUserId, T0 } from '../../support/builders.ts';
import {
  aPrediction,
  aPrice,
  aRoundMarket,
  aRoundView,
  aTop,
  freshRound,
  observed,
  turnedRound,
} from '../../support/worlds/round-views.ts';
import { brokenLaws, ordersOf } from '../../support/worlds/trading-world.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

const FIRST_PAGE = { limit: 50, cursor: null };
const market2 = aRoundMarket(2, { endsAtMs: T0 + 600_000 });
/** The second round, a minute into it. */
const SECOND_ROUND = { market: market2, startsAtMs: T0 + 300_000, endsAtMs: T0 + 600_000 } as const;

function secondRound(atMs: number) {
  return aRoundView({
    ...SECOND_ROUND,
    atMs,
    oracle: observed(aPrice(70_070), atMs),
    exchange: observed(aPrice(70_072), atMs),
    books: [aTop(4_900, 5_000, atMs), aTop(4_900, 5_000, atMs)],
  });
}

describe('enabling an agent', () => {
  it('lists every agent, disabled, with the defaults', async () => {
    const { world, life } = await anAgentsWorld();
    expect(
      life.agents
        .list(world.user)
        .map(({ profile, enabled, activity, settings, updatedAtMs }) => [
          profile.agentId,
          enabled,
          activity,
          settings.strategy,
          updatedAtMs,
        ]),
    ).toEqual([
      ['btc_5min', false, 'disabled', 'up_down', null],
      ['eth_15min', false, 'disabled', 'up_down', null],
      ['btc_15min', false, 'disabled', 'up_down', null],
      ['sol_15min', false, 'disabled', 'up_down', null],
      ['venue_a_farming', false, 'disabled', 'high_probability', null],
      ['venue_b_farming', false, 'disabled', 'high_probability', null],
    ]);
  });

  it('is refused for one whose venue is not served, which is said beforehand too', async () => {
    const { world, life } = await anAgentsWorld();
    const missing = [{ path: '/venue', message: 'venue_b is not served here' }];
    expect(life.agents.view(world.user, 'venue_b_farming').missing).toEqual(missing);
    await expect(life.agents.enable(world.user, 'venue_b_farming')).rejects.toMatchObject({
      code: 'agent_not_ready',
      fields: missing,
    });
  });

  it('is enabled with the defaults, all unchanged', async () => {
    const { world, life } = await anAgentsWorld();
    expect(await life.agents.enable(world.user, 'btc_5min')).toMatchObject({
      enabled: true,
      missing: [],
      settings: { avgPositionSize: '5', strategy: 'up_down' },
    });
  });

  it('is refused with what is missing: funds for its size', async () => {
    const { world, life } = await anAgentsWorld(4_000_000);
    const missing = [
      {
        path: '/funds',
        code: 'insufficient_funds',
        message: '4 USDC is available, the position size asks for 5',
      },
    ];
    expect(life.agents.view(world.user, 'btc_5min').missing).toEqual(missing);
    await expect(life.agents.enable(world.user, 'btc_5min')).rejects.toMatchObject({
      code: 'agent_not_ready',
      fields: missing,
    });
    expect(life.agents.view(world.user, 'btc_5min').enabled).toBe(false);
    await life.agents.updateSettings(world.user, 'btc_5min', { avgPositionSize: 4 });
    expect(await life.agents.enable(world.user, 'btc_5min')).toMatchObject({
      enabled: true,
      activity: 'watching',
      missing: [],
    });
  });

  it.each(AGENT_IDS.filter((agentId) => AGENT_PROFILES[agentId].venue === VENUE_A))(
    'takes back the settings of %s as they are read, on and off, and is switched by neither',
    async (agentId) => {
      const { world, life } = await anAgentsWorld();
      const read = () => ({ ...viewAgentSettings(life.agents.view(world.user, agentId)) });
      for (const isEnabled of [false, true]) {
        if (isEnabled) await life.agents.enable(world.user, agentId);
        const before = read();
        expect([
          before.enabled,
          viewAgentSettings(await life.agents.updateSettings(world.user, agentId, before)),
        ]).toEqual([isEnabled, before]);
        await expect(
          life.agents.updateSettings(world.user, agentId, { enabled: !isEnabled }),
        ).rejects.toMatchObject({
          code: 'setting_out_of_range',
          fields: [{ path: '/enabled' }],
          message: expect.stringContaining('enabled: '),
        });
        expect(read()).toEqual(before);
      }
    },
  );

  it('says what the agent does from the moment that a change is reported', async () => {
    const { world, life } = await anAgentsWorld();
    const reported: unknown[] = [];
    life.bus.subscribe(({ event }) => {
      if (event.type !== 'agent.changed') return;
      const { enabled, activity } = life.agents.view(event.userId, event.agent.agentId);
      reported.push([event.agent.agentId, enabled, activity]);
    });
    await enableAgent(life, world.user);
    await life.agents.disable(world.user, 'btc_5min');
    await life.agents.updateSettings(world.user, 'venue_a_farming', { avgPositionSize: 5 });
    await life.agents.enable(world.user, 'venue_a_farming');
    expect(reported).toEqual([
      ['btc_5min', false, 'disabled'],
      ['btc_5min', true, 'watching'],
      ['btc_5min', false, 'disabled'],
      ['venue_a_farming', false, 'disabled'],
      ['venue_a_farming', true, 'watching'],
    ]);
  });

  it('is the same done twice at once, and tells it once', async () => {
    const { world, life } = await anAgentsWorld();
    await life.agents.updateSettings(world.user, 'btc_5min', {
      avgPositionSize: 5,
      strategy: 'up_down',
    });
    await Promise.all([
      life.agents.enable(world.user, 'btc_5min'),
      life.agents.enable(world.user, 'btc_5min'),
    ]);
    expect(
      life.bus.entries.filter(({ event }) => event.type === 'agent.changed' && event.agent.enabled),
    ).toHaveLength(1);
    expect(life.signals.groups.size).toBe(1);
  });

  it('refuses unknown and impossible settings and keeps the old ones', async () => {
    const { world, life } = await anAgentsWorld();
    await expect(
      life.agents.updateSettings(world.user, 'btc_5min', { avgPositionSize: 4, size: 1 }),
    ).rejects.toMatchObject({ code: 'unknown_setting' });
    await expect(
      life.agents.updateSettings(world.user, 'btc_5min', { avgPositionSize: 101 }),
    ).rejects.toMatchObject({ code: 'setting_out_of_range' });
    expect(life.agents.view(world.user, 'btc_5min').settings.avgPositionSize).toBe('5');
  });

  it('shares one judge among agents with one threshold and drops unused judges', async () => {
    const { world, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    await life.agents.updateSettings(world.user, 'btc_5min', { notifyOnTrade: false });
    expect([...life.signals.groups.keys()]).toEqual(['btc_5min:up_down:500']);
    await life.agents.updateSettings(world.user, 'btc_5min', { inferenceDifferencePercent: '0.1' });
    expect([...life.signals.groups.keys()]).toEqual(['btc_5min:up_down:1000']);
    await life.agents.disable(world.user, 'btc_5min');
    expect(life.signals.groups.size).toBe(0);
  });
});

describe('an enabled agent', () => {
  it('L11: trades on a signal, and its receipt is in the journal before its order', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    life.signals.show(aRoundView());
    await world.clock.advance(10_000);
    const [receipt] = life.agents.trades(world.user, 'btc_5min', FIRST_PAGE).data;
    expect(receipt).toMatchObject({
      decision: {
        agentId: 'btc_5min',
        strategy: 'up_down',
        atMs: T0 + 60_000,
        amountUsdc: 5_000_000,
        decision: { verdict: 'enter', outcome: 0 },
        outcome: { kind: 'order' },
      },
      order: { state: 'filled', filledUsdc: 5_000_000, filledShares: 10_000_000 },
    });
    expect(receipt?.decision.inputs).toHaveLength(8);
    const facts = store.readJournal(0, 1_000).map(({ event }) => event.type);
    expect(facts.indexOf('order.intended')).toBe(facts.indexOf('decision.made') + 1);
    expect(receipt?.order?.intent.origin).toEqual({
      kind: 'agent',
      agentId: 'btc_5min',
      decisionId: receipt?.decision.decisionId,
      purpose: 'entry',
    });
    expect(life.agents.view(world.user, 'btc_5min').activity).toBe('holding');
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it.each([
    [
      'oracle price',
      STALENESS.venueOracleMs,
      (atMs: number) => ({ oracle: observed(aPrice(70_070), atMs) }),
    ],
    [
      'exchange price',
      STALENESS.exchangeMs,
      (atMs: number) => ({ exchange: observed(aPrice(70_072), atMs) }),
    ],
    [
      'prediction',
      STALENESS.inference5mMs,
      (atMs: number) => ({ prediction: observed(aPrediction(70_120), atMs) }),
    ],
    [
      'Up book',
      STALENESS.bookMs,
      (atMs: number) => ({ books: [aTop(7_000, 7_200, atMs), aTop(2_800, 3_000)] as const }),
    ],
  ] as const)(
    'L8: does not act on a signal that has grown stale on its way: %s',
    async (name, limitMs, aged) => {
      for (const [lateMs, orders] of [
        [1, 0],
        [0, 1],
      ] as const) {
        const { world, store, life } = await anAgentsWorld();
        await enableAgent(life, world.user);
        life.signals.show(aRoundView(aged(T0 + 60_000 - limitMs - lateMs)));
        await world.clock.advance(500);
        expect(ordersOf(store)).toHaveLength(orders);
        if (lateMs > 0)
          expect(life.agents.decisions(world.user, 'btc_5min', FIRST_PAGE).data[0]).toMatchObject({
            decision: { decision: { verdict: 'skip', reason: `No decision without ${name}.` } },
            order: null,
          });
      }
    },
  );

  it('pays no share above 98 cents, what its strategy takes at most, however thin the book', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    const token = world.market.outcomes[0].tokenId;
    const asks = (...levels: readonly (readonly [ticks: number, shares: number])[]) =>
      world.books.set(
        token,
        aBook(world.market, 0, {
          receivedAtMs: world.clock.nowMs() + 60_000,
          bids: [aLevel(9_600, 100)],
          asks: levels.map(([ticks, shares]) => aLevel(ticks, shares)),
        }),
      );
    asks([9_700, 1], [9_900, 1_000]);
    life.signals.show(aRoundView({ books: [aTop(9_600, 9_700), aTop(200, 300)] }));
    await world.clock.advance(500);
    expect(ordersOf(store)).toEqual([]);
    expect(life.agents.decisions(world.user, 'btc_5min', FIRST_PAGE).data[0]).toMatchObject({
      decision: {
        outcome: {
          kind: 'refused',
          code: 'no_liquidity',
          message: expect.stringContaining('the worst price accepted is 0.98'),
        },
      },
    });
    asks([9_800, 1_000]);
    await world.clock.advance(1_500);
    expect(ordersOf(store).map(({ intent }) => intent.price)).toEqual([9_800]);
  });

  it('acts a moment later on a signal that still says enter once its inputs are back', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    life.signals.show(aRoundView());
    life.signals.views.set(world.market.marketId, aRoundView({ oracle: null }));
    await world.clock.advance(500);
    expect(ordersOf(store)).toEqual([]);
    life.signals.views.set(world.market.marketId, aRoundView());
    await world.clock.advance(1_000);
    expect(ordersOf(store)).toHaveLength(1);
  });

  it('L8: does not act when its round is no longer watched', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    life.signals.show(aRoundView());
    life.signals.views.clear();
    await world.clock.advance(1_000);
    expect(ordersOf(store)).toEqual([]);
  });

  it('cuts its size to what cash covers, and skips with one receipt when that is below the smallest', async () => {
    const { world, life } = await anAgentsWorld(5_000_000);
    await enableAgent(life, world.user);
    await life.agents.updateSettings(world.user, 'btc_5min', {
      maxPositionSize: 20,
      avgPositionSize: 20,
    });
    life.signals.show(aRoundView());
    await world.clock.advance(10_000);
    const [first] = life.agents.trades(world.user, 'btc_5min', FIRST_PAGE).data;
    expect(first?.decision.amountUsdc).toBe(4_671_961);
    await world.clock.advanceTo(T0 + 360_000);
    for (let again = 0; again < 3; again += 1) {
      life.signals.show(secondRound(world.clock.nowMs()));
      await world.clock.advance(1_000);
      life.signals.show({ ...secondRound(world.clock.nowMs()), oracle: null });
    }
    const skips = life.agents
      .decisions(world.user, 'btc_5min', FIRST_PAGE)
      .data.filter(({ decision }) => decision.decision.reason.startsWith('Cash of'));
    expect(skips).toHaveLength(1);
    expect(skips[0]?.decision.decision.criteria.at(-1)).toMatchObject({
      name: 'cash',
      passed: false,
    });
  });

  it('writes down what it was refused, and judges anew a moment later', async () => {
    const { world, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    const token = world.market.outcomes[0].tokenId;
    world.books.set(token, aBook(world.market, 0, { distrust: 'gap' }));
    life.signals.show(aRoundView());
    await world.clock.advance(500);
    expect(life.agents.decisions(world.user, 'btc_5min', FIRST_PAGE).data).toMatchObject([
      {
        decision: {
          decision: { verdict: 'enter' },
          outcome: { kind: 'refused', code: 'book_untrusted' },
        },
        order: null,
      },
    ]);
    world.books.delete(token);
    await world.clock.advance(AGENT.retryAfter5MinMs);
    expect(
      life.agents
        .decisions(world.user, 'btc_5min', FIRST_PAGE)
        .data.map(({ decision }) => decision.outcome.kind),
    ).toEqual(['order', 'refused']);
  });

  it('hears the signal of a round that was under way when it was enabled', async () => {
    const { world, store, life } = await anAgentsWorld();
    const other = aUserId(2);
    world.venue.deposit(other, 50_000_000);
    await life.funding.syncDeposits(other);
    await enableAgent(life, other);
    life.signals.show(aRoundView());
    await world.clock.advance(1_000);
    await enableAgent(life, world.user);
    await world.clock.advance(1_000);
    expect(
      ordersOf(store)
        .map(({ intent }) => intent.userId)
        .sort(),
    ).toEqual([world.user, other].sort());
  });

  it('hears what its new signal says at once when it is the first to share it', async () => {
    const { world, store, life } = await anAgentsWorld();
    life.signals.show(aRoundView());
    await enableAgent(life, world.user);
    await world.clock.advance(1_000);
    expect(ordersOf(store)).toHaveLength(1);
  });

  it('trades round after round, each once', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    life.signals.show(aRoundView());
    await world.clock.advanceTo(T0 + 360_000);
    // The second round has not been shown yet.
    expect(life.agents.view(world.user, 'btc_5min').activity).toBe('degraded');
    life.signals.show(secondRound(world.clock.nowMs()));
    await world.clock.advance(10_000);
    expect(ordersOf(store).map(({ intent }) => intent.marketId)).toEqual([
      world.market.marketId,
      market2.marketId,
    ]);
  });

  it('serves many agents of one signal, each exactly once', async () => {
    const { world, store, life } = await anAgentsWorld();
    const users = Array.from({ length: 150 }, (_, index) => aUserId(100 + index));
    for (const user of users) {
      world.venue.deposit(user, 20_000_000);
      await life.funding.syncDeposits(user);
      await enableAgent(life, user);
    }
    expect(life.signals.groups.size).toBe(1);
    life.signals.show(aRoundView());
    await world.clock.advance(2_000);
    expect(
      ordersOf(store)
        .map(({ intent }) => intent.userId)
        .sort(),
    ).toEqual([...users].sort());
  });
});

describe('stopping', () => {
  it('L6: a disabled agent does not trade, also when the signal was already on its way', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    life.signals.show(aRoundView());
    await life.agents.disable(world.user, 'btc_5min');
    await world.clock.advance(10_000);
    expect([ordersOf(store), world.clock.pending]).toEqual([[], 0]);
    expect(life.agents.view(world.user, 'btc_5min')).toMatchObject({
      enabled: false,
      activity: 'disabled',
    });
  });

  it('L6: stays disabled over a crash', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    await life.agents.disable(world.user, 'btc_5min');
    const next = await startAgents(world, store.crash());
    expect([next.agents.view(world.user, 'btc_5min').enabled, next.signals.groups.size]).toEqual([
      false,
      0,
    ]);
    next.signals.show(aRoundView());
    await world.clock.advance(10_000);
    expect(ordersOf(next.store)).toEqual([]);
  });

  it('L6: a stop of the operator is recorded in the receipt, and no order is made', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    await life.orders.setStop({ kind: 'all' }, true, 'test');
    life.signals.show(aRoundView());
    await world.clock.advance(60_000);
    expect(ordersOf(store)).toEqual([]);
    expect(life.agents.decisions(world.user, 'btc_5min', FIRST_PAGE).data).toMatchObject([
      { decision: { outcome: { kind: 'refused', code: 'trading_stopped' } } },
    ]);
  });

  it('keeps what it holds when it is disabled in mid-trade, and sells nothing any more', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    life.signals.show(aRoundView());
    await world.clock.advance(10_000);
    await life.agents.disable(world.user, 'btc_5min');
    life.signals.show(turnedRound(world.clock.nowMs()));
    await world.clock.advance(30_000);
    expect(ordersOf(store).map(({ intent }) => intent.side)).toEqual(['buy']);
    expect(life.portfolio.holdings(world.user)).toMatchObject([{ settledShares: 10_000_000 }]);
  });

  it('acts once when it was disabled and enabled again while it held', async () => {
    const { world, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    life.signals.show(aRoundView());
    await world.clock.advance(10_000);
    await life.agents.disable(world.user, 'btc_5min');
    await life.agents.enable(world.user, 'btc_5min');
    expect(life.agents.view(world.user, 'btc_5min').activity).toBe('holding');
    life.signals.show(turnedRound(world.clock.nowMs()));
    await world.clock.advance(4_000);
    const receipts = life.agents.decisions(world.user, 'btc_5min', FIRST_PAGE).data;
    expect(receipts.filter(({ decision }) => decision.decision.verdict === 'exit')).toHaveLength(1);
  });

  it('leaves no timer of its own behind', async () => {
    const { world, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    life.signals.show(aRoundView());
    await world.clock.advance(1_000);
    await life.agents.stop();
    await life.orders.stop();
    // The venue's own timers settle the trade in the meantime.
    await world.clock.advance(4_000);
    expect([world.clock.pending, life.signals.groups.size]).toEqual([0, 0]);
  });
});

describe('restarting', () => {
  it('L7: never trades a market a second time, over any number of restarts', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    life.signals.show(aRoundView());
    await world.clock.advance(10_000);
    let current = { store, life };
    for (let restart = 0; restart < 3; restart += 1) {
      await current.life.agents.stop();
      await current.life.orders.stop();
      const cut = current.store.crash();
      current = { store: cut, life: await startAgents(world, cut) };
      const now = world.clock.nowMs();
      current.life.signals.show(
        aRoundView({
          oracle: observed(aPrice(70_070), now),
          exchange: observed(aPrice(70_072), now),
          books: [aTop(7_000, 7_200, now), null],
        }),
      );
      await world.clock.advance(10_000);
    }
    expect(ordersOf(current.store)).toHaveLength(1);
    expect(world.venue.orders.size).toBe(1);
    expect(brokenLaws(current.store, world.user)).toEqual([]);
  });

  it('L9: takes up its position again and leaves it when the signal turns', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    life.signals.show(aRoundView());
    await world.clock.advance(10_000);
    await life.agents.stop();
    await life.orders.stop();
    const next = await startAgents(world, store.crash());
    expect(next.agents.view(world.user, 'btc_5min').activity).toBe('holding');
    next.signals.show(turnedRound(world.clock.nowMs()));
    await world.clock.advance(20_000);
    expect(ordersOf(next.store).map(({ intent, state }) => [intent.side, state])).toEqual([
      ['buy', 'filled'],
      ['sell', 'filled'],
    ]);
    expect(brokenLaws(next.store, world.user)).toEqual([]);
  });

  it('L2: comes back to a position whose order was undecided at the crash and filled after it', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    world.venue.submitFaults.push({ kind: 'late-book', ms: 3_000 });
    world.venue.areReadsDown = true;
    life.signals.show(aRoundView());
    await world.clock.advance(1_000);
    await life.agents.stop();
    await life.orders.stop();
    const next = await startAgents(world, store.crash());
    expect(next.agents.view(world.user, 'btc_5min').activity).toBe('watching');
    next.signals.show(freshRound(world.clock.nowMs()));
    await world.clock.advance(5_000);
    world.venue.areReadsDown = false;
    await world.clock.advance(20_000);
    expect(next.agents.view(world.user, 'btc_5min').activity).toBe('holding');
    expect(ordersOf(next.store).map(({ state }) => state)).toEqual(['filled']);
    expect(world.venue.orders.size).toBe(1);
  });
});

describe('a position after entry', () => {
  it('is judged again: one receipt says it is held', async () => {
    const { world, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    life.signals.show(aRoundView());
    for (let review = 0; review < 5; review += 1) {
      await world.clock.advance(AGENT.reviewIntervalMs);
      life.signals.show(freshRound(world.clock.nowMs()));
    }
    expect(
      life.agents
        .decisions(world.user, 'btc_5min', FIRST_PAGE)
        .data.map(({ decision }) => decision.decision.verdict),
    ).toEqual(['hold', 'enter']);
  });

  it('is left when the signal turns and the book pays more than holding, and not sold twice', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    life.signals.show(aRoundView());
    await world.clock.advance(10_000);
    life.signals.show(turnedRound(world.clock.nowMs()));
    await world.clock.advance(100);
    expect(ordersOf(store)).toHaveLength(2);
    await world.clock.advance(4_000);
    life.signals.show(turnedRound(world.clock.nowMs()));
    await world.clock.advance(30_000);
    expect(
      ordersOf(store).map(({ intent, filledShares }) => [intent.side, intent.life, filledShares]),
    ).toEqual([
      ['buy', 'all_now', 10_000_000],
      ['sell', 'part_now', 10_000_000],
    ]);
    expect(
      life.agents
        .trades(world.user, 'btc_5min', FIRST_PAGE)
        .data.map(({ decision }) => decision.decision.verdict),
    ).toEqual(['exit', 'enter']);
    expect(life.agents.performance(world.user, 'btc_5min')).toMatchObject({
      trades: 1,
      openPositions: 0,
      wins: 0,
      losses: 1,
      winRateMicros: 0,
    });
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('L3: is left again when the sale did not settle', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    life.signals.show(aRoundView());
    await world.clock.advance(10_000);
    world.venue.settlements.push([{ afterMs: 8_000, word: 'failed' }]);
    for (let review = 0; review < 10; review += 1) {
      life.signals.show(turnedRound(world.clock.nowMs()));
      await world.clock.advance(4_000);
    }
    expect(ordersOf(store).map(({ intent }) => intent.side)).toEqual(['buy', 'sell', 'sell']);
    expect(life.agents.performance(world.user, 'btc_5min')).toMatchObject({ openPositions: 0 });
    expect(brokenLaws(store, world.user)).toEqual([]);
  });

  it('ends without ever having reported a holding when its entry was killed after the venue had held it', async () => {
    const { world, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    world.venue.submitFaults.push({ kind: 'delayed', ms: 250 });
    world.venue.quote(world.market.outcomes[0].tokenId, {
      bid: [4_800, 1_000],
      ask: [9_000, 1_000],
    });
    life.signals.show(aRoundView());
    for (let review = 0; review < 3; review += 1) {
      await world.clock.advance(AGENT.reviewIntervalMs);
      life.signals.show(freshRound(world.clock.nowMs()));
    }
    expect(
      life.agents
        .decisions(world.user, 'btc_5min', FIRST_PAGE)
        .data.map(({ decision }) => decision.decision.verdict),
    ).toEqual(['enter']);
    expect(life.agents.view(world.user, 'btc_5min').activity).toBe('watching');
  });

  it('keeps dust that cannot be sold at the venue until the market pays, and does not try again', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    world.venue.quote(world.market.outcomes[0].tokenId, {
      bid: [4_800, 1_000],
      ask: [4_900, 1_000],
    });
    life.signals.show(aRoundView());
    await world.clock.advance(10_000);
    for (let review = 0; review < 4; review += 1) {
      life.signals.show(turnedRound(world.clock.nowMs()));
      await world.clock.advance(4_000);
    }
    const [entry, ...exits] = ordersOf(store);
    expect(exits.map(({ filledShares }) => filledShares)).toEqual([
      Math.floor((entry?.filledShares ?? 0) / 10_000) * 10_000,
    ]);
    expect((entry?.filledShares ?? 0) % 10_000).toBeGreaterThan(0);
    expect(
      life.agents
        .decisions(world.user, 'btc_5min', FIRST_PAGE)
        .data.filter(({ decision }) => decision.decision.verdict === 'exit'),
    ).toHaveLength(1);
    expect(life.agents.view(world.user, 'btc_5min').activity).toBe('watching');
  });

  it.each([
    { about: 'a position it waits with', untilMs: T0 + 60_000, timers: 1 },
    {
      about: 'one whose round is over',
      untilMs: aRoundView().endsAtMs + AGENT.reviewIntervalMs,
      timers: 0,
    },
  ])(
    'keeps $timers timer for $about: that of the review of all positions together',
    async ({ untilMs, timers }) => {
      const timersAt = async (signal: boolean): Promise<number> => {
        const { world, life } = await anAgentsWorld();
        await enableAgent(life, world.user);
        if (signal) life.signals.show(aRoundView());
        await world.clock.advanceTo(untilMs);
        expect(life.agents.view(world.user, 'btc_5min').activity === 'holding').toBe(
          signal && timers > 0,
        );
        const { pending } = world.clock;
        await life.agents.stop();
        return pending - world.clock.pending;
      };
      expect((await timersAt(true)) - (await timersAt(false))).toBe(timers);
    },
  );

  it('is sold once the venue takes orders again, though it refused several sales of the round', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    life.signals.show(aRoundView());
    await world.clock.advance(10_000);
    for (let fault = 0; fault < 100; fault += 1)
      world.venue.submitFaults.push({ kind: 'rejected', reason: 'not now' });
    const reviewFor = async (ms: number) => {
      for (let passedMs = 0; passedMs < ms; passedMs += AGENT.reviewIntervalMs) {
        life.signals.show(turnedRound(world.clock.nowMs()));
        await world.clock.advance(AGENT.reviewIntervalMs);
      }
    };
    const sales = () =>
      ordersOf(store)
        .filter(({ intent }) => intent.side === 'sell')
        .map(({ state }) => state);
    const { pending } = world.clock;
    await reviewFor(90_000);
    // between two tries it waits as it did before them, without an actor of its own
    expect(world.clock.pending).toBe(pending);
    expect([
      sales().length > AGENT.exitsQuick,
      sales().length <= AGENT.exitsQuick + 4,
      sales().includes('filled'),
    ]).toEqual([true, true, false]);
    expect(life.agents.view(world.user, 'btc_5min').activity).toBe('holding');
    world.venue.submitFaults.length = 0;
    await reviewFor(AGENT.exitPauseMaximumMs + AGENT.reviewIntervalMs);
    expect(sales().filter((state) => state === 'filled')).toHaveLength(1);
  });

  it('is left by the agent with its own shares only, not those bought manually', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    life.signals.show(aRoundView());
    await world.clock.advance(10_000);
    const manual = life.orders.place(world.user, {
      venue: VENUE_A,
      marketId: world.market.marketId,
      outcome: 0,
      side: 'buy',
      amount: { unit: 'usdc', micros: 20_000_000 },
      type: { kind: 'market' },
      origin: { kind: 'manual' },
    });
    await world.clock.advance(10_000);
    await manual;
    life.signals.show(turnedRound(world.clock.nowMs()));
    await world.clock.advance(4_000);
    life.signals.show(turnedRound(world.clock.nowMs()));
    await world.clock.advance(30_000);
    expect(
      ordersOf(store)
        .filter(({ intent }) => intent.side === 'sell')
        .map(({ filledShares }) => filledShares),
    ).toEqual([10_000_000]);
    expect(life.portfolio.holdings(world.user)).toMatchObject([{ settledShares: 40_000_000 }]);
  });

  it('counts into performance: open at the bid, then won', async () => {
    const { world, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    life.signals.show(aRoundView());
    await world.clock.advance(8_000);
    life.signals.show(freshRound(world.clock.nowMs()));
    expect(life.agents.performance(world.user, 'btc_5min')).toEqual({
      trades: 1,
      filledTrades: 1,
      fillRateMicros: 1_000_000,
      wins: 0,
      losses: 0,
      winRateMicros: null,
      realizedPnl: 0,
      drawdownUsdc: 0,
      unrealizedPnl: 1_825_000,
      unpricedPositions: 0,
      openPositions: 1,
      exposureUsdc: 5_175_000,
      feesUsdc: 175_000,
      paper: null,
    });
    await world.clock.advanceTo(T0 + 301_000);
    world.venue.resolve(world.market.marketId, [10_000, 0]);
    await world.clock.advance(120_000);
    expect(life.agents.performance(world.user, 'btc_5min')).toMatchObject({
      trades: 1,
      wins: 1,
      losses: 0,
      winRateMicros: 1_000_000,
      realizedPnl: 4_825_000,
      unrealizedPnl: 0,
      openPositions: 0,
      exposureUsdc: 0,
    });
    const { agents, total } = life.agents.performanceOfAll(world.user);
    expect(agents.find(({ agentId }) => agentId === 'btc_5min')?.performance).toEqual(total);
    expect(agents.find(({ agentId }) => agentId === 'eth_15min')?.performance).toMatchObject({
      trades: 0,
      winRateMicros: null,
      realizedPnl: 0,
    });
  });

  it('counts a loss into performance, of the agent and of all', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    life.signals.show(aRoundView());
    await world.clock.advance(8_000);
    expect(life.agents.performance(world.user, 'btc_5min')).toMatchObject({
      trades: 1,
      feesUsdc: 175_000,
    });
    await world.clock.advanceTo(T0 + 301_000);
    world.venue.resolve(world.market.marketId, [0, 10_000]);
    await world.clock.advance(120_000);
    expect(life.agents.performance(world.user, 'btc_5min')).toMatchObject({
      trades: 1,
      fillRateMicros: 1_000_000,
      wins: 0,
      losses: 1,
      realizedPnl: -5_175_000,
      drawdownUsdc: 5_175_000,
      feesUsdc: 175_000,
    });
    expect(store.range(AGENT_RESULTS).map(({ key }) => key[1])).toEqual(['all', 'btc_5min']);
  });
});
