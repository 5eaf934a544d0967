import { describe, expect, it } from 'vitest';
import { asId, type DecisionId } from '../../../src/domain/ids.ts';
import {
  NOTIFICATIONS,
  PUSH_QUEUE,
  PUSH_SUBSCRIPTIONS,
} from '../../../src/services/notifications/tables.ts';
import { aMarketBuy, aMarketSell } from '../../support/builders.ts';
import { runWithCut, type CrashRun, type Step } from '../../support/checks/crash-run.ts';
import { anEnabledAgent } from '../../support/worlds/enabled-agent.ts';
import { cutPoints } from '../../support/loads/crash-points.ts';
import { sampled } from '../../support/sampled.ts';
import { ordersOf } from '../../support/worlds/trading-world.ts';

const origin = (purpose: 'entry' | 'exit') =>
  ({
    kind: 'agent',
    agentId: 'btc_5min',
    decisionId: asId<DecisionId>('dec_00000000000000000000000001'),
    purpose,
  }) as const;

const DAY: readonly Step[] = [
  async (life, { user }) => {
    await anEnabledAgent(life, user);
    await life.commit((tx) =>
      tx.put(PUSH_SUBSCRIPTIONS, [user, 'sub_a'], {
        userId: user,
        subscriptionId: 'sub_a',
        host: 'push.example',
        endpointDigest: 'a',
        sealed: '',
        vapidKey: '',
        createdAtMs: 0,
      }),
    );
    await life.funding.syncDeposits(user);
  },
  async (life, { user, clock }) => {
    if (ordersOf(life.store).length === 0)
      await life.orders.place(user, aMarketBuy({ origin: origin('entry') }));
    await new Promise<void>((resolve) => void clock.after(10_000, resolve));
  },
  async (life, { user, clock }) => {
    if (ordersOf(life.store).length === 1)
      await life.orders.place(user, aMarketSell(20, { origin: origin('exit') }));
    await new Promise<void>((resolve) => void clock.after(10_000, resolve));
  },
];

const run = (cut: Parameters<typeof runWithCut>[1]): Promise<CrashRun> => runWithCut(DAY, cut);
const whole = await run(null);

function reported({ store }: CrashRun): unknown {
  return store
    .range(NOTIFICATIONS)
    .map(({ value: { number, facts, push } }) => [
      number,
      facts.kind,
      facts.kind === 'trade' ? facts.purpose : null,
      push.waiting,
    ]);
}

describe("a power failure at every durable step of an agent's entry and exit", () => {
  it('is tried where each of both trades is reported once', () => {
    expect([reported(whole), whole.store.range(PUSH_QUEUE).length]).toEqual([
      [
        [1, 'deposit_booked', null, 1],
        [2, 'trade', 'entry', 1],
        [3, 'trade', 'exit', 1],
      ],
      3,
    ]);
  });

  it.each(sampled('trades reported', cutPoints(whole.moments), 20))(
    'leaves each trade reported once and put into the queue once: $at $number',
    async (point) => {
      const cut = await run(point);
      expect([
        reported(cut),
        cut.store.range(PUSH_QUEUE).map(({ value }) => [value.number, value.subscriptionId]),
      ]).toEqual([
        reported(whole),
        [
          [1, 'sub_a'],
          [2, 'sub_a'],
          [3, 'sub_a'],
        ],
      ]);
    },
  );
});

describe('a power failure at every durable step of an order that never reached the venue', () => {
  const LOST: readonly Step[] = [
    async (life, { user }) => {
      await life.funding.syncDeposits(user);
    },
    async (life, { user, clock, venue }) => {
      venue.submitFaults.length = 0;
      venue.submitFaults.push(
        ...Array.from({ length: 9 }, () => ({ kind: 'refused-silently' }) as const),
      );
      await life.orders.place(user, aMarketBuy({ idempotencyKey: 'once' }));
      await new Promise<void>((resolve) => void clock.after(120_000, resolve));
    },
  ];
  const ends = ({ store }: CrashRun) => [
    ordersOf(store).map(({ state }) => state),
    store.range(NOTIFICATIONS).map(({ value: { facts } }) => facts.kind),
  ];

  it('leaves it reported as rejected exactly once', async () => {
    const whole = await runWithCut(LOST, null);
    expect(ends(whole)).toEqual([['rejected'], ['deposit_booked', 'order_rejected']]);
    for (const point of cutPoints(whole.moments))
      expect([point, ends(await runWithCut(LOST, point))]).toEqual([point, ends(whole)]);
  });
});
