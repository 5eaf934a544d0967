import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { AGENT as LIMITS } from '../../../config/limits.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId, type AgentId, type DecisionId, type MarketId } from '../../../src/domain/ids.ts';
import { isTerminal, type OrderRecord } from '../../../src/domain/order.ts';
import type { PositionRecord } from '../../../src/domain/position.ts';
import type { RiskCaps } from '../../../src/domain/reservation.ts';
import { priceTicks, usdcMicros } from '../../../src/domain/units.ts';
import type { Random } from '../../../src/ports/random.ts';
import type { Store, StoreReader } from '../../../src/ports/store.ts';
import type { PlaceOrder } from '../../../src/services/orders/place-order.ts';
import {
  AGENT_MARKETS,
  OPEN_ORDERS,
  ORDERS,
  POSITIONS,
} from '../../../src/services/books/tables.ts';
import { aLimitBuy, aMarket, aMarketBuy, aMarketId, T0 } from '../builders.ts';
import { anEnabledAgent } from '../worlds/enabled-agent.ts';
import { aWorld, fundWallets, type Life, type World } from '../worlds/trading-world.ts';
import { VENUE_A_TRAITS } from '../../../config/limits/venue-a.ts';
import { VENUE_A, VENUE_B, VENUE_C } from '../venue-ids.ts';

const DAY_MS = 86_400_000;
const AGENT: AgentId = 'btc_5min';
/**
 * Markets the agent enters, and those traded manually: apart, so that what the agent has can be
 * counted on its own.
 */
const AGENT_RECORDS = { first: 1, count: 30 };
const MANUAL_RECORDS = { first: 31, count: 30 };

/** Caps of the load: tight enough that most requests are refused. */
export const LOAD_CAPS = {
  orderUsdc: usdcMicros(42_000_000),
  exposureUsdc: usdcMicros(400_000_000),
  openPositions: 25,
  dailyLossUsdc: usdcMicros(430_000_000),
} as const satisfies RiskCaps;
/** Caps of the agent in it. */
const LOAD_AGENT_CAPS = {
  exposureUsdc: usdcMicros(130_000_000),
  openPositions: 7,
  dailyLossUsdc: usdcMicros(150_000_000),
} as const satisfies RiskCaps;

/** Whose markets are traded in turn: each is paid from another cash account. */
const VENUES = [VENUE_A, VENUE_B, VENUE_C];

/** A user with much money in three wallets and many markets, on venues where things go wrong. */
export function aLoadWorld(): World {
  const markets = Array.from({ length: AGENT_RECORDS.count + MANUAL_RECORDS.count }, (_, index) =>
    aMarket(index + 1, { endsAtMs: T0 + 30 * DAY_MS, venue: VENUES[index % 3] ?? VENUE_A }),
  );
  return aWorld(5_000_000_000, markets);
}

/** Enables the agent of the load, and books the money of the other wallets. */
export async function enableLoadAgent(life: Life, world: World): Promise<void> {
  await anEnabledAgent(life, world.user, { agentId: AGENT });
  await fundWallets(life, world, { 'usdc:solana': 5_000_000_000, 'usdc:base': 5_000_000_000 });
}

/** What the caps are about, counted from orders and positions alone. */
interface Counted {
  readonly exposure: number;
  readonly tokens: number;
  readonly realised: number;
}

interface Records {
  readonly buys: readonly OrderRecord[];
  readonly positions: readonly PositionRecord[];
}

function recordsOf(reader: StoreReader, { user }: World): Records {
  const orders = reader
    .range(OPEN_ORDERS, { prefix: [user] })
    .flatMap(({ key }) => reader.get(ORDERS, key)?.value ?? []);
  return {
    buys: orders.filter(({ state, intent }) => !isTerminal(state) && intent.side === 'buy'),
    positions: reader.range(POSITIONS, { prefix: [user] }).map(({ value }) => value),
  };
}

