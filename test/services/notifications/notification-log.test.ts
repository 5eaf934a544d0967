import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOTIFICATION, PUSH } from '../../../config/limits/notification.ts';
import { newDeposit } from '../../../src/domain/deposit.ts';
import type { TradeStatus } from '../../../src/domain/fill.ts';
import {
  asId,
  type AgentId,
  type DecisionId,
  type DepositId,
  type IntentId,
} from '../../../src/domain/ids.ts';
import type { NotificationRecord } from '../../../src/domain/notification.ts';
import type { Store } from '../../../src/ports/store.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createNotifications } from '../../../src/services/notifications/notifications.ts';
import { createNotificationLog } from '../../../src/services/notifications/notification-log.ts';
import {
  NOTIFIED,
  NOTIFICATION_BOOKS,
  NOTIFICATIONS,
  PUSH_QUEUE,
  PUSH_SUBSCRIPTIONS,
} from '../../../src/services/notifications/tables.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { anAgentsWorld, enableAgent, startAgents } from '../../support/worlds/agents-world.ts';
import { aLimitBuy, aMarketBuy, aMarketId, aUserId, T0 } from '../../support/builders.ts';
import { anEnabledAgent } from '../../support/worlds/enabled-agent.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import type { SubmitFault } from '../../support/fakes/fake-venue.ts';
import { aRoundView } from '../../support/worlds/round-views.ts';
import { aFundedLife, during } from '../../support/worlds/trading-world.ts';
import { orderIdOf } from '../../support/attempts.ts';

function reported(store: Store): readonly NotificationRecord[] {
  return store.range(NOTIFICATIONS).map(({ value }) => value);
}

function kinds(store: Store): readonly string[] {
  return reported(store).map(({ facts }) => facts.kind);
}

const ORIGIN = {
  kind: 'agent',
  agentId: 'btc_5min' satisfies AgentId,
  decisionId: asId<DecisionId>('dec_00000000000000000000000001'),
  purpose: 'entry',
} as const;

describe("an agent's trade", () => {
  it('is reported once, with the facts of its fill, in the commit that books the fill', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    life.signals.show(aRoundView());
    await world.clock.advance(10_000);
    const trades = reported(store).filter(({ facts }) => facts.kind === 'trade');
    expect(trades).toEqual([
      {
        userId: world.user,
        number: 2,
        atMs: expect.any(Number),
        push: { waiting: 0, sent: 0, dropped: 0 },
        facts: {
          kind: 'trade',
          agentId: 'btc_5min',
          purpose: 'entry',
          intentId: life.agents.trades(world.user, 'btc_5min', { limit: 1, cursor: null }).data[0]
            ?.order?.intent.intentId,
          side: 'buy',
          shares: 10_000_000,
          usdc: 5_000_000,
          fee: expect.any(Number),
          marketId: world.market.marketId,
          question: world.market.question,
          outcomeLabel: world.market.outcomes[0].label,
        },
      },
    ]);
    const types = store.readJournal(0, 1_000).map(({ event }) => event.type);
    expect(types[types.indexOf('fill.recorded') + 1]).toBe('notification.made');
    expect(life.bus.entries.filter(({ event }) => event.type === 'notification.made')).toHaveLength(
      2,
    );
  });

  it('is not reported where notifyOnTrade is off when it is made, whatever the setting becomes', async () => {
    const { world, store, life } = await anAgentsWorld();
    await life.agents.updateSettings(world.user, 'btc_5min', { notifyOnTrade: false });
    await enableAgent(life, world.user);
    life.signals.show(aRoundView());
    await world.clock.advance(10_000);
    await life.agents.updateSettings(world.user, 'btc_5min', { notifyOnTrade: true });
    expect([
      kinds(store),
      life.agents.trades(world.user, 'btc_5min', { limit: 1, cursor: null }).data[0]?.order?.state,
    ]).toEqual([['deposit_booked'], 'filled']);
  });

  it('stays reported once over restarts, and over every message of the venue about its fill', async () => {
    const { world, store, life } = await anAgentsWorld();
    await enableAgent(life, world.user);
    world.venue.settlements.push([]);
    life.signals.show(aRoundView());
    await world.clock.advance(10_000);
    const [trade] = world.venue.trades;
    for (const word of [
      'matched',
      'mined',
      'retrying',
      'mined',
      'confirmed',
      'confirmed',
    ] satisfies TradeStatus[]) {
      life.die();
      await life.orders.stop();
      const next = await startAgents(world, store);
      if (trade !== undefined) world.venue.say(trade.tradeId, word);
      await world.clock.advance(10_000);
      await next.agents.stop();
      await next.orders.stop();
    }
    expect(kinds(store)).toEqual(['deposit_booked', 'trade']);
  });

  it('is reported once for an order that fills in many parts, by its first', async () => {
    const { world, life, store } = await aFundedLife();
    await anEnabledAgent(life, world.user);
    const placed = await during(
      world,
      life.orders.place(world.user, aLimitBuy({ origin: ORIGIN })),
    );
    const orderId = orderIdOf(placed);
    for (const shares of [1_000_000, 2_000_000, 3_000_000]) {
      world.venue.trade(orderId, shares);
      await world.clock.advance(5_000);
    }
    expect(
      reported(store)
        .filter(({ facts }) => facts.kind === 'trade')
        .map(({ facts }) => facts),
    ).toEqual([expect.objectContaining({ intentId: placed.intent.intentId, shares: 1_000_000 })]);
  });

  it('that the venue takes back is reported as taken back, once', async () => {
    const { world, life, store } = await aFundedLife();
    await anEnabledAgent(life, world.user);
    world.venue.settlements.push([{ afterMs: 1_000, word: 'failed' }]);
    await during(world, life.orders.place(world.user, aMarketBuy({ origin: ORIGIN })));
    await world.clock.advance(10_000);
    for (const { tradeId } of world.venue.trades) world.venue.say(tradeId, 'failed');
    await world.clock.advance(10_000);
    expect(kinds(store)).toEqual(['deposit_booked', 'trade', 'trade_reversed']);
  });
});

