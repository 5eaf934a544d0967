import { describe, expect, it } from 'vitest';
import { LOCK, ORDER } from '../../../config/limits.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { asId, type DecisionId } from '../../../src/domain/ids.ts';
import type { OrderLife, OrderRecord } from '../../../src/domain/order.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { Store } from '../../../src/ports/store.ts';
import { createOrderUpdates } from '../../../src/services/books/order-updates.ts';
import { putOrder } from '../../../src/services/books/record-changes.ts';
import { AGENTS, FUNDS_DISPUTES, TRADED_MARKETS } from '../../../src/services/books/tables.ts';
import type { Commit } from '../../../src/ports/commit.ts';
import { createCommit } from '../../../src/services/commit.ts';
import { createRestingOrders } from '../../../src/services/orders/resting-orders.ts';
import { createVenues } from '../../../src/services/venues.ts';
import { NOTIFICATIONS } from '../../../src/services/notifications/tables.ts';
import {
  aLimitBuy,
  aMarket,
  aMarketBuy,
  aMarketId,
  aMarketSell,
  aUserId,
  T0,
} from '../../support/builders.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../../support/quiet.ts';
import { onOneVenue } from '../../support/traded-venues.ts';
import { orderIdOf } from '../../support/attempts.ts';
import { anEnabledAgent } from '../../support/worlds/enabled-agent.ts';
import { aSignedOrder } from '../../support/worlds/folded-orders.ts';
import { aKeptWorld, KEPT_TERMS } from '../../support/worlds/kept-world.ts';
import { brokenLaws, during, ordersOf } from '../../support/worlds/trading-world.ts';

/** A user with 100 USDC and an order of 20 shares at 0.40 that rests with the service. */
async function aKeptOrder(request = aLimitBuy(), world = aKeptWorld()) {
  const store = createMemoryStore();
  const life = world.live(store);
  await life.orders.recover();
  await life.funding.syncDeposits(world.user);
  const placed = await during(world, life.orders.place(world.user, request));
  const { intentId } = placed.intent;
  const order = () => life.orders.get(world.user, intentId) ?? placed;
  const reserved = () => life.portfolio.cash(world.user, 'usdc:safe').reserved;
  const laws = () => brokenLaws(store, world.user);
  return { world, store, life, placed, intentId, order, reserved, laws };
}

const attemptsOf = ({ attempts }: OrderRecord) =>
  attempts.map(({ part, ended }) => [part?.receiveMicros, ended?.how]);

const statesOf = (store: Store) =>
  store
    .readJournal(0, 1_000)
    .flatMap(({ event }) => (event.type === 'order.changed' ? [event.to] : []));

const kindsOf = (store: Store) => store.range(NOTIFICATIONS).map(({ value }) => value.facts.kind);

