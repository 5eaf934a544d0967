import { describe, expect, it } from 'vitest';
import { HEALTH, SETTLEMENT_BREAKER } from '../../../config/limits/risk.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { asId, type DecisionId, type UserId } from '../../../src/domain/ids.ts';
import type { BreakerState } from '../../../src/domain/settlement-breaker.ts';
import { accessLike } from '../../support/closed-access.ts';
import type { StoreWriter } from '../../../src/ports/store.ts';
import type { HealthChange } from '../../../src/services/agents/health.ts';
import { BREAKERS, VENUE_ACCESS_STATES } from '../../../src/services/books/tables.ts';
import {
  anAgentsWorld,
  enableAgent,
  startAgents,
  type AgentsLife,
} from '../../support/worlds/agents-world.ts';
import { aLimitBuy, aMarketBuy, aMarketId } from '../../support/builders.ts';
import { aRoundView, freshRound } from '../../support/worlds/round-views.ts';
import { brokenLaws, during, ordersOf, type World } from '../../support/worlds/trading-world.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

const FIRST_PAGE = { limit: 50, cursor: null };
const entry = {
  kind: 'agent',
  agentId: 'btc_5min',
  decisionId: asId<DecisionId>('dec_1'),
  purpose: 'entry',
} as const;

/** An agent that watches, its round seen whole; the reported changes of health are kept. */
async function aWatchingAgent() {
  const { world, store, life } = await anAgentsWorld(1_000_000_000);
  const changes: HealthChange[] = [];
  life.agents.watchHealth((change) => void changes.push(change));
  await enableAgent(life, world.user);
  return { world, store, life, changes };
}

/** Shows views of the round for a while, each made for its moment. */
async function showFor(
  world: World,
  life: AgentsLife,
  ms: number,
  changes: Partial<ReturnType<typeof freshRound>>,
): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    life.signals.views.set(world.market.marketId, {
      ...freshRound(world.clock.nowMs()),
      ...changes,
    });
    await world.clock.advance(1_000);
  }
}

function codesOf(life: AgentsLife, world: World): readonly string[] {
  return life.agents.view(world.user, 'btc_5min').degraded.map(({ code }) => code);
}

describe('L8: an agent says why it does not decide', () => {
  it.each([
    ['oracle_stale', { oracle: null }],
    ['exchange_stale', { exchange: null }],
    ['feeds_disagree', { oracle: null, exchange: null, areFeedsApart: true }],
    ['inference_stale', { prediction: null }],
    ['book_untrusted', { books: [null, null] }],
  ] as const)(
    'L8: %s, begins after a while, ends by itself, and is reported and counted both times',
    async (code, view) => {
      const { world, life, changes } = await aWatchingAgent();
      await showFor(world, life, 10_000, {});
      expect([codesOf(life, world), changes]).toEqual([[], []]);
      await showFor(world, life, HEALTH.reportedAfterMs - 2_000, view);
      expect(codesOf(life, world)).toEqual([]);
      await showFor(world, life, 6_000, view);
      expect(life.agents.view(world.user, 'btc_5min')).toMatchObject({
        enabled: true,
        activity: 'degraded',
        degraded: [{ code, message: expect.stringMatching(/\.$/), sinceMs: expect.any(Number) }],
      });
      expect([
        changes,
        life.metrics.counts.get(`agent_enrolments_degraded btc_5min ${code}`),
      ]).toEqual([[{ kind: 'agent', agentId: 'btc_5min' }], 1]);
      await showFor(world, life, 4_000, {});
      expect([
        codesOf(life, world),
        life.agents.view(world.user, 'btc_5min').activity,
        changes.length,
        life.metrics.counts.get(`agent_enrolments_degraded btc_5min ${code}`),
      ]).toEqual([[], 'watching', 2, 0]);
    },
  );

  it('L8: an input is missing for a hiccup in wall time, however fast the markets run', async () => {
    const { world, life } = await aWatchingAgent();
    Object.assign(world.clock, { speed: 10 });
    await showFor(world, life, HEALTH.reportedAfterMs * 10 - 2_000, { exchange: null });
    expect(codesOf(life, world)).toEqual([]);
    await showFor(world, life, 6_000, { exchange: null });
    expect(codesOf(life, world)).toEqual(['exchange_stale']);
  });

  it('L8: a round that cannot be seen is a market that is not known', async () => {
    const { world, life } = await aWatchingAgent();
    await world.clock.advance(8_000);
    expect(codesOf(life, world)).toEqual(['market_unknown']);
  });

  it('a disabled agent is not degraded, and nothing is looked at for it', async () => {
    const { world, life } = await aWatchingAgent();
    await world.clock.advance(8_000);
    await life.agents.disable(world.user, 'btc_5min');
    expect(codesOf(life, world)).toEqual([]);
    await world.clock.advance(4_000);
    expect(world.clock.pending).toBe(0);
  });

  it('L6: a stop of the operator and of the user are among its reasons', async () => {
    const { world, life } = await aWatchingAgent();
    await showFor(world, life, 2_000, {});
    await life.orders.setStop({ kind: 'all' }, true, 'alarm');
    await life.orders.setStop({ kind: 'user', userId: world.user }, true, 'alarm');
    expect(codesOf(life, world)).toEqual(['all_trading_stopped', 'user_stopped']);
    await life.orders.setStop({ kind: 'all' }, false, 'over');
    await life.orders.setStop({ kind: 'user', userId: world.user }, false, 'over');
    expect(codesOf(life, world)).toEqual([]);
  });
});