describe('an order placed manually', () => {
  it('is reported once when it fills, in the commit that books the fill, and when its trade is taken back', async () => {
    const { world, life, store } = await aFundedLife();
    world.venue.settlements.push([{ afterMs: 1_000, word: 'failed' }]);
    const placed = await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(10_000);
    expect(kinds(store)).toEqual(['deposit_booked', 'trade', 'trade_reversed']);
    expect(reported(store)[1]?.facts).toMatchObject({
      agentId: null,
      purpose: null,
      intentId: placed.intent.intentId,
      side: 'buy',
      shares: 20_000_000,
      usdc: 10_000_000,
    });
    const types = store.readJournal(0, 1_000).map(({ event }) => event.type);
    expect(types[types.indexOf('fill.recorded') + 1]).toBe('notification.made');
  });

  it('is reported when the venue ends it: expired by its time, cancelled by the venue; not when its user cancels it', async () => {
    const { world, life, store } = await aFundedLife();
    const resting = async () => during(world, life.orders.place(world.user, aLimitBuy()));
    const [cancelled, expired] = [await resting(), await resting()];
    world.venue.trade(orderIdOf(expired), 1_000_000);
    await world.clock.advance(5_000);
    world.venue.end(orderIdOf(cancelled), 'cancelled', 'not enough balance');
    world.venue.end(orderIdOf(expired), 'expired', 'its time came');
    await world.clock.advance(30_000);
    await during(world, life.orders.cancel(world.user, (await resting()).intent.intentId));
    await world.clock.advance(30_000);
    const facts = reported(store).map((notification) => notification.facts);
    expect(facts.map(({ kind }) => kind).sort()).toEqual([
      'deposit_booked',
      'order_cancelled',
      'order_expired',
      'trade',
    ]);
    expect(facts.find(({ kind }) => kind === 'order_cancelled')).toMatchObject({
      intentId: cancelled.intent.intentId,
      filledShares: 0,
      shares: 20_000_000,
      reason: 'not enough balance',
    });
    expect(facts.find(({ kind }) => kind === 'order_expired')).toMatchObject({
      intentId: expired.intent.intentId,
      filledShares: 1_000_000,
    });
  });

  it.each<[string, SubmitFault, string, string]>([
    ['never reached the venue', { kind: 'refused-silently' }, 'unknown', 'order_rejected'],
    ['is killed after its delay', { kind: 'delayed', ms: 20_000 }, 'delayed', 'order_cancelled'],
  ])(
    'is reported, once, when it ends without a trade after its caller was answered otherwise: it %s',
    async (_, fault, answered, kind) => {
      const { world, life, store } = await aFundedLife();
      world.venue.submitFaults.push(...Array.from({ length: 9 }, () => fault));
      const placed = await during(world, life.orders.place(world.user, aMarketBuy()));
      world.venue.quote(placed.intent.tokenId, { bid: null, ask: null });
      await world.clock.advance(120_000);
      const ended = life.orders.get(world.user, placed.intent.intentId);
      expect([placed.state, kinds(store)]).toEqual([answered, ['deposit_booked', kind]]);
      expect(reported(store)[1]?.facts).toMatchObject({
        intentId: placed.intent.intentId,
        filledShares: 0,
        reason: ended?.reason,
      });
      const types = store.readJournal(0, 1_000).map(({ event }) => event.type);
      expect(types[types.lastIndexOf('order.changed') + 1]).toBe('notification.made');
    },
  );

  it('that was unknown is reported as rejected though its user had asked for its cancel, and though it was signed once more', async () => {
    const { world, life, store } = await aFundedLife();
    world.venue.submitFaults.push({ kind: 'refused-silently' });
    world.venue.lookupFaults.push({ kind: 'unreachable', cause: 'down' });
    const doubted = await during(world, life.orders.place(world.user, aLimitBuy()));
    await during(world, life.orders.cancel(world.user, doubted.intent.intentId));
    await world.clock.advance(120_000);
    world.venue.submitFaults.push({ kind: 'refused-silently' }, { kind: 'rejected', reason: 'no' });
    world.venue.lookupFaults.push({ kind: 'absent', proof: 'its block is past' });
    const again = await during(world, life.orders.place(world.user, aLimitBuy()));
    await world.clock.advance(120_000);
    const ended = [doubted, again].map(({ intent }) =>
      life.orders.get(world.user, intent.intentId),
    );
    expect([
      again.state,
      ended.map((order) => [order?.state, order?.attempts.length]),
      kinds(store),
    ]).toEqual([
      'unknown',
      [
        ['rejected', 1],
        ['rejected', 2],
      ],
      ['deposit_booked', 'order_rejected', 'order_rejected'],
    ]);
  });

  it('is not reported again where its answer stated the end', async () => {
    const { world, life, store } = await aFundedLife();
    world.venue.submitFaults.push({ kind: 'rejected', reason: 'no' });
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await during(world, life.orders.place(world.user, aLimitBuy({ marketId: aMarketId(2) })));
    world.venue.quote(world.market.outcomes[0].tokenId, { bid: null, ask: null });
    const killed = await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(60_000);
    expect([killed.state, kinds(store)]).toEqual(['cancelled', ['deposit_booked']]);
  });

  it('is not reported where its user turned that off, while a trade taken back is', async () => {
    const { world, life, store } = await aFundedLife();
    const notifications = createNotifications({ store, commit: life.commit, clock: world.clock });
    expect(notifications.choice(world.user)).toEqual({ manualTrades: true });
    await notifications.choose(world.user, { manualTrades: false });
    world.venue.settlements.push([{ afterMs: 1_000, word: 'failed' }]);
    await during(world, life.orders.place(world.user, aMarketBuy()));
    const resting = await during(
      world,
      life.orders.place(world.user, aLimitBuy({ marketId: aMarketId(2) })),
    );
    world.venue.end(orderIdOf(resting), 'cancelled', 'not enough balance');
    await world.clock.advance(60_000);
    expect([notifications.choice(world.user), kinds(store)]).toEqual([
      { manualTrades: false },
      ['deposit_booked', 'trade_reversed'],
    ]);
  });
});

