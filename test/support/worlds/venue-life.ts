import { expect } from 'vitest';
import type { MemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { createCore, type Core } from '../../../src/app/core.ts';
import { openVenues } from '../../../src/app/open-venues.ts';
import { assert } from '../../../src/domain/errors.ts';
import type { CashAccount } from '../../../src/domain/cash.ts';
import type { FillRecord } from '../../../src/domain/fill.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { priceTicks } from '../../../src/domain/units.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { Venue } from '../../../src/ports/venue.ts';
import type { VenueOrder } from '../../../src/ports/order-gateway.ts';
import { FILLS } from '../../../src/services/books/tables.ts';
import type { OrderEstimate } from '../../../src/services/orders/estimate.ts';
import type { PlaceOrder } from '../../../src/services/orders/place-order.ts';
import type { Cash } from '../../../src/services/portfolio/portfolio.ts';
import type { Transactions } from '../../../src/services/transactions/transactions.ts';
import type { VenueParts } from '../../../src/venues/contract.ts';
import { tradingAt, type VenueWorld } from '../../contracts/venue/fixture.ts';
import { createMortalClock } from '../../simulate/mortal-clock.ts';
import { createFakeInference, createFakePriceFeed } from '../fakes/fake-feeds.ts';
import { createKeptBus, createKeptLog, createKeptMetrics } from '../quiet.ts';
import { brokenLaws, during, ordersOf } from './trading-world.ts';

/** How long the venue and we may take to agree, ms of the world. */
const PATIENCE_MS = 60_000;
/** An order has left and arrived, and nothing of it has been heard. */
const ARRIVES_WITHIN_MS = 20;
/** What an order is made of has been asked for. */
const PREPARED_WITHIN_MS = 1_000;

/**
 * A process of the whole service, at one of its venues. Whatever it waits for passes on the world's
 * clock.
 */
export interface VenueLife {
  readonly venue: Venue;
  readonly core: Core;
  readonly log: ReturnType<typeof createKeptLog>;
  readonly store: MemoryStore;
  /** The same process at another of its venues. */
  at(world: VenueWorld): VenueLife;
  syncDeposits(): Promise<void>;
  /** Places a market order of the first outcome, unless changed. */
  placed(change: Partial<PlaceOrder>): Promise<OrderRecord>;
  /** Places several such orders at once, and gives what each came to. */
  tried(changes: readonly Partial<PlaceOrder>[]): Promise<readonly (OrderRecord | Error)[]>;
  /** Estimates what placing such an order would do. */
  estimated(change: Partial<PlaceOrder>): Promise<OrderEstimate>;
  /** Buys so many shares for what is to be had. */
  buy(shares: number): Promise<OrderRecord>;
  /** Has an order to buy rest at a price. */
  rest(shares: number, price: number, expiresAtMs?: number): Promise<OrderRecord>;
  /**
   * Has an order to buy on its way, of which nothing has been heard; something else may happen as
   * soon as it is asked for.
   */
  unheard(change: Partial<PlaceOrder>, meanwhile?: () => void): Promise<OrderRecord>;
  cancelled(order: OrderRecord): Promise<OrderRecord>;
  stopTrading(): Promise<unknown>;
  order(order: Pick<OrderRecord, 'intent'>): OrderRecord;
  orders(): readonly OrderRecord[];
  fills(): readonly FillRecord[];
  /** Waits until so many fills are final, and returns them. */
  settled(count: number): Promise<readonly FillRecord[]>;
  /** Of the venue's account unless another is named. */
  cash(account?: CashAccount): Cash;
  /** What is set aside for an order that spends so much, with the largest fee it can meet. */
  setAsideFor(spendMicros: number, price: number): number;
  /** Shares held of the first outcome, micros. */
  holding(): number;
  /** Orders that rest at the venue. */
  resting(): Promise<readonly VenueOrder[]>;
  until(isSo: () => boolean, withinMs?: number): Promise<void>;
  /** Expects that venue and ledger hold the same cash, and that the laws hold. */
  agrees(): Promise<void>;
  /**
   * Kills the process; the next one starts on what the disk kept, after what happens in between,
   * over the same worlds unless others are given.
   */
  killed(between?: () => Promise<void>, next?: Worlds): Promise<VenueLife>;
  end(): Promise<void>;
}

/** Worlds on one clock. */
type Worlds = readonly [VenueWorld, ...VenueWorld[]];

/** The whole service over some venues, before it is started. */
export interface VenueProcess {
  readonly core: Core;
  readonly log: ReturnType<typeof createKeptLog>;
  readonly bus: ReturnType<typeof createKeptBus>;
  readonly opened: readonly (readonly [VenueWorld, Venue])[];
  /** Ends it as a kill does: no timer of it runs any more, and it hears nothing. */
  die(): void;
  closeVenues(): Promise<unknown>;
  stopCarrying(): void;
}

/** Opens the service over the venues of some worlds, on what a store holds. No time passes. */
export async function openProcess(
  worlds: Worlds,
  store: Store,
  name: string,
): Promise<VenueProcess> {
  const clock = createMortalClock(worlds[0].clock);
  const log = createKeptLog();
  const { venues, closedVenues } = await openVenues({
    rows: worlds.map(({ row, open }) => ({ ...row, open: () => open(clock, name) })),
    parts: {} as VenueParts, // each world has parts of its own
    settings: {},
    wallClock: clock,
    log,
  });
  const bus = createKeptBus();
  const carried: { by: Transactions | null } = { by: null };
  const core = createCore({
    store,
    clock,
    log,
    bus,
    random: createSeededRandom(name),
    metrics: createKeptMetrics(),
    venues,
    closedVenues,
    oracle: null,
    exchange: createFakePriceFeed('exchange'),
    inference: createFakeInference(clock),
    transactions() {
      assert(carried.by !== null, 'a world where a venue redeems by transactions carries them');
      return carried.by;
    },
  });
  const { commit } = core.trading;
  for (const world of worlds)
    carried.by ??= world.carry?.({ name, store, commit, clock, log }) ?? null;
  const closeVenues = () => Promise.all(venues.map((venue) => venue.close()));
  return {
    core,
    log,
    bus,
    opened: worlds.flatMap((world) =>
      venues.filter(({ id }) => id === world.row.id).map((venue) => [world, venue] as const),
    ),
    die() {
      clock.end();
      void closeVenues();
    },
    closeVenues,
    stopCarrying: () => carried.by?.stop(),
  };
}

/** Starts the service over the venues of some worlds. Returns its life at the first of them. */
export async function startLife(
  worlds: Worlds,
  store: MemoryStore,
  name: string,
): Promise<VenueLife> {
  const { core, log, opened, die, closeVenues, stopCarrying } = await openProcess(
    worlds,
    store,
    name,
  );
  const process: Process = {
    core,
    log,
    store,
    at: (world) => lives.get(world) ?? expect.unreachable('the venue is open'),
    async killed(world, between, next = worlds) {
      die();
      const kept = store.crash();
      await between();
      return startLife(next, kept, `${name} again`).then((life) => life.at(world));
    },
    async end() {
      await core.stop();
      stopCarrying();
      await closeVenues();
      for (const world of worlds) await world.close();
    },
  };
  const lives = new Map(opened.map(([world, venue]) => [world, lifeAt(process, world, venue)]));
  for (const [world, venue] of opened) await during(world, venue.accounts.open(world.userId));
  await during(worlds[0], core.start());
  for (const life of lives.values()) await life.syncDeposits();
  return process.at(worlds[0]);
}

/** What the lives of a process share. */
interface Process extends Pick<VenueLife, 'at' | 'end'> {
  readonly core: Core;
  readonly log: ReturnType<typeof createKeptLog>;
  readonly store: MemoryStore;
  killed(world: VenueWorld, between: () => Promise<void>, next?: Worlds): Promise<VenueLife>;
}

function lifeAt(process: Process, world: VenueWorld, venue: Venue): VenueLife {
  const { store } = process;
  const { trading, orders } = process.core;
  const { userId, market, patienceMs = PATIENCE_MS } = world;
  const { agreedAfterMs = patienceMs } = world;
  const trades = tradingAt(venue, market);
  const pass = <T>(work: Promise<T>): Promise<T> => during(world, work);
  const request = (change: Partial<PlaceOrder>): PlaceOrder => ({
    venue: venue.id,
    marketId: market.marketId,
    outcome: 0,
    side: 'buy',
    amount: { unit: 'shares', micros: 20_000_000 },
    type: { kind: 'market' },
    origin: { kind: 'manual' },
    ...change,
  });
  const place = (change: Partial<PlaceOrder>) => orders.place(userId, request(change));
  const life: VenueLife = {
    venue,
    core: process.core,
    log: process.log,
    store,
    at: (other) => process.at(other),
    async syncDeposits() {
      await pass(trading.funding.syncDeposits(userId, venue.id));
    },
    estimated: (change) => pass(orders.estimate(userId, request(change))),
    placed: (change) => pass(place(change)),
    tried: (changes) =>
      pass(
        Promise.all(
          changes.map((change) =>
            place(change).catch((cause: unknown) =>
              cause instanceof Error ? cause : expect.unreachable('errors are errors'),
            ),
          ),
        ),
      ),
    buy: (shares) => life.placed({ amount: { unit: 'shares', micros: shares * 1_000_000 } }),
    rest: (shares, price, expiresAtMs) =>
      life.placed({
        amount: { unit: 'shares', micros: shares * 1_000_000 },
        type: {
          kind: 'limit',
          price: priceTicks(price),
          expiresAtMs: expiresAtMs ?? null,
          untilCancelled: expiresAtMs === undefined,
        },
      }),
    async unheard(change, meanwhile = () => undefined) {
      const known = new Set(life.orders().map(({ intent }) => intent.intentId));
      place(change).catch(() => undefined);
      meanwhile();
      const made = () => life.orders().find(({ intent }) => !known.has(intent.intentId));
      await world.clock.advance(ARRIVES_WITHIN_MS);
      // Some venues are asked for more before an order is made.
      if (made() === undefined) {
        await world.clock.advanceUntil(() => made() !== undefined, PREPARED_WITHIN_MS);
        await world.clock.advance(ARRIVES_WITHIN_MS);
      }
      return made() ?? expect.unreachable('the order was stored');
    },
    cancelled: ({ intent }) => pass(orders.cancel(userId, intent.intentId)),
    stopTrading: () => pass(orders.setStop({ kind: 'self', userId }, true, null)),
    order: ({ intent }) =>
      orders.get(userId, intent.intentId) ?? expect.unreachable('the order was stored'),
    orders: () => ordersOf(store).filter(({ intent }) => intent.venue === venue.id),
    fills: () =>
      store
        .range(FILLS)
        .map(({ value }) => value)
        .filter(({ marketId }) => marketId === market.marketId),
    async settled(count) {
      const final = () => life.fills().filter(({ settlement }) => settlement === 'settled');
      await life.until(() => final().length >= count);
      return final();
    },
    cash: (account = venue.cashAccount) => trading.portfolio.cash(userId, account),
    setAsideFor: (spendMicros, price) =>
      spendMicros + trades.rules.worstFee(market, spendMicros, priceTicks(price)),
    holding: () =>
      trading.portfolio
        .holdings(userId, { marketId: market.marketId })
        .reduce((sum, { position }) => sum + position.shares, 0),
    async resting() {
      const open = await pass(trades.gateway.openOrders(userId));
      return open.read;
    },
    async until(isSo, withinMs = patienceMs) {
      await world.clock.advanceUntil(isSo, withinMs);
      expect(isSo()).toBe(true);
    },
    async agrees() {
      await world.clock.advance(agreedAfterMs);
      expect(life.cash()).toMatchObject({
        settled: await pass(venue.accounts.collateral(userId)),
        provisional: 0,
      });
      expect(brokenLaws(store, userId)).toEqual([]);
    },
    killed: (between = async () => undefined, next) => process.killed(world, between, next),
    end: () => process.end(),
  };
  return life;
}
