import { asId, type Address, type OrderId, type TokenId } from '../../src/domain/ids.ts';
import { priceTicks, usdcMicros } from '../../src/domain/units.ts';
import type { VenueModel } from '../../src/sandbox/engine/exchange.ts';
import type { ExchangeMarket, OrderView } from '../../src/sandbox/engine/exchange-types.ts';

/**
 * One request of a user: a number of shares that no other request of theirs has, so that the
 * venue's orders can be distinguished by it.
 */
export interface Request {
  readonly who: number;
  readonly number: number;
  readonly market: ExchangeMarket;
  readonly shareMicros: number;
  readonly price: number;
  /** No trader sells that cheaply: it rests, and is taken back. */
  readonly rests: boolean;
}

const MARKETS = ['hottest-month-on-record', 'chess-champion-draws-first-game'] as const;
/** Who offers in every market. */
export const MAKER = asId<Address>('0x00000000000000000000000000000000000000A1');
const OFFER_TICKS = 5_000;
const REST_TICKS = 2_000;
const LEAST_SHARES = 5_000_000;
const SIZE_STEP = 10_000;

/**
 * Markets the requests are about, with a market maker that offers more in each than all requests
 * together.
 */
export function openMarkets(exchange: VenueModel): readonly ExchangeMarket[] {
  return MARKETS.map((slug, index) => {
    const market = exchange.markets().find((listed) => listed.slug === slug);
    if (market === undefined) throw new Error(`the world lists ${slug}`);
    const shares = 1_000_000_000_000;
    exchange.deposit(MAKER, usdcMicros(shares));
    exchange.split(MAKER, market.marketId, shares);
    const answer = exchange.place({
      orderId: asId<OrderId>(`0x${'ee'.repeat(31)}${String(index).padStart(2, '0')}`),
      maker: MAKER,
      owner: 'maker:quotes',
      tokenId: market.tokens[0],
      side: 'sell',
      timeInForce: 'GTC',
      price: priceTicks(OFFER_TICKS),
      makerMicros: shares,
      takerMicros: (shares * OFFER_TICKS) / 10_000,
      expiresAtMs: null,
      postOnly: true,
    });
    if (answer.kind === 'rejected')
      throw new Error(`the market maker's order was refused: ${answer.reason}`);
    return market;
  });
}

/**
 * Requests of everybody: every other one can be filled at once, the others rest. Two follow each
 * other in one market before the next.
 */
export function requestsOf(
  who: number,
  count: number,
  markets: readonly ExchangeMarket[],
): readonly Request[] {
  return Array.from({ length: count }, (_, number) => {
    const market = markets[Math.floor(number / 2) % markets.length];
    if (market === undefined) throw new Error('requests are about a market');
    const rests = number % 2 === 1;
    return {
      who,
      number,
      market,
      shareMicros: LEAST_SHARES + number * SIZE_STEP,
      price: rests ? REST_TICKS : OFFER_TICKS,
      rests,
    };
  });
}

/** A request as the interface takes it. */
export function bodyOf({ market, shareMicros, price }: Request): object {
  return {
    marketId: market.marketId,
    side: 'yes',
    amount: String(shareMicros / 1_000_000),
    orderMode: 'shares',
    orderType: 'limit',
    price: String(price / 10_000),
  };
}

/** Finds the venue's own orders by whose they are and how large. */
export interface VenueOrders {
  of(maker: Address, request: Request): readonly OrderView[];
  /** Orders of these people that are of no request. */
  others(makers: readonly Address[], requests: readonly Request[]): readonly OrderView[];
}

/** Reads every order the venue ever took in. */
export function readVenueOrders(exchange: VenueModel): VenueOrders {
  const orders = exchange
    .snapshot()
    .records.flatMap((record) => (record.kind === 'order' ? [record.order] : []));
  const byKey = new Map<string, OrderView[]>();
  for (const view of orders) {
    const key = keyOf(view.order.maker, view.order.tokenId, view.order.takerMicros);
    byKey.set(key, [...(byKey.get(key) ?? []), view]);
  }
  return {
    of: (maker, { market, shareMicros }) =>
      byKey.get(keyOf(maker, market.tokens[0], shareMicros)) ?? [],
    others(makers, requests) {
      const known = new Set(
        requests.map(({ who, market, shareMicros }) =>
          keyOf(makers[who] ?? MAKER, market.tokens[0], shareMicros),
        ),
      );
      const whose = new Set(makers.map((maker) => maker.toLowerCase()));
      return orders.filter(
        ({ order }) =>
          whose.has(order.maker.toLowerCase()) &&
          !known.has(keyOf(order.maker, order.tokenId, order.takerMicros)),
      );
    },
  };
}

function keyOf(maker: Address, tokenId: TokenId, shareMicros: number): string {
  return `${maker.toLowerCase()} ${tokenId} ${shareMicros}`;
}