function count(records: Records, isCounted: (marketId: string) => boolean): Counted {
  const buys = records.buys.filter(({ intent }) => isCounted(intent.marketId));
  const positions = records.positions.filter(({ marketId }) => isCounted(marketId));
  const held = positions.filter(({ shares }) => shares >= LIMITS.dustShareMicros);
  return {
    exposure:
      buys.reduce((sum, { reserved }) => sum + reserved.usdc, 0) +
      positions.reduce((sum, { costUsdc }) => sum + costUsdc, 0),
    tokens: new Set([
      ...buys.map(({ intent }) => intent.tokenId),
      ...held.map(({ tokenId }) => tokenId),
    ]).size,
    realised: positions.reduce((sum, { realizedPnl }) => sum + realizedPnl, 0),
  };
}

/** Looks at the records after each commit and keeps what passed a cap. */
export interface CapWatch {
  readonly passed: string[];
  /** How near the records came to each cap, in millionths. */
  readonly nearest: Map<string, number>;
  commits: number;
  over(store: Store): Store;
}

/** Watches every commit of the stores it is laid over; it outlives restarts. */
export function watchCaps(world: World): CapWatch {
  const days = new Map<string, { day: number; base: number; last: number }>();
  const watch: CapWatch = {
    passed: [],
    nearest: new Map(),
    commits: 0,
    over: (store) => ({
      ...bound(store),
      async write(change) {
        const result = await store.write(change);
        watch.commits += 1;
        record(store);
        return result;
      },
    }),
  };

  function record(store: Store): void {
    const isAgents = (marketId: string) =>
      store.get(AGENT_MARKETS, [world.user, AGENT, marketId]) !== null;
    const records = recordsOf(store, world);
    check(
      'all',
      count(records, () => true),
      LOAD_CAPS,
    );
    check('agent', count(records, isAgents), LOAD_AGENT_CAPS);
  }

  function check(
    whose: string,
    { exposure, tokens, realised }: Counted,
    caps: Required<Omit<RiskCaps, 'orderUsdc'>>,
  ): void {
    const today = Math.floor(world.clock.nowMs() / DAY_MS);
    const known = days.get(whose) ?? { day: today, base: 0, last: 0 };
    if (known.day !== today) Object.assign(known, { day: today, base: known.last });
    known.last = realised;
    days.set(whose, known);
    const lost = Math.max(0, known.base - realised);
    hold(`${whose} exposure`, exposure, caps.exposureUsdc);
    hold(`${whose} positions`, tokens, caps.openPositions);
    hold(`${whose} daily loss`, lost + exposure, caps.dailyLossUsdc);
  }

  function hold(what: string, value: number, cap: number): void {
    watch.nearest.set(
      what,
      Math.max(watch.nearest.get(what) ?? 0, Math.floor((value * 1_000_000) / cap)),
    );
    if (value > cap) watch.passed.push(`${what}: ${value} of ${cap} at ${world.clock.nowMs()}`);
  }

  return watch;
}

function bound(store: Store): Store {
  return {
    get: (table, key) => store.get(table, key),
    range: (table, range) => store.range(table, range),
    write: (change) => store.write(change),
    readJournal: (after, limit) => store.readJournal(after, limit),
    readFacts: (reader, afterSeq, limit) => store.readFacts(reader, afterSeq, limit),
    newestFact: () => store.newestFact(),
    flushed: () => store.flushed(),
    close: () => store.close(),
    ...('verifyJournal' in store ? { verifyJournal: store.verifyJournal } : {}),
  } as Store; // every method of the port is there, whichever others it has grown
}

/**
 * Asks for `requests` trades at once: entries of the agent, manual buys and sales, cancels. Gives
 * how many were taken; what was refused must have been refused by name.
 */
export async function load(
  life: Life,
  world: World,
  { random, requests }: { readonly random: Random; readonly requests: number },
): Promise<number> {
  if (random.integer(2) === 0) world.venue.submitFaults.push(...faults(random));
  const asked = Array.from({ length: requests }, () => request(life, world, random));
  const results = await Promise.allSettled(asked);
  const broken = results.filter(
    (result) => result.status === 'rejected' && !(result.reason instanceof AppError),
  );
  if (broken.length > 0)
    throw new Error(
      `a request failed without a name: ${String((broken[0] as PromiseRejectedResult).reason)}`,
    );
  return results.filter(({ status }) => status === 'fulfilled').length;
}