describe('a user whose orders cannot be seen', () => {
  /** The agent's user has a bid of their own at the venue, so that something is in motion. */
  async function aBlindUser(down: 'channel and reads' | 'reads') {
    const { world, store, life, changes } = await aWatchingAgent();
    await during(world, life.orders.place(world.user, aLimitBuy({ marketId: aMarketId(2) })));
    await showFor(world, life, 5_000, {});
    world.venue.areReadsDown = true;
    world.venue.isChannelDown = down === 'channel and reads';
    if (world.venue.isChannelDown) world.venue.breakChannels();
    return { world, store, life, changes };
  }

  it('L8: makes the agent degraded after a while; it enters nothing, says so in one receipt, and comes back by itself', async () => {
    const { world, store, life, changes } = await aBlindUser('channel and reads');
    await showFor(world, life, HEALTH.blindAfterMs + 35_000, {});
    expect(codesOf(life, world)).toEqual(['user_stream_blind']);
    expect(changes).toContainEqual({ kind: 'user', userId: world.user });
    life.signals.show(freshRound(world.clock.nowMs()));
    await showFor(world, life, 5_000, {});
    expect(ordersOf(store).filter(({ intent }) => intent.origin.kind === 'agent')).toEqual([]);
    const skips = life.agents
      .decisions(world.user, 'btc_5min', FIRST_PAGE)
      .data.filter(({ decision }) => decision.decision.reason.startsWith('Degraded:'));
    expect(skips).toMatchObject([
      {
        decision: {
          decision: {
            verdict: 'skip',
            criteria: expect.arrayContaining([
              expect.objectContaining({ name: 'user_stream_blind', passed: false }),
            ]),
          },
        },
      },
    ]);
    world.venue.areReadsDown = false;
    world.venue.isChannelDown = false;
    await showFor(world, life, 40_000, {});
    expect(codesOf(life, world)).toEqual([]);
    expect(ordersOf(store).filter(({ intent }) => intent.origin.kind === 'agent')).toHaveLength(1);
  });

  it('L8: enters nothing while our clock waits for a wall that was set back, says so, and enters when it has', async () => {
    const { world, store, life, changes } = await aWatchingAgent();
    let slowSinceMs: number | null = world.clock.nowMs();
    Object.assign(world.clock, { slowSinceMs: () => slowSinceMs });
    life.signals.show(freshRound(world.clock.nowMs()));
    await showFor(world, life, 10_000, {});
    expect([codesOf(life, world), ordersOf(store), changes]).toEqual([
      ['clock_set_back'],
      [],
      [{ kind: 'agent', agentId: 'btc_5min' }],
    ]);
    slowSinceMs = null;
    await showFor(world, life, 40_000, {});
    expect([codesOf(life, world), ordersOf(store).length, changes.length]).toEqual([[], 1, 2]);
  });

  it('L8: is reported when the channel is up and trades cannot be read for long', async () => {
    const { world, life } = await aBlindUser('reads');
    await showFor(world, life, 30_000, {});
    expect(codesOf(life, world)).toEqual([]);
    await showFor(world, life, HEALTH.unreadAfterMs, {});
    expect(codesOf(life, world)).toEqual(['trades_unread']);
  });

  it('L8: no entry of an agent passes at the access gate, while a manual trade and a sale do', async () => {
    const { world, life } = await aBlindUser('channel and reads');
    await world.clock.advance(HEALTH.blindAfterMs + 1_000);
    await expect(
      during(world, life.orders.place(world.user, aMarketBuy({ origin: entry }))),
    ).rejects.toMatchObject({ code: 'agent_degraded', retryable: true });
    world.venue.areReadsDown = false;
    expect((await during(world, life.orders.place(world.user, aMarketBuy()))).state).not.toBe(
      'rejected',
    );
  });
});

