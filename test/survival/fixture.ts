import { watchUser } from '../support/watched-users.ts';
import { createVirtualClock, type VirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import {
  createMemoryStore,
  type MemoryStore,
  type MemoryStoreHooks,
} from '../../src/adapters/memory/memory-store.ts';
import {
  createDirectService,
  type DirectService,
  type DirectUser,
} from '../../src/tools/replay/direct-service.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { JournalEntry } from '../../src/domain/events.ts';
import { asId, type Address, type IntentId, type OrderId } from '../../src/domain/ids.ts';
import type { OrderOrigin, OrderRecord, OrderState, TradeSide } from '../../src/domain/order.ts';
import type { StrategyTable } from '../../src/domain/strategy/strategy-row.ts';
import { priceTicks, usdcMicros } from '../../src/domain/units.ts';
import type {
  EngineOrder,
  ExchangeMarket,
  OrderView,
} from '../../src/sandbox/engine/exchange-types.ts';
import type { FaultName, FaultRule } from '../../src/sandbox/faults.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../src/sandbox/feeds/prices/price-process.ts';
import type { PlaceOrder } from '../../src/services/orders/place-order.ts';
import { driveOn } from '../scenarios/drive-on.ts';
import { findingsOf } from '../scenarios/findings.ts';
import { createMortalClock, type MortalClock } from '../simulate/mortal-clock.ts';
import { noteFaults } from '../support/checks/noted-faults.ts';
import { createKeptLog, createKeptMetrics } from '../support/quiet.ts';
import { createFindings, type Findings, type Scenario } from './findings.ts';
import type { WorldDelays } from '../../src/sandbox/world-settings.ts';
import { type WorldModel, startWorldModel } from '../../src/sandbox/venues/venue-a/world-model.ts';
import { VENUE_A } from '../support/venue-ids.ts';

/** How the world of a scenario is made. */
export interface FixtureOptions {
  /** Users, each with 200 USDC; one unless stated. */
  readonly users?: number;
  /**
   * Market makers and noise traders; none unless stated, so that books hold what the scenario puts
   * there.
   */
  readonly makers?: boolean;
  readonly delays?: Partial<WorldDelays>;
  /** Faults of the disk. */
  readonly disk?: MemoryStoreHooks;
  /** Takes the place of the product's strategies. */
  readonly strategies?: StrategyTable;
  /**
   * Cash and shares that leave by another way: ledger and venue then differ, and are not compared.
   */
  readonly hasLeak?: boolean;
}

/** A price and a size the market maker puts into the book. */
interface Quote {
  readonly outcome?: 0 | 1;
  readonly side: TradeSide;
  /** Ticks of 0.0001 USD. */
  readonly price: number;
  /** Whole shares. */
  readonly shares: number;
}

/**
 * The whole service over the sandbox's models on a virtual clock, and the means to inject faults.
 */
export interface Fixture {
  readonly clock: VirtualClock;
  readonly model: WorldModel;
  readonly market: ExchangeMarket;
  readonly log: ReturnType<typeof createKeptLog>;
  readonly metrics: ReturnType<typeof createKeptMetrics>;
  readonly is: Findings['is'];
  /** The service of the present life. */
  service(): DirectService;
  store(): MemoryStore;
  readonly users: readonly DirectUser[];
  readonly user: DirectUser;
  /** Facts of all lives, in order. */
  readonly facts: readonly JournalEntry['event'][];
  /** Ids of the users' orders the matching engine was asked to take, each time it was. */
  readonly asked: readonly OrderId[];
  arm(name: FaultName, rule?: FaultRule): void;
  /** Puts a market maker order into the book; one that crosses is matched as a taker. */
  quote(quote: Quote): OrderId;
  unquote(orderId: OrderId): void;
  /** Buys 10 USDC of the first outcome at the market. */
  buy(changes?: Partial<PlaceOrder>): Promise<OrderRecord>;
  /** Rests a bid of 20 shares of the first outcome at 0.40. */
  bid(changes?: Partial<PlaceOrder>): Promise<OrderRecord>;
  sell(shares: number, changes?: Partial<PlaceOrder>): Promise<OrderRecord>;
  /** Lets the clock run until a promise settles. */
  until<T>(promise: Promise<T>): Promise<T>;
  /** The order in its present state. */
  order(record: OrderRecord): OrderRecord;
  /** Every state the order came to, in order. */
  statesOf(record: OrderRecord): readonly OrderState[];
  /** The user's orders at the venue, finished ones included. */
  venueOrders(user?: DirectUser): readonly OrderView[];
  /**
   * Cancels all that the user has open at the venue, as the user may elsewhere; gives how many
   * there were.
   */
  cancelAll(): number;
  /** Calls of a family to the venue so far. */
  calls(family: 'write' | 'ledger' | 'public'): number;
  /** Kills the process, loses what was not flushed, and starts it again. */
  restart(): Promise<void>;
}

const START_MS = Date.UTC(2026, 6, 24, 0, 0, 20);
const HISTORY_SECONDS = 36_000;
const SEED = 7;
const LATENCY_MS = 20;
const FUNDS = usdcMicros(200_000_000);
const MAKER = asId<Address>('0x00000000000000000000000000000000000000A1');
const MAKER_SHARES = 100_000_000_000;
const REST_MS = 10 * 60_000;
/** Books and channels settle before anything is asked. */
const WARM_UP_MS = 5_000;

/**
 * Makes a row's scenario of what happens in it. Afterwards nothing goes wrong any more, resting
 * orders are taken back, all comes to rest, and the laws are held against the records of both
 * sides. A fault that was armed and never came to happen fails the row.
 */
export function onModels(
  play: (fixture: Fixture) => Promise<void>,
  options: FixtureOptions = {},
): Scenario {
  return async () => {
    const findings = createFindings();
    const { fixture, armed, met, end } = await openFixture(findings, options);
    await play(fixture);
    for (const name of armed) findings.is(`${name} came to happen`, met.has(name), true);
    await comeToRest(fixture, findings);
    const found = findingsOf({
      service: fixture.service(),
      model: fixture.model,
      users: fixture.users,
    });
    const sound = Object.entries(found).filter(
      ([name, list]) => list.length > 0 && !(options.hasLeak === true && name === 'differences'),
    );
    findings.is('laws that are broken at rest', Object.fromEntries(sound), {});
    await end();
    return findings.wrong;
  };
}

/** What a refusal says, by its code. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  const reported: unknown = await work.then(
    () => 'no refusal',
    (error: unknown) => error,
  );
  return reported instanceof AppError ? reported.code : String(reported);
}

/** Where an agent's order comes from. */
export const ENTRY: OrderOrigin = {
  kind: 'agent',
  agentId: 'btc_5min',
  decisionId: asId('dec_survival'),
  purpose: 'entry',
};

/** Gives the user's BTC 5-minute agent a size and a strategy, and enables it. */
export async function enableAgent({ until, service, user }: Fixture): Promise<void> {
  const { agents } = service().core;
  await until(
    agents.updateSettings(user.userId, 'btc_5min', { avgPositionSize: '5', strategy: 'up_down' }),
  );
  await until(agents.enable(user.userId, 'btc_5min'));
}

interface OpenFixture {
  readonly fixture: Fixture;
  readonly armed: ReadonlySet<FaultName>;
  readonly met: ReadonlySet<FaultName>;
  end(): Promise<void>;
}

async function openFixture(
  findings: Findings,
  { users: count = 1, makers = false, delays = {}, disk = {}, strategies }: FixtureOptions,
): Promise<OpenFixture> {
  const { clock, model, market, quote, unquote } = await openWorld({ makers, delays });
  const met = noteFaults(model.faults);
  const asked = noteAsked(model);
  const log = createKeptLog();
  const metrics = createKeptMetrics();
  const facts: JournalEntry['event'][] = [];
  const armed = new Set<FaultName>();
  const names = Array.from({ length: count }, (_, index) => `usr_${index + 1}`);

  const begin = async (life: number, store: MemoryStore): Promise<Life> => {
    const own = createMortalClock(clock);
    const service = await createDirectService({
      model,
      clock: own,
      seed: SEED,
      life,
      latencyMs: LATENCY_MS,
      books: 'channel',
      log,
      metrics,
      store,
      ...(strategies === undefined ? {} : { strategies }),
    });
    service.bus.subscribe(({ event }) => void facts.push(event));
    const opened = await driveOn(clock, openAll(service, names));
    await driveOn(clock, service.core.start());
    for (const { userId } of opened) watchUser(service.core.trading, userId);
    const found = await driveOn(clock, service.core.at(VENUE_A).markets.discover(market.marketId));
    // The market has a reader, so its books are live before anybody trades.
    if (found !== null) service.core.at(VENUE_A).books.watch(found).subscribe();
    return { clock: own, service, store, users: opened };
  };
  let lives = 1;
  let life = await begin(lives, createMemoryStore(disk));
  for (const { userId, address } of life.users) {
    model.exchange.deposit(address, FUNDS);
    await driveOn(clock, life.service.core.trading.funding.syncDeposits(userId));
  }
  await clock.advance(WARM_UP_MS);

  const [user] = life.users;
  if (user === undefined) throw new Error('there is a user to trade');
  const place = (request: PlaceOrder) =>
    driveOn(clock, life.service.core.orders.place(user.userId, request));
  const shared = {
    venue: VENUE_A,
    marketId: market.marketId,
    outcome: 0,
    origin: { kind: 'manual' },
  } as const;
  const fixture: Fixture = {
    clock,
    model,
    market,
    log,
    metrics,
    facts,
    asked,
    user,
    is: findings.is,
    get users() {
      return life.users;
    },
    service: () => life.service,
    store: () => life.store,
    arm(name, rule) {
      armed.add(name);
      model.faults.arm(name, rule);
    },
    quote,
    unquote,
    buy: (changes = {}) =>
      place({
        ...shared,
        side: 'buy',
        amount: { unit: 'usdc', micros: 10_000_000 },
        type: { kind: 'market' },
        ...changes,
      }),
    bid: (changes = {}) =>
      place({
        ...shared,
        side: 'buy',
        amount: { unit: 'shares', micros: 20_000_000 },
        type: { kind: 'limit', price: priceTicks(4_000), expiresAtMs: null },
        ...changes,
      }),
    sell: (shares, changes = {}) =>
      place({
        ...shared,
        side: 'sell',
        amount: { unit: 'shares', micros: shares * 1_000_000 },
        type: { kind: 'market' },
        ...changes,
      }),
    until: (promise) => driveOn(clock, promise),
    order: ({ intent: { userId, intentId } }) => read(life.service, userId, intentId),
    statesOf: ({ intent: { intentId } }) =>
      facts.flatMap((fact) =>
        fact.type === 'order.changed' && fact.intentId === intentId ? [fact.to] : [],
      ),
    venueOrders: ({ address } = user) =>
      ordersOf(model).filter(({ order }) => order.maker === address),
    cancelAll() {
      const open = ordersOf(model).filter(
        ({ order, status }) => order.maker === user.address && status === 'LIVE',
      );
      for (const { order } of open) model.exchange.cancel(order.owner, order.orderId);
      return open.length;
    },
    calls: (family) =>
      [...metrics.counts]
        .filter(([name]) => name.startsWith(`venue_calls_total venue_a ${family} `))
        .reduce((sum, [, times]) => sum + times, 0),
    async restart() {
      const { service, store, clock: own } = life;
      own.end();
      const kept = store.crash(disk);
      service.cut();
      service.core.stop().catch(() => undefined);
      lives += 1;
      life = await begin(lives, kept);
    },
  };
  return {
    fixture,
    armed,
    met,
    async end() {
      model.stop();
      await driveOn(clock, life.service.stop());
    },
  };
}

/**
 * The world without the service: one long-running market, and a market maker that quotes what it is
 * asked to.
 */
export async function openWorld({
  makers = false,
  delays = {},
}: Pick<FixtureOptions, 'makers' | 'delays'> = {}): Promise<
  Pick<Fixture, 'clock' | 'model' | 'market' | 'quote' | 'unquote'>
> {
  const clock = createVirtualClock(START_MS);
  const prices = createPriceProcess(SEED, startingPrices(START_MS / 1_000 - HISTORY_SECONDS));
  const model = await startWorldModel({
    clock,
    seed: SEED,
    prices,
    makers,
    foundedAtMs: START_MS,
    delays: { listingHorizonMs: 0, ...delays },
  });
  const market = model
    .listings()
    .find(({ market: { slug } }) => slug === 'hottest-month-on-record')?.market;
  if (market === undefined) throw new Error('the world lists long-running markets');
  return { clock, model, market, ...openRuntime(model, market) };
}

interface Life {
  readonly clock: MortalClock;
  readonly service: DirectService;
  readonly store: MemoryStore;
  readonly users: readonly DirectUser[];
}

async function openAll(
  service: DirectService,
  names: readonly string[],
): Promise<readonly DirectUser[]> {
  const opened: DirectUser[] = [];
  for (const name of names) opened.push(await service.openUser(name));
  return opened;
}

/** A market maker with shares and money enough to stand on either side. */
function openRuntime(
  { exchange }: WorldModel,
  market: ExchangeMarket,
): Pick<Fixture, 'quote' | 'unquote'> {
  exchange.deposit(MAKER, usdcMicros(10 * MAKER_SHARES));
  exchange.split(MAKER, market.marketId, MAKER_SHARES);
  let count = 0;
  return {
    quote({ outcome = 0, side, price, shares }) {
      count += 1;
      const orderId = asId<OrderId>(`0x${'ee'.repeat(28)}${String(count).padStart(8, '0')}`);
      const micros = shares * 1_000_000;
      const usdc = (micros * price) / 10_000;
      exchange.place({
        orderId,
        maker: MAKER,
        owner: 'maker:quotes',
        tokenId: market.tokens[outcome],
        side,
        timeInForce: 'GTC',
        price: priceTicks(price),
        makerMicros: side === 'buy' ? usdc : micros,
        takerMicros: side === 'buy' ? micros : usdc,
        expiresAtMs: null,
        postOnly: false,
      });
      return orderId;
    },
    unquote: (orderId) => void exchange.cancel('maker:quotes', orderId),
  };
}

/** Notes which of the users' orders the engine was asked to take. */
function noteAsked({ exchange }: WorldModel): readonly OrderId[] {
  const asked: OrderId[] = [];
  const { place } = exchange;
  exchange.place = (order: EngineOrder) => {
    if (!order.owner.startsWith('maker:')) asked.push(order.orderId);
    return place(order);
  };
  return asked;
}

async function comeToRest(fixture: Fixture, findings: Findings): Promise<void> {
  const { clock, model } = fixture;
  model.faults.clearAll();
  const { core } = fixture.service();
  for (const { userId } of fixture.users) {
    for (const { intent } of core.orders.listOpen(userId))
      await fixture.until(core.orders.cancel(userId, intent.intentId).catch(() => undefined));
  }
  const isIdle = () =>
    fixture.users.every(
      ({ userId }) =>
        core.orders.listOpen(userId).length === 0 &&
        core.trading.portfolio.cash(userId, 'usdc:safe').provisional === 0,
    );
  findings.is('all came to rest', await clock.advanceUntil(isIdle, REST_MS), true);
  await clock.advance(60_000);
}

function read(
  { core }: DirectService,
  userId: OrderRecord['intent']['userId'],
  intentId: IntentId,
): OrderRecord {
  const found = core.orders.get(userId, intentId);
  if (found === null) throw new Error(`order ${intentId} is kept`);
  return found;
}

function ordersOf({ exchange }: WorldModel): readonly OrderView[] {
  return exchange.snapshot().records.flatMap((record) => {
    const view = record.kind === 'order' ? exchange.order(record.order.order.orderId) : null;
    return view === null ? [] : [view];
  });
}