function faults(random: Random): World['venue']['submitFaults'] {
  const kinds: World['venue']['submitFaults'] = [
    { kind: 'lost-ack' },
    { kind: 'rejected', reason: 'not now' },
    { kind: 'late-ack', ms: 700 },
    { kind: 'refused-silently' },
    { kind: 'delayed', ms: 250 },
    { kind: 'trade-before-response', ms: 300 },
  ];
  return Array.from(
    { length: 6 },
    () => kinds[random.integer(kinds.length)] ?? { kind: 'lost-ack' },
  );
}

/** Where an order on a market goes. */
function on({ markets }: World, marketId: MarketId): Pick<PlaceOrder, 'venue' | 'marketId'> {
  const market = markets.find((each) => each.marketId === marketId);
  return { venue: market?.venue ?? VENUE_A, marketId };
}

function request(life: Life, world: World, random: Random): Promise<unknown> {
  const draw = random.integer(10);
  if (draw === 0) return cancelOne(life, world, random);
  if (draw <= 2) return sellOne(life, world, random);
  const isAgents = draw <= 6;
  const { first, count: many } = isAgents ? AGENT_RECORDS : MANUAL_RECORDS;
  const changes: Partial<PlaceOrder> = {
    ...on(world, aMarketId(first + random.integer(many))),
    outcome: random.integer(2) === 0 ? 0 : 1,
    ...(isAgents
      ? {
          origin: {
            kind: 'agent',
            agentId: AGENT,
            decisionId: asId<DecisionId>('dec_load'),
            purpose: 'entry',
          },
          agentLimits: () => LOAD_AGENT_CAPS,
        }
      : {}),
  };
  if (random.integer(2) === 0)
    return life.orders.place(
      world.user,
      aMarketBuy({
        ...changes,
        amount: {
          unit: 'usdc',
          micros: 1_000_000 + random.integer(4_000) * VENUE_A_TRAITS.shareStepMicros,
        },
      }),
    );
  return life.orders.place(
    world.user,
    aLimitBuy({
      ...changes,
      type: { kind: 'limit', price: priceTicks(4_000), expiresAtMs: null },
      amount: {
        unit: 'shares',
        micros: 5_000_000 + random.integer(9_000) * VENUE_A_TRAITS.shareStepMicros,
      },
    }),
  );
}

async function cancelOne(life: Life, world: World, random: Random): Promise<unknown> {
  const open = life.orders.listOpen(world.user);
  const order = open[random.integer(Math.max(1, open.length))];
  return order === undefined ? null : life.orders.cancel(world.user, order.intent.intentId);
}

async function sellOne(life: Life, world: World, random: Random): Promise<unknown> {
  const held = life.portfolio
    .holdings(world.user, { type: 'open' })
    .filter(({ settledShares }) => settledShares >= 1_000_000);
  const holding = held[random.integer(Math.max(1, held.length))];
  if (holding === undefined) return null;
  const { marketId, outcome } = holding.position;
  return life.orders.place(
    world.user,
    aMarketBuy({
      ...on(world, marketId),
      outcome,
      side: 'sell',
      amount: { unit: 'shares', micros: partOf(holding.settledShares, 1 + random.integer(3)) },
    }),
  );
}

/** All of it as it is shown, or a part in steps the venue takes. */
function partOf(shares: number, parts: number): number {
  return parts === 1
    ? shares
    : Math.ceil(shares / parts / VENUE_A_TRAITS.shareStepMicros) * VENUE_A_TRAITS.shareStepMicros;
}

/**
 * Ends some of the markets in which something is held, with or against it, and lets half the
 * settlements to come fail.
 */
export function endOrders(world: World, store: StoreReader, random: Random): void {
  const markets = [
    ...new Set(
      store
        .range(POSITIONS, { prefix: [world.user] })
        .filter(({ value }) => value.shares > 0)
        .map(({ value }) => value.marketId),
    ),
  ];
  for (const marketId of markets)
    if (random.integer(4) === 0)
      world.venue.resolve(marketId, random.integer(3) === 0 ? [10_000, 0] : [0, 10_000]);
  for (let trade = 0; trade < 4; trade += 1)
    world.venue.settlements.push([
      {
        afterMs: 500 + random.integer(4_000),
        word: random.integer(4) === 0 ? 'failed' : 'confirmed',
      },
    ]);
}

/** Chance from a seed. */
export function loadRandom(seed: number): Random {
  return createSeededRandom(`caps:${seed}`);
}
