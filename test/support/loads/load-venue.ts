import { createHash } from 'node:crypto';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import {
  asId,
  type Address,
  type MarketId,
  type OrderId,
  type TokenId,
  type UserId,
} from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { createExchange, type VenueModel } from '../../../src/sandbox/engine/exchange.ts';
import type { OrderView } from '../../../src/sandbox/engine/exchange-types.ts';
import {
  createFaultBoard,
  type FaultBoard,
  type FaultName,
  type FaultRule,
} from '../../../src/sandbox/faults.ts';
import { startClobRest } from '../../../src/sandbox/venues/venue-a/clob/clob-rest.ts';
import { startClobSockets } from '../../../src/sandbox/venues/venue-a/clob/clob-sockets.ts';
import { startDataApi } from '../../../src/sandbox/venues/venue-a/data/data-api.ts';
import { aMarket, aUserId } from '../builders.ts';

/** One of those who trade in the load. */
export interface LoadUser {
  readonly userId: UserId;
  /** Made from the seed; it never holds anything. */
  readonly privateKey: `0x${string}`;
}

/**
 * One request: a buy whose size no other request of its user has, so that the venue's own orders
 * tell which request they came from.
 */
export interface Request {
  readonly user: LoadUser;
  readonly number: number;
  readonly shareMicros: number;
  /** Half of them meet the market maker's offer, half of them rest below. */
  readonly price: number;
}

/** The venue's servers on loopback, on a clock that the test moves. */
export interface LoadVenue {
  readonly exchange: VenueModel;
  readonly market: Market;
  readonly rest: string;
  readonly userSocket: string;
  readonly marketSocket: string;
  readonly data: string;
  /** Everything the venue ever took in for a request, by its maker and size. */
  ordersOf(maker: Address, request: Request): readonly OrderView[];
  /** Gives everyone money. */
  fund(addresses: readonly Address[]): void;
  /** From now on calls are lost, late, refused and doubled. */
  startFaults(): void;
  stopFaults(): void;
  close(): Promise<void>;
}

const MAKER = asId<Address>('0x00000000000000000000000000000000000000A1');
const MARKET = asId<MarketId>(`0x${'5f'.repeat(32)}`);
const TOKENS = [
  '71321045679252212594626385532706912750332728571942532289631379312455583992563',
  '52114319501245915516055106046884209969926127482827954674443846427813813222426',
] as const;
const OFFER_TICKS = 5_000;
const REST_TICKS = 2_000;
const LEAST_SHARES = 5_000_000;
const SIZE_STEP = 10_000;
const FUNDS = usdcMicros(50_000_000_000);

/**
 * Chance of each fault at each opportunity. Together about one submission in four meets one. A
 * split match is not among them: how the venue rounds the fees of its parts is not documented, so
 * cash could not be compared to the micro.
 */
const FAULTS: readonly (readonly [FaultName, FaultRule])[] = [
  ['late-ack', { percent: 3, delayMs: 8_000 }],
  ['lost-ack', { percent: 3 }],
  ['late-book', { percent: 5, delayMs: 3_000 }],
  ['refused-silently', { percent: 3 }],
  ['retry-duplicated', { percent: 2 }],
  ['success-without-id', { percent: 1 }],
  ['trade-before-response', { percent: 2 }],
  ['delayed-then-matched', { percent: 2 }],
  ['delayed-then-dead', { percent: 1 }],
  ['rate-limited', { percent: 1, delayMs: 1_000 }],
  ['bad-gateway', { percent: 1 }],
  ['dropped-user-events', { percent: 5 }],
  ['duplicate-trade', { percent: 5 }],
  ['retrying-then-confirmed', { percent: 5 }],
  ['cancel-already-gone', { percent: 5 }],
  ['fill-races-cancel', { percent: 2 }],
  ['socket-dropped', { percent: 1 }],
];
/**
 * Every half minute the engine restarts, or takes post-only orders alone, or the line is dead, for
 * some seconds.
 */
const BURSTS: readonly FaultName[] = ['engine-restart', 'post-only-window', 'refused-silently'];
const BURST_EVERY_MS = 30_000;
const BURST_MS = 3_000;

/** The users of a load. */
export function loadUsers(count: number, seed: string): readonly LoadUser[] {
  return Array.from({ length: count }, (_, index) => ({
    userId: aUserId(index + 1),
    privateKey: `0x${createHash('sha256').update(`${seed} ${index}`).digest('hex')}`,
  }));
}