describe('a limit order that the service keeps', () => {
  it('is live without an attempt, its money set aside, its book followed, and nothing at the venue', async () => {
    const { world, placed, reserved, laws } = await aKeptOrder();
    await world.clock.advance(60_000);
    expect([
      placed.state,
      placed.attempts,
      placed.intent.restsAt,
      reserved() >= 8_000_000,
      world.venue.bodies.size,
      world.followed,
      laws(),
    ]).toEqual(['live', [], 'service', true, 0, [world.market.marketId], []]);
  });

  it('L1: trades by one attempt when its price is in the book, at that price or better, and has its book followed no more', async () => {
    const { world, order, reserved, laws, store } = await aKeptOrder();
    world.offer([4_100, 1_000]);
    await world.clock.advance(10_000);
    expect([order().state, world.venue.bodies.size]).toEqual(['live', 0]);
    world.offer([3_900, 1_000]);
    await world.clock.advance(10_000);
    expect([
      order().state,
      order().filledShares,
      order().filledUsdc,
      attemptsOf(order()),
      world.venue.orders.size,
      reserved(),
      world.followed,
      laws(),
      statesOf(store),
    ]).toEqual([
      'filled',
      20_000_000,
      7_800_000,
      [[20_000_000, 'done']],
      1,
      0,
      [],
      [],
      ['signed', 'filled'],
    ]);
  });

  it('says what its wallet lacks while an attempt waits for it, and trades once it is there', async () => {
    const { world, order, laws } = await aKeptOrder();
    const lacking = 'a trade with a pool needs ETH for gas: about 0.01 ETH on Base';
    world.unready.error = new AppError('wallet_not_ready', lacking);
    world.offer([3_900, 1_000]);
    await world.clock.advance(10_000);
    expect([order().state, order().reason, order().attempts]).toEqual(['live', lacking, []]);
    world.unready.error = null;
    await world.clock.advance(20_000);
    expect([order().state, order().reason, laws()]).toEqual(['filled', null, []]);
  });

  it('that is at its price when it is placed trades at once', async () => {
    const world = aKeptWorld();
    world.offer([4_000, 1_000]);
    const life = world.live(createMemoryStore());
    await life.orders.recover();
    await life.funding.syncDeposits(world.user);
    const placed = await during(world, life.orders.place(world.user, aLimitBuy()));
    expect(
      (await during(world, life.orders.ended(world.user, placed.intent.intentId, 5_000))).state,
    ).toBe('filled');
  });

  it('L1: that got a part waits again with what is left set aside, and the next attempt is for that alone', async () => {
    const { world, order, placed, reserved, laws } = await aKeptOrder();
    world.offer([4_000, 5]);
    await world.clock.advance(ORDER.restingIntervalMs);
    world.offer(null);
    await world.clock.advance(10_000);
    const held = order();
    expect([held.state, held.filledShares, attemptsOf(held), laws()]).toEqual([
      'live',
      5_000_000,
      [[20_000_000, 'done']],
      [],
    ]);
    expect(reserved()).toBe(held.reserved.usdc);
    expect(held.reserved.usdc).toBe(placed.reserved.usdc - held.filledUsdc - held.feesUsdc);
    world.offer([4_000, 1_000]);
    await world.clock.advance(10_000);
    expect([order().state, order().filledShares, attemptsOf(order()), reserved(), laws()]).toEqual([
      'filled',
      20_000_000,
      [
        [20_000_000, 'done'],
        [15_000_000, 'done'],
      ],
      0,
      [],
    ]);
  });

  it('L1: tells of each attempt as it is signed, and which one it follows', async () => {
    const { world, store, order } = await aKeptOrder();
    world.offer([4_000, 5]);
    await world.clock.advance(ORDER.restingIntervalMs);
    world.offer(null);
    await world.clock.advance(10_000);
    world.venue.submitFaults.push({ kind: 'refused-silently' });
    world.venue.lookupFaults.push({ kind: 'absent', proof: 'its block is past' });
    world.offer([4_000, 1_000]);
    await world.clock.advance(60_000);
    const [first, second, third] = order().attempts.map(({ attemptId }) => attemptId);
    const signed = store
      .readJournal(0, 1_000)
      .flatMap(({ event }) => (event.type === 'order.signed' ? [event] : []));
    expect(signed.map(({ attemptId, follows }) => [attemptId, follows])).toEqual([
      [first, undefined],
      [second, { attemptId: first, proof: null }],
      [third, { attemptId: second, proof: 'its block is past' }],
    ]);
  });

  it.each<[string, readonly OrderLife[], OrderLife]>([
    ['a part of it', ['all_now', 'part_now', 'rests'], 'part_now'],
    ['all of it or nothing', ['all_now', 'rests'], 'all_now'],
  ])('tries for what its venue takes at once: %s', async (_, lives, life) => {
    const world = aKeptWorld(0, { lives });
    const { order } = await aKeptOrder(aLimitBuy(), world);
    world.offer([4_000, 1_000]);
    await world.clock.advance(10_000);
    expect([order().state, order().attempts[0]?.part?.life]).toEqual(['filled', life]);
  });

  it('has the book of its token followed once, for all that wait of it, until the last has gone or the service ends', async () => {
    const { world, life, intentId } = await aKeptOrder();
    const open = () => [life.metrics.counts.get('resting_orders_open'), world.followed.length];
    const other = await during(world, life.orders.place(world.user, aLimitBuy()));
    expect(open()).toEqual([2, 1]);
    await life.orders.cancel(world.user, intentId);
    expect(open()).toEqual([1, 1]);
    await life.orders.cancel(world.user, other.intent.intentId);
    expect(open()).toEqual([0, 0]);
    await during(world, life.orders.place(world.user, aLimitBuy()));
    expect(open()).toEqual([1, 1]);
    await life.orders.stop();
    expect(world.followed).toEqual([]);
    world.offer([3_900, 1_000]);
    await world.clock.advance(60_000);
    expect(world.venue.bodies.size).toBe(0);
  });

  it('is filled where less is left than the venue trades', async () => {
    const { world, order, reserved } = await aKeptOrder(
      aLimitBuy({ amount: { unit: 'shares', micros: 5_500_000 } }),
    );
    world.offer([4_000, 1_000]);
    await world.clock.advance(10_000);
    expect([order().state, order().filledShares, reserved()]).toEqual(['filled', 5_000_000, 0]);
  });

  it.each([
    ['unknown', { distrust: 'gap', ageMs: 0 }],
    ['older than its limit', { distrust: null, ageMs: ORDER.bookAgeMaximumMs + 1 }],
  ] as const)('L8: is not tried by a book %s', async (_, markUnknown) => {
    const { world, order } = await aKeptOrder();
    Object.assign(world.book, markUnknown);
    world.offer([3_900, 1_000]);
    await world.clock.advance(60_000);
    expect([order().state, world.venue.bodies.size]).toEqual(['live', 0]);
    Object.assign(world.book, { distrust: null, ageMs: 0 });
    await world.clock.advance(1_000);
    expect(order().state).toBe('filled');
  });

  it('is cancelled at once, without a word to the venue, and gives back what was set aside', async () => {
    const { world, life, intentId, order, reserved, laws } = await aKeptOrder();
    const gone = await life.orders.cancel(world.user, intentId);
    expect(await life.orders.cancel(world.user, intentId)).toEqual(gone);
    world.offer([3_900, 1_000]);
    await world.clock.advance(60_000);
    expect([
      gone.state,
      order().state,
      reserved(),
      world.venue.cancels,
      world.venue.bodies.size,
      world.followed,
      laws(),
    ]).toEqual(['cancelled', 'cancelled', 0, [], 0, [], []]);
  });

  it('that is to be cancelled while an attempt is out ends with it, with what it got', async () => {
    const { world, life, intentId, order, reserved } = await aKeptOrder();
    world.venue.submitFaults.push({ kind: 'delayed', ms: 20_000 });
    world.offer([4_000, 5]);
    await world.clock.advance(1_000);
    const wanted = await during(world, life.orders.cancel(world.user, intentId));
    expect([wanted.state, wanted.cancelWanted]).toEqual(['delayed', true]);
    await world.clock.advance(60_000);
    expect([order().state, order().filledShares, reserved()]).toEqual(['cancelled', 5_000_000, 0]);
  });

  it('ends with its market, and its user is notified', async () => {
    const { world, store, order, reserved } = await aKeptOrder();
    await world.clock.advance(world.market.endsAtMs - world.clock.nowMs() + 1_000);
    expect([order().state, order().reason, reserved(), kindsOf(store)]).toEqual([
      'cancelled',
      'the market has ended',
      0,
      ['deposit_booked', 'order_cancelled'],
    ]);
  });

  it.each([
    ['before it is tried', 0],
    ['while an attempt is out', 20_000],
  ])('expires at its own time: %s', async (_, delayMs) => {
    const kept = aKeptWorld();
    const expiresAtMs = kept.clock.nowMs() + 30_000;
    const { world, store, order, reserved } = await aKeptOrder(
      aLimitBuy({ type: { kind: 'limit', price: priceTicks(4_000), expiresAtMs } }),
    );
    await world.clock.advance(20_000);
    expect(order().state).toBe('live');
    if (delayMs > 0) {
      world.venue.submitFaults.push({ kind: 'delayed', ms: delayMs });
      world.offer([4_000, 5]);
    }
    await world.clock.advance(30_000);
    expect([order().state, order().filledShares, reserved()]).toEqual([
      'expired',
      delayMs === 0 ? 0 : 5_000_000,
      0,
    ]);
    expect(kindsOf(store)).toContain('order_expired');
  });

  it('L6: is cancelled by a stop, waits under one that keeps open buys, and trades when that is lifted', async () => {
    const { world, life, order } = await aKeptOrder();
    await life.orders.setStop({ kind: 'all' }, true, 'alarm', 'keep');
    world.offer([3_900, 1_000]);
    await world.clock.advance(60_000);
    expect([order().state, order().attempts]).toEqual(['live', []]);
    await life.orders.setStop({ kind: 'all' }, false, 'over', 'keep');
    await world.clock.advance(10_000);
    expect(order().state).toBe('filled');
    world.offer(null);
    const other = await during(world, life.orders.place(world.user, aLimitBuy()));
    await during(world, life.orders.setStop({ kind: 'all' }, true, 'alarm'));
    await world.clock.advance(1_000);
    expect(life.orders.get(world.user, other.intent.intentId)?.state).toBe('cancelled');
  });

  it('L6: is not even prepared where it was taken back while it waited for the lock of its account', async () => {
    const { world, life, intentId, order } = await aKeptOrder(aLimitBuy(), aKeptWorld(5_000));
    world.offer([3_900, 1_000]);
    const other = life.orders.place(world.user, aMarketBuy());
    await world.clock.advance(2_000);
    await life.orders.cancel(world.user, intentId);
    const { intent } = await during(world, other);
    await world.clock.advance(20_000);
    expect([order().state, world.prepared]).toEqual(['cancelled', [intent.intentId]]);
  });

  it('L2: waits while another order of its market is not decided', async () => {
    const { world, life, order } = await aKeptOrder();
    world.venue.submitFaults.push(
      ...Array.from({ length: 9 }, () => ({ kind: 'refused-silently' }) as const),
    );
    world.offer([4_500, 1_000]);
    const doubted = await during(
      world,
      life.orders.place(world.user, aMarketBuy({ amount: { unit: 'usdc', micros: 5_000_000 } })),
    );
    world.offer([3_900, 1_000]);
    await world.clock.advance(10_000);
    expect([doubted.state, order().state, order().attempts]).toEqual(['unknown', 'live', []]);
    world.venue.submitFaults.length = 0;
    await world.clock.advance(60_000);
    expect([order().state, order().attempts.length]).toEqual(['filled', 1]);
  });

  it('L2: fences its market while its attempt is not decided, and only then', async () => {
    const { world, life, order } = await aKeptOrder();
    world.venue.submitFaults.push({ kind: 'delayed', ms: 20_000 });
    world.offer([3_900, 1_000]);
    await world.clock.advance(1_000);
    expect(order().state).toBe('delayed');
    await expect(life.orders.place(world.user, aMarketBuy())).rejects.toMatchObject({
      code: 'market_fenced',
    });
    await world.clock.advance(60_000);
    expect((await during(world, life.orders.place(world.user, aMarketBuy()))).state).toBe('filled');
  });

  it('L1: that got nothing pauses, and ends after as many attempts as its venue allows', async () => {
    const { world, order, reserved, laws } = await aKeptOrder();
    world.offer([3_900, 1_000]);
    world.venue.quote(world.market.outcomes[0].tokenId, { bid: null, ask: null });
    await world.clock.advance(1_000);
    expect([order().state, attemptsOf(order()).length]).toEqual(['live', 1]);
    await world.clock.advance(ORDER.restingPauseMs - 1_500);
    expect(attemptsOf(order()).length).toBe(1);
    await world.clock.advance(120_000);
    expect([order().state, order().reason, attemptsOf(order()).length, reserved(), laws()]).toEqual(
      [
        'cancelled',
        `given up after ${KEPT_TERMS.traits.attemptsMaximum} attempts`,
        KEPT_TERMS.traits.attemptsMaximum,
        0,
        [],
      ],
    );
  });

  it('ends where the venue refuses it, and its user is notified', async () => {
    const { world, store, order, reserved } = await aKeptOrder();
    world.venue.submitFaults.push({ kind: 'rejected', reason: 'not for you' });
    world.offer([3_900, 1_000]);
    await world.clock.advance(60_000);
    expect([order().state, order().reason, reserved(), kindsOf(store)]).toEqual([
      'rejected',
      'not for you',
      0,
      ['deposit_booked', 'order_rejected'],
    ]);
  });

  it('that the venue refuses after it got a part ends as cancelled, with that part', async () => {
    const { world, order, reserved, laws } = await aKeptOrder();
    world.offer([4_000, 5]);
    await world.clock.advance(ORDER.restingIntervalMs);
    world.venue.submitFaults.push({ kind: 'rejected', reason: 'not for you' });
    world.offer([4_000, 1_000]);
    await world.clock.advance(10_000);
    expect([order().state, order().reason, order().filledShares, reserved(), laws()]).toEqual([
      'cancelled',
      'not for you',
      5_000_000,
      0,
      [],
    ]);
  });

  it('is a sale as well: its shares are reserved, and go when there is a bid for them', async () => {
    const { world, life, order, laws } = await aKeptOrder();
    world.offer([3_900, 1_000]);
    await world.clock.advance(30_000);
    expect(order().state).toBe('filled');
    const sale = await during(
      world,
      life.orders.place(
        world.user,
        aMarketSell(20, { type: { kind: 'limit', price: priceTicks(4_500), expiresAtMs: null } }),
      ),
    );
    expect([sale.state, sale.reserved.shares]).toEqual(['live', 20_000_000]);
    world.offer(null, [4_600, 8]);
    await world.clock.advance(ORDER.restingIntervalMs);
    world.offer(null, [4_400, 1_000]);
    await world.clock.advance(30_000);
    world.book.distrust = 'gap';
    world.offer(null, [4_500, 1_000]);
    await world.clock.advance(30_000);
    const partly = life.orders.get(world.user, sale.intent.intentId);
    expect([partly?.state, partly?.filledShares, partly?.reserved.shares, laws()]).toEqual([
      'live',
      8_000_000,
      12_000_000,
      [],
    ]);
    expect(partly?.attempts.length).toBe(1);
    world.book.distrust = null;
    world.offer(null, [4_500, 1_000]);
    await world.clock.advance(30_000);
    expect([life.orders.get(world.user, sale.intent.intentId)?.state, laws()]).toEqual([
      'filled',
      [],
    ]);
  });

  it('L1: is tried again only on proof that the last attempt never lands; what is merely absent for long ends the order', async () => {
    const proven = await aKeptOrder();
    proven.world.venue.submitFaults.push({ kind: 'refused-silently' });
    proven.world.venue.lookupFaults.push({ kind: 'absent', proof: 'its block is past' });
    proven.world.offer([3_900, 1_000]);
    await proven.world.clock.advance(120_000);
    expect([proven.order().state, attemptsOf(proven.order()), proven.laws()]).toEqual([
      'filled',
      [
        [20_000_000, 'never'],
        [20_000_000, 'done'],
      ],
      [],
    ]);
    expect(proven.world.prepared).toEqual([proven.intentId, proven.intentId]);
    const absent = await aKeptOrder();
    absent.world.venue.submitFaults.push(
      ...Array.from({ length: 9 }, () => ({ kind: 'refused-silently' }) as const),
    );
    absent.world.offer([3_900, 1_000]);
    await absent.world.clock.advance(240_000);
    expect([absent.order().state, attemptsOf(absent.order()), absent.reserved()]).toEqual([
      'rejected',
      [[20_000_000, 'never']],
      0,
    ]);
  });

  it.each<[string, (kept: Awaited<ReturnType<typeof aKeptOrder>>) => Promise<unknown> | void]>([
    [
      'its user takes it back',
      ({ life, world, intentId }) => life.orders.cancel(world.user, intentId),
    ],
    ['a stop comes', ({ life }) => life.orders.setStop({ kind: 'all' }, true, 'alarm', 'keep')],
    ['the price goes', ({ world }) => world.offer(null)],
    ['the book falls into doubt', ({ world }) => void (world.book.distrust = 'gap')],
  ])(
    'L1, L6, L8: is not signed where, while its attempt is being prepared, %s',
    async (_, happen) => {
      const kept = await aKeptOrder(aLimitBuy(), aKeptWorld(5_000));
      kept.world.offer([3_900, 1_000]);
      await kept.world.clock.advance(2_000);
      await happen(kept);
      await kept.world.clock.advance(10_000);
      expect([kept.order().attempts, kept.world.venue.bodies.size, kept.laws()]).toEqual([
        [],
        0,
        [],
      ]);
      expect(
        kept.life.log.lines.filter(({ event }) => event === 'resting_order.held_back'),
      ).toEqual([]);
    },
  );

  it('L8: is not signed where its time is over the moment its attempt is prepared', async () => {
    const world = aKeptWorld(5_200);
    const expiresAtMs = world.clock.nowMs() + ORDER.restingIntervalMs + 5_200;
    world.offer([3_900, 1_000]);
    const { order } = await aKeptOrder(
      aLimitBuy({ type: { kind: 'limit', price: priceTicks(4_000), expiresAtMs } }),
      world,
    );
    await world.clock.advance(expiresAtMs - world.clock.nowMs());
    expect([world.prepared.length, order().attempts]).toEqual([1, []]);
    await world.clock.advance(ORDER.restingIntervalMs);
    expect([order().state, world.venue.bodies.size]).toEqual(['expired', 0]);
  });

  it('without a time of its own waits on, and trades', async () => {
    const price = priceTicks(4_000);
    const { world, order } = await aKeptOrder(
      aLimitBuy({ type: { kind: 'limit', price, expiresAtMs: null, untilCancelled: true } }),
    );
    await world.clock.advance(60_000);
    expect(order().state).toBe('live');
    world.offer([3_900, 1_000]);
    await world.clock.advance(10_000);
    expect(order().state).toBe('filled');
  });

  it('L8: goes by the book of its own token, whatever else waits', async () => {
    const { world, life, order } = await aKeptOrder(aLimitBuy({ outcome: 1 }));
    const other = await during(world, life.orders.place(world.user, aLimitBuy()));
    world.offer([3_900, 1_000]);
    await world.clock.advance(10_000);
    expect([
      life.orders.get(world.user, other.intent.intentId)?.state,
      order().state,
      order().attempts,
    ]).toEqual(['filled', 'live', []]);
  });

  it('L7: holds the lock of its account until the venue has answered: other trades wait', async () => {
    const { world, life } = await aKeptOrder();
    world.venue.isChannelMute = true;
    world.venue.submitFaults.push({ kind: 'late-ack', ms: 3_000 });
    world.offer([3_900, 1_000]);
    await world.clock.advance(1_000);
    const other = life.orders.place(world.user, aLimitBuy({ marketId: aMarketId(2) }));
    await world.clock.advance(1_000);
    expect(ordersOf(life.store).length).toBe(1);
    expect((await during(world, other)).state).toBe('live');
  });

  it('is not prepared while its venue turns us away', async () => {
    const { world, life, order } = await aKeptOrder();
    world.offer([4_500, 1_000]);
    world.venue.submitFaults.push({ kind: 'restricted', reason: 'not from here' });
    const { intent } = await during(world, life.orders.place(world.user, aMarketBuy()));
    world.offer([3_900, 1_000]);
    await world.clock.advance(10_000);
    expect([order().state, world.prepared]).toEqual(['live', [intent.intentId]]);
  });

  it('stays on the board, and its book followed, while an attempt is out', async () => {
    const { world, life, order } = await aKeptOrder();
    world.venue.submitFaults.push({ kind: 'delayed', ms: 20_000 });
    world.offer([4_000, 5]);
    await world.clock.advance(1_000);
    expect([
      order().state,
      world.followed.length,
      life.metrics.counts.get('resting_orders_open'),
    ]).toEqual(['delayed', 1, 1]);
  });

  it('ends at its time though its last attempt was held back', async () => {
    const kept = aKeptWorld();
    const expiresAtMs = kept.clock.nowMs() + 25_000;
    const { world, life, order } = await aKeptOrder(
      aLimitBuy({ type: { kind: 'limit', price: priceTicks(4_000), expiresAtMs } }),
      kept,
    );
    world.venue.submitFaults.push({ kind: 'underfunded', reason: 'not enough balance' });
    world.offer([4_500, 1_000]);
    await during(world, life.orders.place(world.user, aMarketBuy()));
    world.offer([3_900, 1_000]);
    await world.clock.advance(expiresAtMs + ORDER.restingIntervalMs - world.clock.nowMs());
    expect([order().state, order().attempts]).toEqual(['expired', []]);
  });

  it('L1: makes no attempt while the answer to the last is awaited, though its fills have come', async () => {
    const { world, order } = await aKeptOrder();
    world.venue.submitFaults.push({ kind: 'late-ack', ms: 3_000 });
    world.offer([4_000, 5]);
    await world.clock.advance(500);
    world.venue.end(orderIdOf(order()), 'cancelled', 'the rest found no match');
    await world.clock.advance(500);
    expect([order().state, order().filledShares]).toEqual(['live', 5_000_000]);
    world.offer([4_000, 1_000]);
    await world.clock.advance(1_000);
    expect(order().attempts.length).toBe(1);
    await world.clock.advance(10_000);
    expect([order().state, attemptsOf(order()), world.venue.orders.size]).toEqual([
      'filled',
      [
        [20_000_000, 'done'],
        [15_000_000, 'done'],
      ],
      2,
    ]);
  });

  it('L1: holds an attempt open until its own fills are booked: those of the one before do not count', async () => {
    const { world, order, laws } = await aKeptOrder();
    world.offer([4_000, 5]);
    await world.clock.advance(ORDER.restingIntervalMs);
    world.offer(null);
    await world.clock.advance(10_000);
    world.venue.isChannelMute = true;
    world.offer([4_000, 5]);
    await world.clock.advance(1_000);
    expect([order().state, order().filledShares, attemptsOf(order())[1]]).toEqual([
      'matched',
      5_000_000,
      [15_000_000, undefined],
    ]);
    world.offer(null);
    await world.clock.advance(10_000);
    expect([order().state, order().filledShares, laws()]).toEqual(['live', 10_000_000, []]);
    world.offer([4_000, 1_000]);
    await world.clock.advance(10_000);
    expect([order().state, order().filledShares, attemptsOf(order())[2]?.[0]]).toEqual([
      'filled',
      20_000_000,
      10_000_000,
    ]);
  });

  it('buys no share twice where the venue books an attempt it had called impossible, as far as that can be seen', async () => {
    const { world, order, laws } = await aKeptOrder(aLimitBuy(), aKeptWorld(5_000));
    world.venue.submitFaults.push({ kind: 'late-book', ms: ORDER.restingPauseMs + 3_000 });
    world.venue.lookupFaults.push({ kind: 'absent', proof: 'its block is past' });
    world.offer([4_000, 5]);
    await world.clock.advance(7_000);
    expect([order().state, attemptsOf(order())]).toEqual(['live', [[20_000_000, 'never']]]);
    await world.clock.advance(15_000);
    expect([order().filledShares, attemptsOf(order()).length, laws()]).toEqual([5_000_000, 1, []]);
    world.offer([4_000, 1_000]);
    await world.clock.advance(30_000);
    expect([order().state, order().filledShares, attemptsOf(order())[1]]).toEqual([
      'filled',
      20_000_000,
      [15_000_000, 'done'],
    ]);
  });

  it('counts a fill of an attempt called impossible beside the attempt that is out, which stays open for its own', async () => {
    const { world, order, laws } = await aKeptOrder();
    world.venue.submitFaults.push(
      { kind: 'late-book', ms: ORDER.restingPauseMs + 5_000 },
      { kind: 'delayed', ms: 20_000 },
    );
    world.venue.lookupFaults.push({ kind: 'absent', proof: 'its block is past' });
    world.offer([4_000, 5]);
    await world.clock.advance(ORDER.restingPauseMs + 10_000);
    expect([order().state, order().filledShares, order().attempts[1]?.part?.filledShares]).toEqual([
      'delayed',
      5_000_000,
      5_000_000,
    ]);
    world.offer([4_000, 1_000]);
    await world.clock.advance(30_000);
    expect([order().state, order().filledShares, laws()]).toEqual(['filled', 25_000_000, []]);
  });

  it('waits while its funds are in dispute, and an attempt that never landed does not end the dispute', async () => {
    const { world, life, store, order } = await aKeptOrder();
    world.venue.submitFaults.push({ kind: 'underfunded', reason: 'not enough balance' });
    world.offer([4_500, 1_000]);
    await during(world, life.orders.place(world.user, aMarketBuy()));
    world.offer([3_900, 1_000]);
    await world.clock.advance(ORDER.disputePause.firstMs - 5_000);
    const heldBack = life.log.lines.filter(({ event }) => event === 'resting_order.held_back');
    expect([order().attempts, heldBack.length]).toEqual([
      [],
      Math.ceil((ORDER.disputePause.firstMs - 5_000) / ORDER.restingPauseMs),
    ]);
    world.venue.submitFaults.push({ kind: 'refused-silently' });
    world.venue.lookupFaults.push({ kind: 'absent', proof: 'its block is past' });
    await world.clock.advanceUntil(() => attemptsOf(order())[0]?.[1] !== undefined, 30_000);
    expect([attemptsOf(order()), store.range(FUNDS_DISPUTES).length]).toEqual([
      [[20_000_000, 'never']],
      1,
    ]);
    await world.clock.advance(30_000);
    expect([
      order().state,
      store.range(FUNDS_DISPUTES),
      life.metrics.counts.get('resting_orders_open'),
    ]).toEqual(['filled', [], 0]);
  });

  it('L9: waits on after a restart, and is followed', async () => {
    const { world, life, store, intentId } = await aKeptOrder();
    life.die();
    await life.orders.stop();
    world.followed.length = 0;
    const next = world.live(store.crash());
    const report = await next.orders.recover();
    expect([report.openOrders, report.undecidedOrders, world.followed]).toEqual([
      1,
      0,
      [world.market.marketId],
    ]);
    world.offer([3_900, 1_000]);
    await world.clock.advance(10_000);
    expect(next.orders.get(world.user, intentId)?.state).toBe('filled');
  });

  it('waits where its venue cannot be opened after a restart, and is taken back or ended by its time all the same', async () => {
    const kept = aKeptWorld();
    const expiresAtMs = kept.clock.nowMs() + 30_000;
    const { world, life, store, intentId } = await aKeptOrder(aLimitBuy(), kept);
    const timed = await during(
      world,
      life.orders.place(
        world.user,
        aLimitBuy({ type: { kind: 'limit', price: priceTicks(4_000), expiresAtMs } }),
      ),
    );
    life.die();
    await life.orders.stop();
    const next = world.live(store.crash(), {
      venues: (venues) =>
        createVenues(
          [],
          venues.map(({ id, cashAccount }) => ({ id, cashAccount, reason: 'down' })),
        ),
    });
    await next.orders.recover();
    world.offer([3_900, 1_000]);
    await world.clock.advance(10_000);
    const stateOf = (id: typeof intentId) => next.orders.get(world.user, id)?.state;
    expect([stateOf(intentId), stateOf(timed.intent.intentId)]).toEqual(['live', 'live']);
    expect((await next.orders.cancel(world.user, intentId)).state).toBe('cancelled');
    await world.clock.advance(30_000);
    expect([
      stateOf(timed.intent.intentId),
      world.venue.bodies.size,
      next.portfolio.cash(world.user, 'usdc:safe').reserved,
    ]).toEqual(['expired', 0, 0]);
  });

  it('keeps no other of its user waiting while it is held back itself: one of a stopped agent waits, one placed manually trades', async () => {
    const world = aKeptWorld();
    const store = createMemoryStore();
    const life = world.live(store);
    await life.orders.recover();
    await life.funding.syncDeposits(world.user);
    await anEnabledAgent(life, world.user);
    const origin = {
      kind: 'agent',
      agentId: 'btc_5min',
      decisionId: asId<DecisionId>('dec_1'),
      purpose: 'entry',
    } as const;
    const agents = await during(world, life.orders.place(world.user, aLimitBuy({ origin })));
    await life.commit((tx) => {
      const agent = tx.get(AGENTS, [world.user, 'btc_5min'])?.value;
      if (agent !== undefined)
        tx.put(AGENTS, [world.user, 'btc_5min'], { ...agent, enabled: false });
    });
    const manual = await during(world, life.orders.place(world.user, aLimitBuy()));
    world.offer([3_900, 1_000]);
    await world.clock.advance(10_000);
    expect(
      [agents, manual].map(({ intent }) => life.orders.get(world.user, intent.intentId)?.state),
    ).toEqual(['live', 'filled']);
  });

  it('L7: is one of many at a price that moves through them: each by its own attempt, one after the other, and none turned away', async () => {
    const { world, life, store, laws } = await aKeptOrder();
    const small = aLimitBuy({ amount: { unit: 'shares', micros: 5_000_000 } });
    for (let more = 0; more < LOCK.queueMaximum + 4; more += 1)
      await during(world, life.orders.place(world.user, small));
    world.offer([3_900, 1_000]);
    await world.clock.advance(60_000);
    const count = LOCK.queueMaximum + 5;
    expect([
      ordersOf(store).map(({ state, attempts }) => [state, attempts.length]),
      world.venue.orders.size,
      life.log.lines.filter(({ event }) => event === 'resting_order.held_back'),
      laws(),
    ]).toEqual([Array.from({ length: count }, () => ['filled', 1]), count, [], []]);
  });
});

