import { call } from './client.ts';
import type { Input, Output } from './routes.ts';

type Candle = Output<'GET /api/venue_b/markets/:id/candlesticks'>['data'][number];
/** Periods of the shortest length, as many as a venue gives by itself. */
const MINUTES = { periodMinutes: '1' } as const;

/** An order as the daemon shows it. */
export type Order = Output<'POST /api/venue_a/order/'>;
/** An order as lists show it. */
export type ListedOrder = Output<'GET /api/venue_a/order/'>['data'][number];
/** What placing an order would do. */
export type Estimate = Output<'POST /api/venue_a/order/estimate'>;
/** A market of any venue. */
export type Market = Output<'GET /api/venue_a/markets/:id'>;
/** An order as it is asked for; `price` as the venue takes prices. */
export type OrderBody = Input<'POST /api/venue_a/order/'>['body'];

/** A price of an outcome at a moment, epoch ms; from 0 to 1. */
export interface PricePoint {
  readonly atMs: number;
  readonly price: number;
}

/** The calls by which one venue is traded. */
export interface OrderCalls {
  estimate(body: OrderBody, signal: AbortSignal): Promise<Estimate>;
  place(body: OrderBody, idempotencyKey: string): Promise<Order>;
  order(id: string): Promise<Order>;
  cancel(id: string): Promise<Order>;
  /** What amounts an order takes, in a sentence for the ticket; absent where any will do. */
  readonly amountHint: Readonly<Partial<Record<'buy' | 'sell', string>>>;
  /** Writes a price in cents as the venue takes it. */
  price(cents: string): string;
}

/** The calls of one venue that its pages make. */
export interface VenueCalls {
  market(marketId: string, signal: AbortSignal): Promise<Market>;
  /** What an outcome cost lately, as far as the venue tells; oldest first. */
  history(market: Market, side: 'yes' | 'no', signal: AbortSignal): Promise<readonly PricePoint[]>;
  /** What the topic of an outcome's book ends in; null for a market without one. */
  bookId(market: Market, side: 'yes' | 'no'): string | null;
  /** What the topic of a pool's price ends in; null for a market of orders. */
  poolPriceId(market: Market): string | null;
  /** True where one book serves both outcomes of a market: that of Yes, which No mirrors. */
  isMirrored(market: Market): boolean;
  /** True where a market is traded beyond the end it states, until its result is there. */
  readonly tradesPastEnd: boolean;
  /** The least an order takes of shares, in words. */
  readonly leastShares: string;
  readonly orders: OrderCalls;
}

