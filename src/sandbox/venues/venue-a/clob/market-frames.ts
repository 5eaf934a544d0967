import type { TokenId } from '../../../../domain/ids.ts';
import {
  formatDecimal,
  formatPrice,
  parsePrice,
  priceTicks,
  TICKS_PER_USD,
} from '../../../../domain/units.ts';
import type { VenueModel } from '../../../engine/exchange.ts';
import type { EngineTrade, ExchangeEvent, ExchangeMarket } from '../../../engine/exchange-types.ts';
import { outcomeLabel, wireBook, type WireBook, type WireLevel } from './clob-vocabulary.ts';

/** A frame of the market channel before it is written out. */
export type MarketFrame = Readonly<Record<string, unknown>>;

/** A level that changed, in terms of the market's first token. */
export interface ChangedLevel {
  readonly side: 'buy' | 'sell';
  readonly price: number;
}

/** The snapshot of one token's book, as sent on subscribing (venue_a.md section 9.3). */
export function snapshotFrame(
  exchange: VenueModel,
  market: ExchangeMarket,
  tokenId: TokenId,
): MarketFrame {
  return { ...wireBook(exchange, market, tokenId), event_type: 'book' };
}

/** Both books of a market at one moment, read once for all frames of it. */
export interface Moment {
  readonly market: ExchangeMarket;
  readonly atMs: number;
  /** In the order of the market's tokens. */
  readonly books: readonly [TokenBook, TokenBook];
}

interface TokenBook {
  readonly tokenId: TokenId;
  readonly wire: WireBook;
  readonly bestBid: string;
  readonly bestAsk: string;
}

/** Reads both books of a market. */
export function momentOf(exchange: VenueModel, market: ExchangeMarket): Moment {
  const read = (tokenId: TokenId): TokenBook => {
    const wire = wireBook(exchange, market, tokenId);
    return { tokenId, wire, bestBid: lastPrice(wire.bids), bestAsk: lastPrice(wire.asks) };
  };
  return {
    market,
    atMs: exchange.clock.nowMs(),
    books: [read(market.tokens[0]), read(market.tokens[1])],
  };
}

/** The book after a trade: without the fields only the first snapshot carries. */
export function bookFrame({ market, books }: Moment, outcome: 0 | 1): MarketFrame {
  const { asset_id, timestamp, hash, bids, asks } = books[outcome].wire;
  return { event_type: 'book', market: market.marketId, asset_id, timestamp, hash, bids, asks };
}

/**
 * A price_change frame: absolute sizes of changed levels, the mirror's entry after each own one.
 */
export interface PriceChangeFrame {
  readonly event_type: 'price_change';
  readonly market: string;
  readonly timestamp: string;
  readonly price_changes: readonly PriceChangeEntry[];
}

interface PriceChangeEntry {
  readonly asset_id: TokenId;
  readonly price: string;
  readonly size: string;
  readonly side: string;
  readonly hash: string;
  readonly best_bid: string;
  readonly best_ask: string;
}

/**
 * Changed levels of both tokens with their new absolute sizes and the best prices to check against.
 */
export function priceChangeFrame(
  exchange: VenueModel,
  { market, atMs, books }: Moment,
  changes: readonly ChangedLevel[],
): PriceChangeFrame {
  const entry = (
    { tokenId, wire, bestBid, bestAsk }: TokenBook,
    change: { readonly price: number; readonly side: string; readonly size: string },
  ): PriceChangeEntry => ({
    asset_id: tokenId,
    price: formatDecimal(change.price, 4),
    size: change.size,
    side: change.side,
    hash: wire.hash,
    best_bid: bestBid,
    best_ask: bestAsk,
  });
  return {
    event_type: 'price_change',
    market: market.marketId,
    timestamp: String(atMs),
    price_changes: changes.flatMap(({ side, price }) => {
      const size = formatDecimal(exchange.levelSize(market.marketId, side, price), 6);
      const [own, mirror] =
        side === 'buy' ? (['BUY', 'SELL'] as const) : (['SELL', 'BUY'] as const);
      return [
        entry(books[0], { price, side: own, size }),
        entry(books[1], { price: TICKS_PER_USD - price, side: mirror, size }),
      ];
    }),
  };
}

