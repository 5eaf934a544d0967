import { createHash } from 'node:crypto';
import type { BookLevel } from '../../../../domain/book.ts';
import type { TokenId } from '../../../../domain/ids.ts';
import { formatDecimal, formatMicros, formatPrice, usdcMicros } from '../../../../domain/units.ts';
import type { VenueModel } from '../../../engine/exchange.ts';
import type { EngineTrade, ExchangeMarket, OrderView } from '../../../engine/exchange-types.ts';

/** Cursor of the last page (venue_a.md section 3). */
export const LAST_CURSOR = 'LTE=';

/** A price level on the wire. */
export interface WireLevel {
  readonly price: string;
  readonly size: string;
}

/** Levels on the wire: the best one is the last (venue_a.md section 3.1). */
function wireLevels(levels: readonly BookLevel[]): WireLevel[] {
  return levels
    .map(({ price, size }) => ({ price: formatPrice(price), size: formatMicros(size) }))
    .reverse();
}

/** A book object (venue_a.md section 3.1). */
export interface WireBook {
  readonly market: string;
  readonly asset_id: string;
  readonly timestamp: string;
  readonly hash: string;
  readonly bids: readonly WireLevel[];
  readonly asks: readonly WireLevel[];
  readonly min_order_size: string;
  readonly tick_size: string;
  readonly neg_risk: boolean;
  readonly last_trade_price: string;
}

/** A book object with its hash, key order as the hash wants it (venue_a.md section 3.1). */
export function wireBook(exchange: VenueModel, market: ExchangeMarket, tokenId: TokenId): WireBook {
  const { bids, asks } = exchange.book(tokenId);
  const body = {
    market: market.marketId,
    asset_id: tokenId,
    timestamp: String(exchange.clock.nowMs()),
    hash: '',
    bids: wireLevels(bids),
    asks: wireLevels(asks),
    min_order_size: formatMicros(market.minSize),
    tick_size: formatPrice(market.tickSize),
    neg_risk: market.negRisk,
    last_trade_price: lastTradeText(exchange, market),
  };
  return { ...body, hash: bookHash(body) };
}

/** SHA-1 of the compact JSON of a book whose `hash` is empty (venue_a.md section 3.1). */
export function bookHash(book: WireBook): string {
  return createHash('sha1').update(JSON.stringify(book)).digest('hex');
}

/**
 * The last trade's price in terms of the first outcome: both books of a market report the same one;
 * "0.5" before any.
 */
function lastTradeText(exchange: VenueModel, market: ExchangeMarket): string {
  const price = exchange.lastTradePrice(market.tokens[0]);
  return price === null ? '0.5' : formatPrice(price);
}

/** Label of a token's outcome. */
export function outcomeLabel(market: ExchangeMarket, tokenId: TokenId): string {
  return market.tokens[0] === tokenId ? market.labels[0] : market.labels[1];
}

/** Milliseconds as the venue's second strings. */
export function secondsText(atMs: number): string {
  return String(Math.floor(atMs / 1_000));
}

/** Text of an order's status on REST; cancelled ones may carry their reason behind it. */
export function statusText(view: OrderView): string {
  return view.status === 'CANCELED' && view.reason !== null
    ? `CANCELED_${view.reason}`
    : view.status;
}

/** An order as REST tells it (venue_a.md section 4.4). */
export function wireOrder(
  exchange: VenueModel,
  view: OrderView,
  status: string,
): Record<string, unknown> {
  const { order } = view;
  const market = exchange.market(view.marketId);
  return {
    id: order.orderId,
    status,
    market: view.marketId,
    asset_id: order.tokenId,
    side: order.side === 'buy' ? 'BUY' : 'SELL',
    original_size: formatMicros(usdcMicros(view.originalMicros)),
    size_matched: formatMicros(view.matchedShares),
    price: formatPrice(order.price),
    outcome: market === null ? '' : outcomeLabel(market, order.tokenId),
    maker_address: order.maker,
    owner: order.owner,
    expiration: order.expiration ?? '0',
    order_type: order.timeInForce,
    created_at: Math.floor(view.createdAtMs / 1_000),
    associate_trades: view.tradeIds,
  };
}

/** Who is notified of a trade: their role, and the key and address that stand at the top of it. */
export interface TradeReader {
  readonly role: 'TAKER' | 'MAKER';
  readonly owner: string;
  readonly address: string;
}