/** Venues by their names; a market page is made of these. */
export const VENUE_CALLS: Readonly<Record<string, VenueCalls>> = {
  venue_a: {
    market: (id, signal) => call('GET /api/venue_a/markets/:id', { params: { id } }, { signal }),
    history: async (market, side, signal) => {
      const id = market.outcomes.find((outcome) => outcome.side === side)?.tokenId;
      if (id === undefined || id === null) return [];
      const { data } = await call(
        'GET /api/venue_a/token/:id/candlesticks/',
        { params: { id }, query: MINUTES },
        { signal },
      );
      return data.flatMap(pointOf);
    },
    bookId: tokenOf,
    poolPriceId: () => null,
    isMirrored: () => false,
    tradesPastEnd: true,
    leastShares: '0.01 of a share',
    orders: {
      estimate: (body, signal) => call('POST /api/venue_a/order/estimate', { body }, { signal }),
      place: (body, idempotencyKey) =>
        call('POST /api/venue_a/order/', { body }, { idempotencyKey }),
      order: (id) => call('GET /api/venue_a/order/:id/', { params: { id } }),
      cancel: (id) => call('DELETE /api/venue_a/order/:id/', { params: { id } }),
      amountHint: {},
      price: (cents) => shifted(cents),
    },
  },
  venue_b: {
    market: (id, signal) => call('GET /api/venue_b/markets/:id', { params: { id } }, { signal }),
    history: async ({ marketId }, side, signal) => {
      const { data } = await call(
        'GET /api/venue_b/markets/:id/candlesticks',
        { params: { id: marketId }, query: MINUTES },
        { signal },
      );
      return ofSide(data, side);
    },
    bookId: ({ marketId }) => marketId,
    poolPriceId: () => null,
    isMirrored: () => true,
    tradesPastEnd: false,
    leastShares: 'one whole contract',
    orders: {
      estimate: (body, signal) => call('POST /api/venue_b/order/estimate', { body }, { signal }),
      place: (body, idempotencyKey) =>
        call('POST /api/venue_b/order/', { body }, { idempotencyKey }),
      order: (id) => call('GET /api/venue_b/order/:id/', { params: { id } }),
      cancel: (id) => call('DELETE /api/venue_b/order/:id/', { params: { id } }),
      amountHint: {
        buy: 'It buys whole contracts only: as many as the money pays for. The rest stays yours.',
        sell: 'Whole contracts only: 2, not 2.5.',
      },
      price: (cents) => cents,
    },
  },
  venue_c: {
    market: (slug, signal) =>
      call('GET /api/venue_c/markets/:slug', { params: { slug } }, { signal }),
    history: async ({ marketId }, side, signal) => {
      const { data } = await call(
        'GET /api/venue_c/markets/:slug/candlesticks',
        { params: { slug: marketId }, query: MINUTES },
        { signal },
      );
      return ofSide(data, side);
    },
    bookId: (market, side) => (isPool(market) ? tokenOf(market, side) : market.marketId),
    poolPriceId: (market) => (isPool(market) ? market.marketId : null),
    // each outcome of a pool has a price of its own
    isMirrored: (market) => !isPool(market),
    tradesPastEnd: false,
    leastShares: '0.001 of a share',
    orders: {
      estimate: (body, signal) => call('POST /api/venue_c/order/estimate', { body }, { signal }),
      place: (body, idempotencyKey) =>
        call('POST /api/venue_c/order/', { body }, { idempotencyKey }),
      order: (id) => call('GET /api/venue_c/portfolio/orders/:id', { params: { id } }),
      cancel: (id) => call('DELETE /api/venue_c/order/:id/', { params: { id } }),
      amountHint: {},
      price: (cents) => shifted(cents),
    },
  },
};

function tokenOf({ outcomes }: Market, side: 'yes' | 'no'): string | null {
  return outcomes.find((outcome) => outcome.side === side)?.tokenId ?? null;
}

/** True of a market that is traded with a contract, whose book is its curve. */
function isPool(market: Market): boolean {
  return 'tradeType' in market && market.tradeType === 'amm';
}

/** Prices of a side by the periods of Yes. */
function ofSide(periods: readonly Candle[], side: 'yes' | 'no'): readonly PricePoint[] {
  const points = periods.flatMap(pointOf);
  return side === 'yes' ? points : points.map(({ atMs, price }) => ({ atMs, price: 1 - price }));
}

/** A period's price: that of its last trade, else the middle of its last bid and ask. */
function pointOf({ endsAtMs, price, bid, ask }: Candle): readonly PricePoint[] {
  if (price !== null) return [{ atMs: endsAtMs, price: Number(price.close) }];
  if (bid === null || ask === null) return [];
  return [{ atMs: endsAtMs, price: (Number(bid.close) + Number(ask.close)) / 2 }];
}

/**
 * Moves the point two places to the left: `62.5` is `0.625`. Anything else goes to the daemon as it
 * was typed.
 */
function shifted(cents: string): string {
  const match = /^(\d{1,2})(?:\.(\d{0,2}))?$/.exec(cents.trim());
  if (match === null) return cents;
  const [, whole = '', decimals = ''] = match;
  return `0.${whole.padStart(2, '0')}${decimals}`;
}