/** What each user requests, in order. */
export function requestsOf(user: LoadUser, count: number): readonly Request[] {
  return Array.from({ length: count }, (_, number) => ({
    user,
    number,
    shareMicros: LEAST_SHARES + number * SIZE_STEP,
    price: number % 2 === 0 ? OFFER_TICKS : REST_TICKS,
  }));
}

/** Starts the venue with a market maker that offers more than all requests together. */
export async function startLoadVenue(clock: Clock, seed: string): Promise<LoadVenue> {
  const random = createSeededRandom(seed);
  const faults = createFaultBoard(random);
  const exchange = createExchange({ clock, random, faults });
  const market = marketAt(clock.nowMs());
  const { tickSize, minSize, fee, slug, question, endsAtMs } = market;
  exchange.listMarket({
    marketId: MARKET,
    tokens: [asId(TOKENS[0]), asId(TOKENS[1])],
    labels: ['Up', 'Down'],
    slug,
    question,
    tickSize,
    minSize,
    negRisk: false,
    fee,
    takerDelayMs: 0,
    opensForOrdersAtMs: 0,
    endsAtMs,
  });
  offer(exchange);
  const taken = new Map<string, Set<OrderId>>();
  exchange.subscribe((event) => {
    if (event.kind !== 'order' || event.type !== 'PLACEMENT') return;
    const key = keyOf(event.order.order.maker, event.order.order.takerMicros);
    taken.set(key, (taken.get(key) ?? new Set()).add(event.orderId));
  });
  const rest = await startClobRest({ exchange, random });
  const sockets = await startClobSockets({ exchange });
  const data = await startDataApi({ exchange });
  const faultSchedule = createFaultSchedule(faults, clock);
  return {
    exchange,
    market,
    rest: rest.url,
    userSocket: sockets.userUrl,
    marketSocket: sockets.marketUrl,
    data: data.url,
    ordersOf: (maker, request) =>
      [...(taken.get(keyOf(maker, request.shareMicros)) ?? [])].flatMap(
        (orderId) => exchange.order(orderId) ?? [],
      ),
    fund(addresses) {
      for (const address of addresses) exchange.deposit(address, FUNDS);
    },
    ...faultSchedule,
    async close() {
      faultSchedule.stopFaults();
      await Promise.all([rest.close(), sockets.close(), data.close()]);
    },
  };
}

/** Arms the steady faults, and the bursts in turn. */
function createFaultSchedule(
  faults: FaultBoard,
  clock: Clock,
): Pick<LoadVenue, 'startFaults' | 'stopFaults'> {
  let isOn = false;
  let bursts = 0;
  const armSteady = (): void => {
    faults.clearAll();
    for (const [name, rule] of FAULTS) faults.arm(name, rule);
  };
  const burst = (): void => {
    if (!isOn) return;
    const name = BURSTS[bursts % BURSTS.length] ?? 'engine-restart';
    bursts += 1;
    faults.clear(name);
    faults.arm(name, { delayMs: BURST_MS });
    clock.after(BURST_MS, () => {
      if (isOn) armSteady();
    });
    clock.after(BURST_EVERY_MS, burst);
  };
  return {
    startFaults() {
      isOn = true;
      armSteady();
      clock.after(BURST_EVERY_MS, burst);
    },
    stopFaults() {
      isOn = false;
      faults.clearAll();
    },
  };
}

function marketAt(nowMs: number): Market {
  return aMarket(1, {
    marketId: MARKET,
    slug: 'btc-updown-5m-1795248000',
    endsAtMs: nowMs + 30 * 86_400_000,
    outcomes: [
      { tokenId: asId<TokenId>(TOKENS[0]), label: 'Up' },
      { tokenId: asId<TokenId>(TOKENS[1]), label: 'Down' },
    ],
  });
}

function offer(exchange: VenueModel): void {
  const shares = 1_000_000_000_000;
  exchange.deposit(MAKER, usdcMicros(shares));
  exchange.split(MAKER, MARKET, shares);
  exchange.place({
    orderId: asId<OrderId>(`0x${'ee'.repeat(32)}`),
    maker: MAKER,
    owner: 'maker:quotes',
    tokenId: asId(TOKENS[0]),
    side: 'sell',
    timeInForce: 'GTC',
    price: priceTicks(OFFER_TICKS),
    makerMicros: shares,
    takerMicros: (shares * OFFER_TICKS) / 10_000,
    expiresAtMs: null,
    postOnly: true,
  });
}

function keyOf(maker: Address, takerMicros: number): string {
  return `${maker.toLowerCase()} ${shareMicros(takerMicros)}`;
}
