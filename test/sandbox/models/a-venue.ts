import type { Address, MarketId, OrderId, TokenId } from '../../../src/domain/ids.ts';
import { asId } from '../../../src/domain/ids.ts';
import type { TradeSide } from '../../../src/domain/order.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import type { Clock, Timer } from '../../../src/ports/clock.ts';
import type { Random } from '../../../src/ports/random.ts';
import { createExchange } from '../../../src/sandbox/models/exchange.ts';
import type { VenueModel } from '../../../src/sandbox/models/exchange.ts';
import type { EngineAnswer, EngineOrder, ExchangeMarket } from '../../../src/sandbox/models/exchange-types.ts';
import { createFaultBoard } from '../../../src/sandbox/models/faults.ts';
import type { FaultBoard } from '../../../src/sandbox/models/faults.ts';

export const UP = asId<TokenId>('1111');
export const DOWN = asId<TokenId>('2222');
export const MARKET = asId<MarketId>(`0x${'ab'.repeat(32)}`);

/** Epoch at which the test clocks start. */
export const START_MS = 1_795_248_000_000;

/** A small virtual clock: `advance` runs what falls due, in order. */
export interface StepClock extends Clock {
  advance(byMs: number): void;
}

/** A clock that only moves when told to. */
export function stepClock(startMs = START_MS): StepClock {
  let nowMs = startMs;
  let sequence = 0;
  const timers = new Map<number, { readonly dueMs: number; readonly run: () => void }>();
  return {
    nowMs: () => nowMs,
    after(delayMs, run): Timer {
      sequence += 1;
      const key = sequence;
      timers.set(key, { dueMs: nowMs + delayMs, run });
      return { cancel: () => void timers.delete(key) };
    },
    advance(byMs) {
      const untilMs = nowMs + byMs;
      for (;;) {
        const due = [...timers].filter(([, timer]) => timer.dueMs <= untilMs).sort((a, b) => a[1].dueMs - b[1].dueMs || a[0] - b[0])[0];
        if (due === undefined) break;
        timers.delete(due[0]);
        nowMs = due[1].dueMs;
        due[1].run();
      }
      nowMs = untilMs;
    },
  };
}

/** Seeded chance for tests (a 32-bit mixer). */
export function seeded(seed: number): Random {
  let at = seed >>> 0;
  const next = () => {
    at = (at + 0x9e3779b9) >>> 0;
    let z = at;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return (z ^ (z >>> 16)) >>> 0;
  };
  return {
    integer: (bound) => (next() * 2 ** 21 + (next() >>> 11)) % bound,
    bytes: (count) => Uint8Array.from({ length: count }, () => next() & 255),
  };
}

/** The market of the tests: tick 0.01, smallest size 5, the crypto fee curve. */
export function aMarket(changes: Partial<ExchangeMarket> = {}): ExchangeMarket {
  return {
    marketId: MARKET,
    tokens: [UP, DOWN],
    labels: ['Up', 'Down'],
    slug: 'btc-updown-5m-1795248000',
    question: 'Bitcoin Up or Down?',
    tickSize: priceTicks(100),
    minSize: shareMicros(5_000_000),
    negRisk: false,
    fee: { rateMicros: 70_000, exponent: 1, takerOnly: true },
    takerDelayMs: 0,
    opensForOrdersAtMs: START_MS - 1_000,
    endsAtMs: START_MS + 24 * 3_600_000,
    ...changes,
  };
}

/** What a test says of an order; amounts in whole shares or USDC. */
export interface Wish extends Partial<Omit<EngineOrder, 'maker' | 'price'>> {
  readonly maker: string;
  readonly tokenId: TokenId;
  readonly side: TradeSide;
  readonly price: number;
  readonly shares?: number;
  readonly usdc?: number;
}

/** A venue with one market and three accounts, a, b and c, of 1 000 USDC and 1 000 shares of each outcome. */
export interface TestVenue {
  readonly exchange: VenueModel;
  readonly clock: StepClock;
  readonly faults: FaultBoard;
  order(wish: Wish): EngineOrder;
  rest(wish: Wish): EngineAnswer;
  take(wish: Wish): EngineAnswer;
}

/** Makes the venue of the unit tests. */
export function aVenue(options: { market?: Partial<ExchangeMarket>; seed?: number; accounts?: readonly string[] } = {}): TestVenue {
  const clock = stepClock();
  const random = seeded(options.seed ?? 1);
  const faults = createFaultBoard(random);
  const exchange = createExchange({ clock, random, faults });
  exchange.listMarket(aMarket(options.market));
  for (const name of options.accounts ?? ['a', 'b', 'c']) {
    exchange.deposit(asId<Address>(name), usdcMicros(2_000_000_000));
    exchange.split(asId<Address>(name), MARKET, 1_000_000_000);
  }
  let count = 0;
  const order: TestVenue['order'] = ({ maker, tokenId, side, price, shares, usdc, ...rest }) => {
    count += 1;
    const micros = Math.round((shares ?? 0) * 1_000_000);
    const budget = Math.round((usdc ?? 0) * 1_000_000);
    const wanted = usdc === undefined ? micros : Math.floor((budget * 10_000) / price / 100) * 100;
    const money = usdc === undefined ? Math.round((micros * price) / 10_000) : budget;
    return {
      orderId: asId<OrderId>(`0x${String(count).padStart(64, '0')}`),
      maker: asId<Address>(maker),
      owner: `key-${maker}`,
      tokenId,
      side,
      timeInForce: 'GTC',
      price: priceTicks(price),
      makerMicros: side === 'buy' ? money : micros,
      takerMicros: side === 'buy' ? wanted : money,
      expiresAtMs: null,
      postOnly: false,
      ...rest,
    };
  };
  return {
    exchange,
    clock,
    faults,
    order,
    rest: (wish) => exchange.place(order(wish)),
    take: (wish) => exchange.place(order({ timeInForce: 'FAK', ...wish })),
  };
}