/** What traded, one frame per price, in the taker's token and side. */
export function lastTradeFrames(exchange: VenueModel, trade: EngineTrade): readonly MarketFrame[] {
  const byPrice = new Map<number, number>();
  for (const { tokenId, price, shares } of trade.makers) {
    const takerPrice = tokenId === trade.tokenId ? price : TICKS_PER_USD - price;
    byPrice.set(takerPrice, (byPrice.get(takerPrice) ?? 0) + shares);
  }
  return [...byPrice].map(([price, shares]) => ({
    event_type: 'last_trade_price',
    market: trade.marketId,
    asset_id: trade.tokenId,
    price: formatPrice(priceTicks(price)),
    side: trade.side === 'buy' ? 'BUY' : 'SELL',
    size: formatDecimal(shares, 6),
    fee_rate_bps: '0',
    timestamp: String(exchange.clock.nowMs()),
    transaction_hash: trade.transactionHash ?? '',
  }));
}

/** The best prices of one token, for clients that asked for the extra events. */
export function bestBidAskFrame({ market, atMs, books }: Moment, outcome: 0 | 1): MarketFrame {
  const { tokenId, bestBid, bestAsk } = books[outcome];
  const [bid, ask] = [parsePrice(bestBid), parsePrice(bestAsk)];
  return {
    event_type: 'best_bid_ask',
    market: market.marketId,
    asset_id: tokenId,
    best_bid: bestBid,
    best_ask: bestAsk,
    spread: bid === null || ask === null ? '' : formatDecimal(ask - bid, 4),
    timestamp: String(atMs),
  };
}

/** The new tick, once per token. */
export function tickFrames(
  exchange: VenueModel,
  market: ExchangeMarket,
  event: Extract<ExchangeEvent, { kind: 'tick_size' }>,
): readonly MarketFrame[] {
  return market.tokens.map((tokenId) => ({
    event_type: 'tick_size_change',
    market: market.marketId,
    asset_id: tokenId,
    old_tick_size: formatPrice(event.from),
    new_tick_size: formatPrice(event.to),
    timestamp: String(exchange.clock.nowMs()),
  }));
}

/** A market that was just listed. */
export function newMarketFrame(exchange: VenueModel, market: ExchangeMarket): MarketFrame {
  return {
    event_type: 'new_market',
    id: listingNumber(market),
    question: market.question,
    market: market.marketId,
    slug: market.slug,
    description: market.question,
    assets_ids: market.tokens,
    outcomes: market.labels,
    event_message: {
      id: listingNumber(market),
      ticker: market.slug,
      slug: market.slug,
      title: market.question,
      description: market.question,
    },
    timestamp: String(exchange.clock.nowMs()),
    tags: [],
    condition_id: market.marketId,
    active: true,
    clob_token_ids: market.tokens,
    order_price_min_tick_size: formatPrice(market.tickSize),
    group_item_title: '',
    fees_enabled: market.fee !== null,
  };
}

/**
 * The end of a market. A market that pays both outcomes half has no winner: the first is named, as
 * the venue must name one.
 */
export function resolvedFrame(
  exchange: VenueModel,
  market: ExchangeMarket,
  payoutTicks: readonly [number, number],
): MarketFrame {
  const winner = payoutTicks[0] >= payoutTicks[1] ? market.tokens[0] : market.tokens[1];
  return {
    event_type: 'market_resolved',
    id: listingNumber(market),
    question: market.question,
    market: market.marketId,
    slug: market.slug,
    assets_ids: market.tokens,
    outcomes: market.labels,
    winning_asset_id: winner,
    winning_outcome: outcomeLabel(market, winner),
    timestamp: String(exchange.clock.nowMs()),
    tags: [],
  };
}

/** A number that represents a market, drawn from its condition id. */
function listingNumber(market: ExchangeMarket): string {
  return String(Number.parseInt(market.marketId.slice(2, 10), 16));
}

/** The best level is the last one on the wire; empty text for an empty side. */
function lastPrice(levels: readonly WireLevel[]): string {
  return levels.at(-1)?.price ?? '';
}