describe('the list', () => {
  it('tells how a position ended once, however often its record changes after', async () => {
    const { world, life, store } = await aFundedLife();
    await during(world, life.orders.place(world.user, aMarketBuy()));
    await world.clock.advance(10_000);
    world.venue.resolve(world.market.marketId, [10_000, 0]);
    life.resolutionHint(world.market.marketId);
    await world.clock.advance(10_000);
    const [holding] = life.portfolio.holdings(world.user);
    for (let again = 0; again < 2; again += 1) {
      await life.commit((tx) => {
        if (holding !== undefined)
          tx.append({
            type: 'position.changed',
            userId: world.user,
            atMs: world.clock.nowMs(),
            position: holding.position,
          });
      });
    }
    expect(
      reported(store).map(({ facts }) =>
        facts.kind === 'position_redeemed'
          ? [facts.kind, facts.realizedPnl, facts.paidUsdc]
          : facts.kind,
      ),
    ).toEqual([
      'deposit_booked',
      'trade',
      ['position_redeemed', holding?.position.realizedPnl, 20_000_000],
    ]);
  });

  it('tells once of a deposit that will not be credited, though it fails after that, and of no other', async () => {
    const { commit, store } = aBoard();
    const changes = [
      { depositId: 'dep_1', problem: 'below_minimum', state: 'detected' },
      { depositId: 'dep_1', problem: 'below_minimum', state: 'failed' },
      { depositId: 'dep_2', problem: null, state: 'submitted' },
      { depositId: 'dep_2', problem: null, state: 'failed' },
      { depositId: 'dep_3', problem: null, state: 'completed' },
    ] as const;
    for (const { depositId, problem, state } of changes)
      await commit((tx) => {
        const deposit = { ...aPayment(asId<DepositId>(depositId)), problem, state };
        tx.append({ type: 'deposit.changed', userId: aUserId(1), atMs: 1, from: null, deposit });
      });
    expect(
      reported(store).map(
        ({ facts }) => facts.kind === 'deposit_failed' && [facts.depositId, facts.state],
      ),
    ).toEqual([
      ['dep_1', 'detected'],
      ['dep_2', 'failed'],
    ]);
  });

  it('tells of an API key that was made, whoever made it', async () => {
    const { commit, store } = aBoard();
    await commit(
      (tx) =>
        void tx.append({
          type: 'audit.recorded',
          userId: aUserId(1),
          atMs: 2,
          action: 'api_key_created',
          subject: 'key_1',
          detail: 'my bot: read, trade',
          origin: null,
        }),
    );
    expect(reported(store).map(({ facts }) => facts)).toEqual([
      { kind: 'key_created', keyId: 'key_1', key: 'my bot: read, trade' },
    ]);
  });

  it('keeps the newest, and forgets what the others were about', async () => {
    const { commit, store } = aBoard();
    const user = aUserId(1);
    const position = await aLostPosition();
    await commit(
      (tx) => void tx.append({ type: 'position.changed', userId: user, atMs: 1, position }),
    );
    await commit((tx) => {
      for (let number = 0; number < NOTIFICATION.keptPerUserMaximum; number += 1)
        tx.append({
          type: 'audit.recorded',
          userId: user,
          atMs: 2,
          action: 'key_exported',
          subject: 'evm',
          detail: null,
          origin: null,
        });
    });
    expect([
      reported(store).length,
      reported(store)[0]?.number,
      reported(store).at(-1)?.number,
      store.range(NOTIFIED),
    ]).toEqual([NOTIFICATION.keptPerUserMaximum, 2, NOTIFICATION.keptPerUserMaximum + 1, []]);
  });

  it('numbers the notifications of a user without holes and without doubles, however changes are made and undone', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            user: fc.constantFrom(1, 2),
            facts: fc.integer({ min: 1, max: 4 }),
            fails: fc.boolean(),
          }),
          { maxLength: 20 },
        ),
        async (changes) => {
          const { commit, store } = aBoard();
          const expected = new Map([
            [aUserId(1), 0],
            [aUserId(2), 0],
          ]);
          for (const { user, facts, fails } of changes) {
            const userId = aUserId(user);
            await commit((tx) => {
              for (let each = 0; each < facts; each += 1)
                tx.append({
                  type: 'audit.recorded',
                  userId,
                  atMs: 1,
                  action: 'key_export_asked',
                  subject: '+1',
                  detail: null,
                  origin: null,
                });
              if (fails) throw new Error('undone');
            }).catch(() => undefined);
            if (!fails) expected.set(userId, (expected.get(userId) ?? 0) + facts);
          }
          for (const [userId, count] of expected) {
            expect(
              reported(store)
                .filter((each) => each.userId === userId)
                .map(({ number }) => number),
            ).toEqual(Array.from({ length: count }, (_, index) => index + 1));
            expect(store.get(NOTIFICATION_BOOKS, [userId])?.value.last ?? 0).toBe(count);
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('messages to browsers', () => {
  it('are laid into the queue with the notification, one for each browser, until too many of the user wait', async () => {
    const { commit, store, clock } = aBoard();
    const user = aUserId(1);
    await commit((tx) => {
      for (const name of ['sub_a', 'sub_b', 'sub_c'])
        tx.put(PUSH_SUBSCRIPTIONS, [user, name], {
          userId: user,
          subscriptionId: name,
          host: 'push.example',
          endpointDigest: name,
          sealed: '',
          vapidKey: '',
          createdAtMs: 0,
        });
    });
    await commit((tx) => {
      for (let number = 0; number < 40; number += 1)
        tx.append({
          type: 'audit.recorded',
          userId: user,
          atMs: 1,
          action: 'key_exported',
          subject: 'evm',
          detail: null,
          origin: null,
        });
    });
    const waiting = store.range(PUSH_QUEUE);
    expect(waiting[0]).toMatchObject({
      key: ['push.example', clock.nowMs(), 2, 'sub_a'],
      value: { number: 1, tries: 0, expiresAtMs: clock.nowMs() + PUSH.securityLifeMs },
    });
    expect([waiting.length, store.get(NOTIFICATION_BOOKS, [user])?.value.waiting]).toEqual([
      PUSH.waitingPerUserMaximum,
      PUSH.waitingPerUserMaximum,
    ]);
    expect(
      reported(store)
        .map(({ push }) => [push.waiting, push.dropped])
        .slice(32, 36),
    ).toEqual([
      [3, 0],
      [1, 2],
      [0, 3],
      [0, 3],
    ]);
  });

  it('are made for trades and key exports, not for what the list alone tells', async () => {
    const { world, life, store } = await aFundedLife();
    await life.commit(
      (tx) =>
        void tx.put(PUSH_SUBSCRIPTIONS, [world.user, 'sub_a'], {
          userId: world.user,
          subscriptionId: 'sub_a',
          host: 'push.example',
          endpointDigest: 'a',
          sealed: '',
          vapidKey: '',
          createdAtMs: 0,
        }),
    );
    await anEnabledAgent(life, world.user);
    world.venue.settlements.push([{ afterMs: 1_000, word: 'failed' }]);
    await during(world, life.orders.place(world.user, aMarketBuy({ origin: ORIGIN })));
    await world.clock.advance(10_000);
    expect([kinds(store), store.range(PUSH_QUEUE).map(({ value }) => value.number)]).toEqual([
      ['deposit_booked', 'trade', 'trade_reversed'],
      [2],
    ]);
  });
});

it('a notification that cannot be made leaves the trade alone and is logged', async () => {
  const { world, store, life } = await anAgentsWorld();
  await enableAgent(life, world.user);
  const log = createKeptLog();
  const follow = createNotificationLog({ wallClock: world.clock, log });
  const [market] = world.markets;
  await life.commit((tx) => {
    follow(
      {
        ...tx,
        get: () => {
          throw new Error('a hole in the board');
        },
      },
      {
        type: 'fill.recorded',
        userId: world.user,
        atMs: 0,
        fill: { userId: world.user, intentId: asId<IntentId>('int_x') } as never,
      },
    );
    tx.append({
      type: 'market.resolved',
      atMs: 0,
      marketId: market?.marketId ?? asId(''),
      resolution: {
        marketId: market?.marketId ?? asId(''),
        payoutTicks: [10_000, 0],
        resolvedAtMs: 0,
      },
    });
  });
  expect(log.lines).toEqual([
    {
      level: 'error',
      event: 'notification.failed',
      fields: expect.objectContaining({ type: 'fill.recorded' }),
    },
  ]);
  expect(store.readJournal(0, 1_000).at(-1)?.event.type).toBe('market.resolved');
});

function aBoard() {
  const clock = createVirtualClock(T0);
  const store = createMemoryStore();
  const commit = createCommit({
    store,
    bus: createKeptBus(),
    metrics: createKeptMetrics(),
    follow: createNotificationLog({ wallClock: clock, log: createKeptLog() }),
  });
  return { clock, store, commit };
}

function aPayment(depositId: DepositId) {
  return newDeposit(
    {
      chainId: '8453',
      tokenAddress: '0xtoken',
      amount: '1',
      status: 'detected',
      transactionHash: null,
      createdAtMs: null,
    },
    { depositId, userId: aUserId(1), address: '0xdeposit', problem: null },
    1,
  );
}

async function aLostPosition() {
  const { world, life } = await aFundedLife();
  await during(world, life.orders.place(world.user, aMarketBuy()));
  const [holding] = life.portfolio.holdings(world.user);
  if (holding === undefined) throw new Error('the order was filled');
  return { ...holding.position, state: 'lost' as const };
}