/** Fields of a trade that REST and the user channel share (venue_a.md sections 4.5 and 9.4). */
export function wireTrade(
  exchange: VenueModel,
  trade: EngineTrade,
  reader: TradeReader,
): Record<string, unknown> {
  const market = exchange.market(trade.marketId);
  const label = (tokenId: TokenId) => (market === null ? '' : outcomeLabel(market, tokenId));
  return {
    id: trade.tradeId,
    taker_order_id: trade.takerOrderId,
    market: trade.marketId,
    asset_id: trade.tokenId,
    side: trade.side === 'buy' ? 'BUY' : 'SELL',
    size: formatMicros(trade.shares),
    fee_rate_bps: '0',
    price: formatPrice(trade.price),
    status: trade.status,
    match_time: secondsText(trade.matchedAtMs),
    last_update: secondsText(trade.updatedAtMs),
    outcome: label(trade.tokenId),
    bucket_index: trade.bucketIndex,
    owner: reader.owner,
    maker_address: reader.address,
    transaction_hash: trade.transactionHash ?? '',
    trader_side: reader.role,
    maker_orders: trade.makers.map((part) => ({
      order_id: part.orderId,
      owner: part.owner,
      maker_address: part.maker,
      matched_amount: formatMicros(part.shares),
      price: formatPrice(part.price),
      fee_rate_bps: '0',
      asset_id: part.tokenId,
      outcome: label(part.tokenId),
      outcome_index: market?.tokens[0] === part.tokenId ? 0 : 1,
      side: part.side === 'buy' ? 'BUY' : 'SELL',
    })),
  };
}

/** How a reader with these keys sees a trade: as its taker, as a maker, or not at all. */
export function readerOf(trade: EngineTrade, owners: ReadonlySet<string>): TradeReader | null {
  if (owners.has(trade.takerOwner))
    return { role: 'TAKER', owner: trade.takerOwner, address: trade.taker };
  const part = trade.makers.find(({ owner }) => owners.has(owner));
  return part === undefined ? null : { role: 'MAKER', owner: part.owner, address: part.maker };
}

/** A page in the venue's envelope. */
export function page(
  data: readonly unknown[],
  limit: number,
  cursor = LAST_CURSOR,
): Record<string, unknown> {
  return { limit, count: data.length, next_cursor: cursor, data };
}

/** A market in the full form (venue_a.md section 3.2). */
export function wireMarket(exchange: VenueModel, market: ExchangeMarket): Record<string, unknown> {
  const payout = exchange.payout(market.marketId);
  const nowMs = exchange.clock.nowMs();
  const isOpen = payout === null && nowMs < market.endsAtMs;
  const fees = market.fee === null ? 0 : 1000;
  return {
    condition_id: market.marketId,
    question_id: market.marketId,
    question: market.question,
    market_slug: market.slug,
    description: market.question,
    tokens: market.tokens.map((tokenId, index) => ({
      token_id: tokenId,
      outcome: market.labels[index],
      price: tokenPrice(exchange, tokenId),
      winner: payout?.[index] === 10_000,
    })),
    minimum_order_size: Number(formatMicros(market.minSize)),
    minimum_tick_size: tickNumber(market),
    active: true,
    closed: payout !== null,
    archived: false,
    accepting_orders: isOpen && nowMs >= market.opensForOrdersAtMs,
    accepting_order_timestamp: new Date(market.opensForOrdersAtMs).toISOString(),
    enable_order_book: payout === null,
    end_date_iso: new Date(market.endsAtMs).toISOString(),
    game_start_time: null,
    seconds_delay: 0,
    neg_risk: market.negRisk,
    neg_risk_market_id: '',
    neg_risk_request_id: '',
    maker_base_fee: fees,
    taker_base_fee: fees,
    rewards: { rates: null, min_size: 0, max_spread: 0 },
    is_50_50_outcome: payout?.[0] === 5_000,
    tags: [],
    icon: '',
    image: '',
    fpmm: '',
    notifications_enabled: false,
  };
}

/** A market in the compact form (venue_a.md section 3.3). */
export function wireCompactMarket(
  exchange: VenueModel,
  market: ExchangeMarket,
): Record<string, unknown> {
  const fees = market.fee === null ? 0 : 1000;
  return {
    c: market.marketId,
    t: market.tokens.map((tokenId, index) => ({ t: tokenId, o: market.labels[index] })),
    mts: tickNumber(market),
    mos: Number(formatMicros(market.minSize)),
    mbf: fees,
    tbf: fees,
    nr: market.negRisk,
    ...(market.fee === null
      ? {}
      : {
          fd: {
            r: Number(formatDecimal(market.fee.rateMicros, 6)),
            e: market.fee.exponent,
            to: market.fee.takerOnly,
          },
        }),
    ao: exchange.payout(market.marketId) === null && exchange.clock.nowMs() < market.endsAtMs,
    sd: 0,
    ...(market.takerDelayMs > 0 ? { itode: true } : {}),
    oas: 0,
    cbos: false,
    v: 'v1',
  };
}

/** The tick as the JSON number the venue sends. */
export function tickNumber(market: ExchangeMarket): number {
  return Number(formatPrice(market.tickSize));
}

function tokenPrice(exchange: VenueModel, tokenId: TokenId): number {
  const price = exchange.lastTradePrice(tokenId);
  return price === null ? 0.5 : Number(formatPrice(price));
}
