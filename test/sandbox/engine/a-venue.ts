import {
  createVirtualClock,
  type VirtualClock,
} from '../../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import {
  asId,
  type Address,
  type MarketId,
  type OrderId,
  type TokenId,
} from '../../../src/domain/ids.ts';
import type { TradeSide } from '../../../src/domain/order.ts';
import { priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import { createExchange, type VenueModel } from '../../../src/sandbox/engine/exchange.ts';
import type {
  EngineAnswer,
  EngineOrder,
  ExchangeMarket,
} from '../../../src/sandbox/engine/exchange-types.ts';
import { createFaultBoard, type FaultBoard } from '../../../src/sandbox/faults.ts';

export const UP = asId<TokenId>('1111');
export const DOWN = asId<TokenId>('2222');
export const MARKET = asId<MarketId>(`0x${'ab'.repeat(32)}`);

/** Epoch at which the test clocks start. */
export const START_MS = 1_795_248_000_000;

/** The market of the tests: tick 0.01, smallest size 5, the crypto fee curve. */
export function aMarket(changes: Partial<ExchangeMarket> = {}): ExchangeMarket {
  return {
    marketId: MARKET,
    tokens: [UP, DOWN],
    labels: ['Up', 'Down'],
    slug: 'btc-updown-5m-1795248000',
    eventSlug: 'bitcoin-today',
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
interface Request extends Partial<Omit<EngineOrder, 'maker' | 'price'>> {
  readonly maker: string;
  readonly tokenId: TokenId;
  readonly side: TradeSide;
  readonly price: number;
  readonly shares?: number;
  readonly usdc?: number;
}

/**
 * A venue with one market and three accounts, a, b and c, of 1 000 USDC and 1 000 shares of each
 * outcome.
 */
export interface TestVenue {
  readonly exchange: VenueModel;
  readonly clock: VirtualClock;
  readonly faults: FaultBoard;
  order(request: Request): EngineOrder;
  rest(request: Request): EngineAnswer;
  take(request: Request): EngineAnswer;
}

/** How the venue of a test differs from the usual one. */
export interface TestVenueOptions {
  readonly market?: Partial<ExchangeMarket>;
  readonly seed?: number;
  readonly accounts?: readonly string[];
  /** An exchange of the test's own, with the clock it runs on. */
  readonly exchange?: VenueModel;
  readonly clock?: VirtualClock;
}

/** Makes the venue of the unit tests. */
export function aVenue(options: TestVenueOptions = {}): TestVenue {
  const clock = options.clock ?? createVirtualClock(START_MS);
  const random = createSeededRandom(options.seed ?? 1);
  const exchange =
    options.exchange ?? createExchange({ clock, random, faults: createFaultBoard(random) });
  const { faults } = exchange;
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
    rest: (request) => exchange.place(order(request)),
    take: (request) => exchange.place(order({ timeInForce: 'FAK', ...request })),
  };
}