describe('settlements that fail', () => {
  const FAILS = [{ afterMs: 1_000, word: 'failed' }] as const;

  /** Trades manually until the user's breaker opens. */
  async function aBrokenUser() {
    const { world, store, life, changes } = await aWatchingAgent();
    for (let trade = 0; trade < SETTLEMENT_BREAKER.user.failures; trade += 1) {
      world.venue.settlements.push(FAILS);
      await during(world, life.orders.place(world.user, aMarketBuy({ marketId: aMarketId(2) })));
      await world.clock.advance(3_000);
    }
    return { world, store, life, changes };
  }
  const enter = (world: World, life: AgentsLife, market = 1) =>
    during(
      world,
      life.orders.place(world.user, aMarketBuy({ marketId: aMarketId(market), origin: entry })),
    );

  it('open the breaker: agents enter nothing, people still may, and the agent says why', async () => {
    const { world, life, store, changes } = await aBrokenUser();
    expect(codesOf(life, world)).toContain('settlement_failing');
    expect(changes).toContainEqual({ kind: 'user', userId: world.user });
    await expect(enter(world, life)).rejects.toMatchObject({
      code: 'agent_degraded',
      retryAfterMs: expect.any(Number),
    });
    expect(
      (await during(world, life.orders.place(world.user, aMarketBuy({ marketId: aMarketId(2) }))))
        .state,
    ).not.toBe('rejected');
    await world.clock.advance(10_000);
    expect([
      life.orders.hasTraded(world.user, 'btc_5min', aMarketId(1)),
      brokenLaws(store, world.user),
    ]).toEqual([false, []]);
  });

  it('let one of 30 entries at once through after the pause, and all when it has settled', async () => {
    const { world, life, store } = await aBrokenUser();
    await world.clock.advance(SETTLEMENT_BREAKER.coolFirstMs);
    const calls = await during(
      world,
      Promise.allSettled(
        Array.from({ length: 30 }, (_, index) =>
          life.orders.place(
            world.user,
            aMarketBuy({ marketId: aMarketId(1 + (index % 2)), origin: entry }),
          ),
        ),
      ),
    );
    expect(calls.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(codesOf(life, world)).toContain('settlement_failing');
    await world.clock.advance(10_000);
    expect(codesOf(life, world)).not.toContain('settlement_failing');
    expect((await enter(world, life, 2)).state).not.toBe('rejected');
    expect(store.get(BREAKERS, ['user', world.user, VENUE_A])?.value.openedAtMs).toBeNull();
  });

  it('stay remembered over a restart, and a probe that fails doubles the pause', async () => {
    const { world, life, store } = await aBrokenUser();
    life.die();
    const next = await startAgents(world, store.crash());
    await expect(enter(world, next)).rejects.toMatchObject({ code: 'agent_degraded' });
    await world.clock.advance(SETTLEMENT_BREAKER.coolFirstMs);
    world.venue.settlements.push(FAILS);
    await enter(world, next);
    await world.clock.advance(5_000);
    expect(next.store.get(BREAKERS, ['user', world.user, VENUE_A])?.value).toMatchObject({
      coolMs: 2 * SETTLEMENT_BREAKER.coolFirstMs,
      probe: null,
    });
    await next.agents.stop();
    await next.orders.stop();
  });

  it('of many users open the breaker of the operator', async () => {
    const { world, life, store } = await aWatchingAgent();
    await life.commit((tx) =>
      tx.put(BREAKERS, ['operator', VENUE_A], {
        counts: [
          {
            atMs: world.clock.nowMs() - (world.clock.nowMs() % 60_000),
            settled: 0,
            failed: SETTLEMENT_BREAKER.operator.failures - 1,
          },
        ],
        openedAtMs: null,
        coolMs: 0,
        probe: null,
      }),
    );
    world.venue.settlements.push(FAILS);
    await during(world, life.orders.place(world.user, aMarketBuy({ marketId: aMarketId(2) })));
    await world.clock.advance(3_000);
    expect(store.get(BREAKERS, ['operator', VENUE_A])?.value.openedAtMs).not.toBeNull();
    await expect(enter(world, life)).rejects.toMatchObject({
      code: 'agent_degraded',
      message: expect.stringContaining('of all users'),
    });
  });
});

it.each<{
  readonly what: string;
  readonly hold: (tx: StoreWriter, user: UserId, state: BreakerState) => void;
  readonly free: (tx: StoreWriter, user: UserId) => void;
  readonly code: string;
  readonly over: (user: UserId, atMs: number) => DomainEvent;
}>([
  {
    what: 'its settlements',
    hold: (tx, user, state) => tx.put(BREAKERS, ['user', user, VENUE_A], state),
    free: (tx, user) => tx.remove(BREAKERS, ['user', user, VENUE_A]),
    code: 'settlement_failing',
    over: (userId, atMs) => ({
      type: 'settlement.healed',
      userId,
      atMs,
      scope: 'user',
      venue: VENUE_A,
    }),
  },
  {
    what: 'a venue that turns everybody away',
    hold: (tx, _, state) => tx.put(VENUE_ACCESS_STATES, ['venue_a'], accessLike(state)),
    free: (tx) => tx.remove(VENUE_ACCESS_STATES, ['venue_a']),
    code: 'venue_restricted',
    over: (_, atMs) => ({ type: 'venue.admitted', atMs, venue: VENUE_A }),
  },
])(
  'L8: an agent held back by $what says so, and hears its signal again when that is over',
  async ({ hold, free, code, over }) => {
    const { world, store, life, changes } = await aWatchingAgent();
    await life.commit((tx) =>
      hold(tx, world.user, {
        counts: [],
        openedAtMs: world.clock.nowMs(),
        coolMs: 20_000,
        probe: null,
      }),
    );
    life.signals.show(aRoundView());
    await showFor(world, life, 10_000, {});
    expect([
      ordersOf(store),
      codesOf(life, world),
      life.agents.view(world.user, 'btc_5min').activity,
    ]).toEqual([[], [code], 'degraded']);
    await life.commit((tx) => {
      free(tx, world.user);
      tx.append(over(world.user, world.clock.nowMs()));
    });
    await showFor(world, life, 5_000, {});
    expect([ordersOf(store).length, codesOf(life, world), changes.length > 0]).toEqual([
      1,
      [],
      true,
    ]);
  },
);
