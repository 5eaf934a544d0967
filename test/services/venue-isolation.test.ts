import { watchUser } from '../support/watched-users.ts';
import { expect, it } from 'vitest';
import { HEALTH, SETTLEMENT_BREAKER } from '../../config/limits/risk.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { AppError } from '../../src/domain/errors.ts';
import { asId, type TradeId, type VenueId } from '../../src/domain/ids.ts';
import type { Market } from '../../src/domain/market.ts';
import { priceTicks, shareMicros } from '../../src/domain/units.ts';
import type { UserEvent } from '../../src/ports/order-gateway.ts';
import type { PlaceOrder } from '../../src/services/orders/place-order.ts';
import { shutFor } from '../../src/services/books/settlement-health.ts';
import { createTradeHistory } from '../../src/services/history/trade-history.ts';
import { createVenues, type TradedVenue, type Venues } from '../../src/services/venues.ts';
import { orderIdOf } from '../support/attempts.ts';
import { aLimitBuy, aMarket, aMarketBuy } from '../support/builders.ts';
import {
  aWorld,
  brokenLaws,
  during,
  fundWallets,
  ordersOf,
  type LifeOptions,
} from '../support/worlds/trading-world.ts';
import { VENUE_B, VENUE_C } from '../support/venue-ids.ts';

const WELL = aMarket(1);
const ILL = aMarket(2, { venue: VENUE_B });

const on = ({ venue, marketId }: Market): Pick<PlaceOrder, 'venue' | 'marketId'> => ({
  venue,
  marketId,
});

/** Makes the second of two venues other than it is. */
function second(change: (venue: TradedVenue) => TradedVenue): LifeOptions {
  return {
    venues: (all) =>
      createVenues(all.map((venue) => (venue.id === ILL.venue ? change(venue) : venue))),
  };
}

/** Opens the first of two venues alone. */
function firstAlone(all: readonly TradedVenue[]): Venues {
  return createVenues(
    all.filter(({ id }) => id === WELL.venue),
    [{ id: ILL.venue, cashAccount: 'usdc:solana', reason: 'its settings are wrong' }],
  );
}

async function start(options: LifeOptions = {}, store = createMemoryStore()) {
  const world = aWorld(100_000_000, [WELL, ILL]);
  const life = world.live(store, options);
  await life.orders.recover();
  await life.funding.syncDeposits(world.user, WELL.venue);
  await fundWallets(life, world, { 'usdc:solana': 100_000_000 });
  return { world, life, store };
}

it('a venue that never answers holds up no order on another, though its own wait', async () => {
  const never = () => new Promise<never>(() => undefined);
  const { world, life } = await start(
    second((venue) => ({
      ...venue,
      gateway: { ...venue.gateway, submit: never, lookup: never, fills: never, openOrders: never },
    })),
  );
  const stuck = life.orders.place(world.user, aMarketBuy(on(ILL)));
  const queued = expect(life.orders.place(world.user, aLimitBuy(on(ILL)))).rejects.toMatchObject({
    code: 'market_fenced',
  });
  const order = await during(world, life.orders.place(world.user, aMarketBuy(on(WELL))));
  expect(order.state).toBe('filled');
  expect(ordersOf(life.store).map(({ intent, state }) => [intent.venue, state])).toEqual(
    expect.arrayContaining([
      ['venue_a', 'filled'],
      ['venue_b', 'signed'],
    ]),
  );
  expect((await during(world, stuck)).state).toBe('unknown');
  await queued;
});

it('L8: a venue whose channel is down and whose trades cannot be read blinds the agents of no other', async () => {
  const down = () => Promise.reject(new AppError('venue_unavailable', 'down', { retryable: true }));
  const { world, life } = await start(
    second((venue) => ({
      ...venue,
      gateway: {
        ...venue.gateway,
        fills: down,
        openOrders: down,
        watch(_userId, { error }) {
          const timer = world.clock.after(1, () => error(new Error('refused')));
          return () => timer.cancel();
        },
      },
    })),
  );
  watchUser(life, world.user);
  await world.clock.advance(HEALTH.blindAfterMs + 60_000);
  expect([
    life.userStreams.problem(world.user, WELL.venue),
    life.userStreams.problem(world.user, ILL.venue)?.code,
  ]).toEqual([null, 'user_stream_blind']);
});

it('a deposit that cannot be asked for at one venue is booked at another', async () => {
  const { world, life } = await start(
    second((venue) => ({
      ...venue,
      accounts: { deposits: () => Promise.reject(new AppError('venue_unavailable', 'down')) },
    })),
  );
  world.venue.deposit(world.user, 7_000_000);
  await expect(life.funding.syncDeposits(world.user)).rejects.toMatchObject({
    code: 'venue_unavailable',
  });
  expect(life.portfolio.cashAt(world.user, WELL.venue).settled).toBe(107_000_000);
});

