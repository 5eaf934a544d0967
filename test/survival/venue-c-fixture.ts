import type { VirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import type { FillRecord } from '../../src/domain/fill.ts';
import { isTerminal, type OrderRecord, type TradeSide } from '../../src/domain/order.ts';
import { priceTicks } from '../../src/domain/units.ts';
import type { FaultName, FaultRule } from '../../src/sandbox/faults.ts';
import type { PlaceOrder } from '../../src/services/orders/place-order.ts';
import { noteFaults } from '../support/checks/noted-faults.ts';
import { brokenLaws, during } from '../support/worlds/trading-world.ts';
import { createVenueCWorld, type VenueCWorld } from '../support/worlds/venue-c-world.ts';
import { startLife, type VenueLife } from '../support/worlds/venue-life.ts';
import { createFindings, type Findings, type Scenario } from './findings.ts';

/** The whole service at venue_c's order books, its model in this process, on a virtual clock. */
export interface VenueCFixture {
  readonly world: VenueCWorld;
  readonly clock: VirtualClock;
  readonly is: Findings['is'];
  /** The service of the present process. */
  life(): VenueLife;
  arm(name: FaultName, rule?: FaultRule): void;
  calm(name: FaultName): void;
  /** Another trader offers shares of Yes, at a half unless stated. */
  offer(shares: number, price?: number): void;
  /** Another trader bids for shares of Yes, at 0.48 unless stated. */
  bid(shares: number, price?: number): void;
  /** Another trader takes what rests: sells to a bid at most so low, 0.4 unless stated. */
  meet(shares: number, price?: number): void;
  /** Another trader takes what is offered, at most so dear. */
  take(shares: number, price: number): void;
  /** Buys so many shares of Yes at the market. */
  buy(shares: number, change?: Partial<PlaceOrder>): Promise<OrderRecord>;
  sell(shares: number): Promise<OrderRecord>;
  /** Rests a limit of twenty shares of Yes. */
  rest(price: number, side?: TradeSide): Promise<OrderRecord>;
  order(record: OrderRecord): OrderRecord;
  /** Waits until an order has ended, and returns it. */
  ended(record: OrderRecord, withinMs?: number): Promise<OrderRecord>;
  /** Waits for something, and notes where it does not come. */
  comes(what: string, isSo: () => boolean, withinMs?: number): Promise<void>;
  /** What became of each fill, in order of these words. */
  settlements(): readonly FillRecord['settlement'][];
  /** The user's USDC, micros. */
  cash(): { readonly settled: number; readonly reserved: number; readonly provisional: number };
  /** Orders of the user that the venue has taken, in any state. */
  taken(): number;
  /** Nothing was made, and nothing is set aside. */
  nothingMade(): void;
  /** Kills the process, loses what was not flushed, and starts it again. */
  restart(between?: () => Promise<void>): Promise<void>;
}

/** What the user begins with, micros of USDC. */
export const CASH = 1_000_000_000;
const REST_MS = 10 * 60_000;
/** What is repeated of final trades comes in this. */
const FINAL_MS = 20_000;

/**
 * Makes a row's scenario of what happens in it. Afterwards nothing goes wrong any more, resting
 * orders are taken back, all comes to rest, and ledger, venue and orders are held against one
 * another. A fault that was armed and never came to happen fails the row.
 */
export function atVenueC(play: (fixture: VenueCFixture) => Promise<void>): Scenario {
  return async () => {
    const findings = createFindings();
    const world = await createVenueCWorld();
    const met = noteFaults(world.faults);
    const armed = new Set<FaultName>();
    const current = { life: await startLife([world], createMemoryStore(), 'first') };
    const fixture = fixtureOf({ world, current, findings, armed });
    await play(fixture);
    for (const name of armed) findings.is(`${name} came to happen`, met.has(name), true);
    await comeToRest(fixture);
    await agree(fixture);
    await current.life.end();
    return findings.wrong;
  };
}

interface Parts {
  readonly world: VenueCWorld;
  readonly current: { life: VenueLife };
  readonly findings: Findings;
  readonly armed: Set<FaultName>;
}

function fixtureOf({ world, current, findings, armed }: Parts): VenueCFixture {
  const { clock, faults, market } = world;
  const [{ tokenId }] = market.outcomes;
  const shares = (number: number) => ({ unit: 'shares', micros: number * 1_000_000 }) as const;
  const comes: VenueCFixture['comes'] = async (what, isSo, withinMs = REST_MS) => {
    await clock.advanceUntil(isSo, withinMs);
    findings.is(what, isSo(), true);
  };
  const order = ({ intent: { userId, intentId } }: OrderRecord): OrderRecord => {
    const found = current.life.core.orders.get(userId, intentId);
    if (found === null) throw new Error(`order ${intentId} is kept`);
    return found;
  };
  const cash = (): ReturnType<VenueCFixture['cash']> => {
    const { settled, reserved, provisional } = current.life.cash();
    return { settled, reserved, provisional };
  };
  const taken = (): number => ordersThere(world).length;
  return {
    world,
    clock,
    is: findings.is,
    life: () => current.life,
    arm(name, rule = { times: 1 }) {
      armed.add(name);
      faults.arm(name, rule);
    },
    calm: (name) => faults.clear(name),
    offer: (number, price = 5_000) => world.quote({ tokenId, side: 'sell', price, shares: number }),
    bid: (number, price = 4_800) => world.quote({ tokenId, side: 'buy', price, shares: number }),
    meet: (number, price = 4_000) => world.take({ tokenId, side: 'sell', price, shares: number }),
    take: (number, price) => world.take({ tokenId, side: 'buy', price, shares: number }),
    buy: (number, change = {}) => current.life.placed({ amount: shares(number), ...change }),
    sell: (number) => current.life.placed({ side: 'sell', amount: shares(number) }),
    rest: (price, side = 'buy') =>
      current.life.placed({
        side,
        amount: shares(20),
        type: { kind: 'limit', price: priceTicks(price), expiresAtMs: null, untilCancelled: true },
      }),
    order,
    async ended(record, withinMs) {
      await comes('the order ends', () => isTerminal(order(record).state), withinMs);
      return order(record);
    },
    comes,
    settlements: () =>
      current.life
        .fills()
        .map(({ settlement }) => settlement)
        .sort(),
    cash,
    taken,
    nothingMade() {
      findings.is('orders at the venue', taken(), 0);
      findings.is('money set aside', cash().reserved, 0);
    },
    async restart(between) {
      current.life = await current.life.killed(between);
    },
  };
}

/** Orders of the user as the venue has them. */
function ordersThere({ direct, wallet }: VenueCWorld) {
  const { exchange, access } = direct.model;
  const profile = access.profileOf(wallet);
  return profile === null ? [] : exchange.ordersOf(profile.id);
}

async function comeToRest(fixture: VenueCFixture): Promise<void> {
  const { world, clock } = fixture;
  const { userId } = world;
  world.faults.clearAll();
  const { orders } = fixture.life().core;
  for (const { intent } of orders.listOpen(userId))
    await during(
      world,
      orders.cancel(userId, intent.intentId).catch(() => undefined),
    );
  await fixture.comes('all comes to rest', () => orders.listOpen(userId).length === 0);
  await fixture.comes('all is final', () => fixture.cash().provisional === 0);
  await clock.advance(FINAL_MS);
}

/** Ledger = venue to the atom, an order there for each attempt that it took, and the laws. */
async function agree({ world, life, is, cash }: VenueCFixture): Promise<void> {
  const { userId, direct, listed, wallet, market } = world;
  const { core, store, orders } = life();
  const held = await direct.model.exchange.holdings(wallet, listed);
  is('cash at rest, as at the venue', cash(), { settled: held.usdc, reserved: 0, provisional: 0 });
  is(
    'shares held, as at the venue',
    market.outcomes.map(({ tokenId }) =>
      core.trading.portfolio
        .holdings(userId, { marketId: market.marketId })
        .filter(({ position }) => position.tokenId === tokenId)
        .reduce((sum, { settledShares }) => sum + settledShares, 0),
    ),
    [...held.shares],
  );
  const there = ordersThere(world);
  is(
    'orders at the venue, each a known attempt',
    there.map(({ clientOrderId }) => clientOrderId).sort(),
    orders()
      .flatMap(({ attempts }) => attempts)
      .map(({ attemptId }) => String(attemptId))
      .filter((name) => there.some(({ clientOrderId }) => clientOrderId === name))
      .sort(),
  );
  is(
    'shares matched, as the venue has them',
    orders()
      .map(({ filledShares }) => filledShares)
      .reduce((sum, micros) => sum + micros, 0),
    there.reduce((sum, { tradeIds }) => sum + sharesIn(world, tradeIds), 0),
  );
  is('orders open at the venue', direct.model.exchange.openOf(wallet).length, 0);
  is('laws', brokenLaws(store, userId), []);
}

/** What the user's orders met in trades. */
function sharesIn({ direct, wallet }: VenueCWorld, tradeIds: readonly string[]): number {
  return tradeIds
    .flatMap((tradeId) => direct.model.exchange.trade(tradeId) ?? [])
    .flatMap(({ taker, makers }) => [taker, ...makers])
    .filter(({ account }) => account === wallet)
    .reduce((sum, { shares }) => sum + shares, 0);
}
