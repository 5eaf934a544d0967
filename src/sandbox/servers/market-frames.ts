import type { TokenId } from '../../domain/ids.ts';
import { formatDecimal, formatMicros, formatPrice, priceTicks, TICKS_PER_USD } from '../../domain/units.ts';
import type { VenueModel } from '../models/exchange.ts';
import type { EngineTrade, ExchangeEvent, ExchangeMarket } from '../models/exchange-types.ts';
import { outcomeLabel, wireBook } from './clob-words.ts';

/** A frame of the market channel before it is written out. */
export type MarketFrame = Readonly<Record<string, unknown>>;

/** A level that changed, in terms of the market's first token. */
export interface ChangedLevel {
  readonly side: 'buy' | 'sell';
  readonly price: number;
}

/** The snapshot of one token's book, as sent on subscribing (venue_a.md section 9.3). */
export function snapshotFrame(exchange: VenueModel, market: ExchangeMarket, tokenId: TokenId): MarketFrame {
  return { ...wireBook(exchange, market, tokenId), event_type: 'book' };
}

/** The book after a trade: without the fields only the first snapshot carries. */
export function bookFrame(exchange: VenueModel, market: ExchangeMarket, tokenId: TokenId): MarketFrame {
  const { market: marketId, asset_id, timestamp, hash, bids, asks } = wireBook(exchange, market, tokenId);
  return { event_type: 'book', market: marketId, asset_id, timestamp, hash, bids, asks };
}

/** Changed levels of both tokens with their new absolute sizes and the best prices to check against. */
export function priceChangeFrame(exchange: VenueModel, market: ExchangeMarket, changes: readonly ChangedLevel[]): MarketFrame {
  const [first, second] = market.tokens;
  const books = { first: exchange.book(first), second: exchange.book(second) };
  const hashes = { first: wireBook(exchange, market, first)['hash'], second: wireBook(exchange, market, second)['hash'] };
  const sizeOf = ({ side, price }: ChangedLevel) => {
    const level = (side === 'buy' ? books.first.bids : books.first.asks).find((one) => one.price === price);
    return level === undefined ? '0' : formatMicros(level.size);
  };
  const best = ({ bids, asks }: typeof books.first) => ({ best_bid: topText(bids), best_ask: topText(asks) });
  return {
    event_type: 'price_change',
    market: market.marketId,
    timestamp: String(exchange.clock.nowMs()),
    price_changes: changes.flatMap((change) => {
      const size = sizeOf(change);
      const buys = change.side === 'buy';
      return [
        { asset_id: first, price: formatDecimal(change.price, 4), size, side: buys ? 'BUY' : 'SELL', hash: hashes.first, ...best(books.first) },
        { asset_id: second, price: formatDecimal(TICKS_PER_USD - change.price, 4), size, side: buys ? 'SELL' : 'BUY', hash: hashes.second, ...best(books.second) },
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
    event_type: 'last_trade_price', market: trade.marketId, asset_id: trade.tokenId, price: formatPrice(priceTicks(price)),
    side: trade.side === 'buy' ? 'BUY' : 'SELL', size: formatDecimal(shares, 6), fee_rate_bps: '0',
    timestamp: String(exchange.clock.nowMs()), transaction_hash: trade.transactionHash ?? '',
  }));
}

/** The best prices of one token, for clients that asked for the extra events. */
export function bestBidAskFrame(exchange: VenueModel, market: ExchangeMarket, tokenId: TokenId): MarketFrame {
  const { bids, asks } = exchange.book(tokenId);
  const [bid, ask] = [bids[0]?.price, asks[0]?.price];
  return {
    event_type: 'best_bid_ask', market: market.marketId, asset_id: tokenId, best_bid: topText(bids), best_ask: topText(asks),
    spread: bid === undefined || ask === undefined ? '' : formatDecimal(ask - bid, 4), timestamp: String(exchange.clock.nowMs()),
  };
}

/** The new tick, once per token. */
export function tickFrames(exchange: VenueModel, market: ExchangeMarket, event: Extract<ExchangeEvent, { kind: 'tick_size' }>): readonly MarketFrame[] {
  return market.tokens.map((tokenId) => ({
    event_type: 'tick_size_change', market: market.marketId, asset_id: tokenId, old_tick_size: formatPrice(event.from),
    new_tick_size: formatPrice(event.to), timestamp: String(exchange.clock.nowMs()),
  }));
}

/** A market that was just listed. */
export function newMarketFrame(exchange: VenueModel, market: ExchangeMarket): MarketFrame {
  return {
    event_type: 'new_market', id: listingNumber(market), question: market.question, market: market.marketId, slug: market.slug,
    description: market.question, assets_ids: market.tokens, outcomes: market.labels,
    event_message: { id: listingNumber(market), ticker: market.slug, slug: market.slug, title: market.question, description: market.question },
    timestamp: String(exchange.clock.nowMs()), tags: [], condition_id: market.marketId, active: true, clob_token_ids: market.tokens,
    order_price_min_tick_size: formatPrice(market.tickSize), group_item_title: '', fees_enabled: market.fee !== null,
  };
}

/** The end of a market. A market that pays both outcomes half has no winner: the first is named, as the venue must name one. */
export function resolvedFrame(exchange: VenueModel, market: ExchangeMarket, payoutTicks: readonly [number, number]): MarketFrame {
  const winner = payoutTicks[0] >= payoutTicks[1] ? market.tokens[0] : market.tokens[1];
  return {
    event_type: 'market_resolved', id: listingNumber(market), question: market.question, market: market.marketId, slug: market.slug,
    assets_ids: market.tokens, outcomes: market.labels, winning_asset_id: winner, winning_outcome: outcomeLabel(market, winner),
    timestamp: String(exchange.clock.nowMs()), tags: [],
  };
}

/** A number that stands for a market, drawn from its condition id. */
function listingNumber(market: ExchangeMarket): string {
  return String(Number.parseInt(market.marketId.slice(2, 10), 16));
}

function topText(levels: readonly { readonly price: number }[]): string {
  const top = levels[0];
  return top === undefined ? '' : formatDecimal(top.price, 4);
}