it('L2, L9: a venue that cannot be opened leaves its orders as they are, and the next start that opens it goes on with them', async () => {
  const { world, life, store } = await start();
  const resting = await during(world, life.orders.place(world.user, aLimitBuy(on(ILL))));
  life.die();
  const without = world.live(store, { venues: firstAlone, seed: 'without' });
  await without.orders.recover();
  expect(without.log.lines.map(({ event }) => event)).toContain('order.venue_closed');
  await expect(without.orders.place(world.user, aLimitBuy(on(ILL)))).rejects.toMatchObject({
    code: 'venue_unavailable',
    retryable: true,
  });
  expect((await during(world, without.orders.place(world.user, aMarketBuy(on(WELL))))).state).toBe(
    'filled',
  );
  await world.clock.advance(600_000);
  expect([
    without.orders.listOpen(world.user).map(({ state, reserved }) => [state, reserved]),
    without.portfolio.cashAt(world.user, ILL.venue).reserved,
    brokenLaws(store, world.user),
  ]).toEqual([[['live', resting.reserved]], resting.reserved.usdc, []]);
  without.die();
  const next = world.live(store, { seed: 'next' });
  await next.orders.recover();
  const ended = await during(
    world,
    next.orders
      .cancel(world.user, resting.intent.intentId)
      .then(() => next.orders.ended(world.user, resting.intent.intentId, 60_000)),
  );
  expect([ended.state, next.portfolio.cashAt(world.user, ILL.venue).reserved]).toEqual([
    'cancelled',
    0,
  ]);
});

it('L2, L3: what a venue says of an order at another changes nothing', async () => {
  const heard: { tell: (event: UserEvent) => void } = { tell: () => undefined };
  const { world, life, store } = await start(
    second((venue) => ({
      ...venue,
      gateway: {
        ...venue.gateway,
        watch(_userId, { next }) {
          heard.tell = (event) => next(event);
          return () => undefined;
        },
      },
    })),
  );
  const made = await during(world, life.orders.place(world.user, aLimitBuy(on(WELL))));
  watchUser(life, world.user);
  const orderId = orderIdOf(made);
  heard.tell({
    kind: 'order',
    order: { orderId, status: 'cancelled', matchedShares: shareMicros(0), reason: null },
  });
  heard.tell({
    kind: 'fill',
    fill: {
      orderId,
      tradeId: asId<TradeId>('reported by another'),
      marketId: WELL.marketId,
      tokenId: made.intent.tokenId,
      side: 'buy',
      role: 'taker',
      legs: [{ price: priceTicks(4_000), shares: shareMicros(20_000_000) }],
      fee: null,
      word: 'matched',
      matchedAtMs: made.intent.createdAtMs,
      transactionHash: null,
    },
  });
  await world.clock.advance(5_000);
  expect([
    life.orders.get(world.user, made.intent.intentId)?.state,
    life.portfolio.fills(world.user),
    brokenLaws(store, world.user),
  ]).toEqual(['live', [], []]);
});

it('trades that fail to settle at one venue hold entries of agents back there alone', async () => {
  const { world, life, store } = await start();
  const { failures } = SETTLEMENT_BREAKER.user;
  for (let number = 0; number < failures; number += 1) {
    world.venue.settlements.push([{ afterMs: 1_000, word: 'failed' }]);
    await during(world, life.orders.place(world.user, aMarketBuy(on(ILL))));
    await world.clock.advance(10_000);
  }
  const shut = (venue: VenueId) =>
    shutFor(store, 'user', { userId: world.user, venue }, world.clock.nowMs()) > 0;
  expect([shut(ILL.venue), shut(WELL.venue)]).toEqual([true, false]);
});

it('each venue lists and cancels its own orders, fills and positions', async () => {
  const { world, life, store } = await start();
  for (const market of [WELL, ILL]) {
    await during(world, life.orders.place(world.user, aMarketBuy(on(market))));
    await during(world, life.orders.place(world.user, aLimitBuy(on(market))));
  }
  const history = createTradeHistory(store);
  const listed = (venue: VenueId) => {
    const page = { venue, limit: 50, cursor: null };
    return [
      history
        .orders(world.user, { ...page, state: 'all' })
        .data.map(({ intent }) => intent.marketId),
      history.fills(world.user, page).data.map(({ fill }) => fill.marketId),
      history
        .holdings(world.user, { ...page, type: 'all' })
        .data.map(({ position }) => position.marketId),
    ];
  };
  for (const { venue, marketId } of [WELL, ILL])
    expect(listed(venue)).toEqual([[marketId, marketId], [marketId], [marketId]]);
  const cancelled = await during(world, life.orders.cancelAll(world.user, ILL.venue));
  expect([
    cancelled.map(({ order }) => order.intent.venue),
    life.orders.listOpen(world.user).map(({ intent }) => intent.venue),
  ]).toEqual([[ILL.venue], [WELL.venue]]);
});

it('an order for an unknown venue is sent nowhere', async () => {
  const { world, life } = await start();
  await expect(
    life.orders.place(world.user, aMarketBuy({ ...on(WELL), venue: VENUE_C })),
  ).rejects.toMatchObject({ code: 'not_found' });
});