describe('many orders whose time is over at once', () => {
  /**
   * The keeper of so many orders that expire in a second, or whose market ends then. A full disk
   * stores nothing; one that fails late has stored what it was given.
   */
  async function keeping(count: number, what: 'order' | 'market' = 'order') {
    const store = createMemoryStore();
    const clock = createVirtualClock(T0);
    const [bus, log, metrics] = [createKeptBus(), createKeptLog(), createKeptMetrics()];
    const disk = { isFull: false, failsLate: false };
    const writes = createCommit({ store, bus, metrics });
    const commit = (async (...change: Parameters<Commit>) => {
      if (disk.isFull) throw new Error('the disk is full');
      const stored = await writes(...change);
      if (disk.failsLate) throw new Error('the disk is gone');
      return stored;
    }) as Commit;
    const kept = createRestingOrders({
      store,
      commit,
      updates: createOrderUpdates({ store, commit, clock, named: () => undefined }),
      driver: {
        durable: () => expect.unreachable(),
        acknowledgement: () => expect.unreachable(),
        isFollowing: () => false,
      },
      locks: { acquire: () => expect.unreachable() },
      venues: onOneVenue(KEPT_TERMS),
      bus,
      clock,
      log,
      metrics,
    });
    const endMs = T0 + 1_000;
    const market = aMarket(1, what === 'market' ? { endsAtMs: endMs } : {});
    await store.write((tx) => tx.put(TRADED_MARKETS, [market.marketId], market));
    const expiresAtMs = what === 'order' ? endMs : null;
    for (let one = 0; one < count; one += 1) {
      const order = aSignedOrder(
        { state: 'live', attempts: [] },
        { intentId: asId(`int_${one}`), restsAt: 'service', expiresAtMs },
      );
      await store.write((tx) => putOrder(tx, null, order));
      kept.keep(order);
    }
    const states = () => ordersOf(store).map(({ state }) => state);
    const expired = () => states().filter((state) => state === 'expired').length;
    return { clock, disk, log, metrics, states, expired };
  }

  it('end with their market the moment that does', async () => {
    const { clock, states } = await keeping(2, 'market');
    await clock.advance(999);
    expect(states()).toEqual(['live', 'live']);
    await clock.advance(1);
    expect(states()).toEqual(['cancelled', 'cancelled']);
  });

  it('are not checked again where the end was stored, though it could not be reported', async () => {
    const { clock, disk, expired } = await keeping(1);
    disk.failsLate = true;
    await clock.advance(60_000);
    expect([expired(), clock.pending]).toEqual([1, 0]);
  });

  it('end a hundred a check, the others with the next', async () => {
    const { clock, expired, metrics } = await keeping(ORDER.restingAtOnceMaximum + 1);
    await clock.advance(999);
    expect(expired()).toBe(0);
    await clock.advance(1);
    expect(expired()).toBe(ORDER.restingAtOnceMaximum);
    await clock.advance(ORDER.restingIntervalMs);
    expect([expired(), metrics.counts.get('resting_orders_open')]).toEqual([
      ORDER.restingAtOnceMaximum + 1,
      0,
    ]);
  });

  it('are tried again after a pause where the end could not be stored, and operators are informed', async () => {
    const { clock, disk, expired, log } = await keeping(1);
    disk.isFull = true;
    await clock.advance(1_000);
    expect([expired(), log.lines]).toMatchObject([
      0,
      [
        {
          level: 'warn',
          event: 'resting_order.held_back',
          fields: { intentId: 'int_0', userId: aUserId(1), cause: expect.any(Error) },
        },
      ],
    ]);
    await clock.advance(ORDER.restingPauseMs - 1);
    disk.isFull = false;
    expect([expired(), log.lines.length]).toEqual([0, 1]);
    await clock.advance(1);
    expect(expired()).toBe(1);
  });
});
