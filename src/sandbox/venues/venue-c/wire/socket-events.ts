import type { BookExchange } from '../model/exchange.ts';
import type { ExchangeEvent } from '../model/exchange-state.ts';
import type { VenueMarket } from '../model/market.ts';
import type { TradePart, VenueOrder, VenueTrade } from '../model/order.ts';
import { bookShape } from './market-shapes.ts';

/** A whole book: each replaces the one before, there is no sequence (venue_c.md section 12). */
export function bookEvent(exchange: BookExchange, market: VenueMarket) {
  return {
    marketSlug: market.slug,
    orderbook: bookShape(exchange, market),
    timestamp: iso(exchange.clock.nowMs()),
  };
}

/** What the matching engine says of an order. */
export function orderEvent(
  { order, type }: Extract<ExchangeEvent, { kind: 'order' }>,
  market: VenueMarket,
) {
  const isTerminal = type === 'EXECUTION' || type === 'CANCELLATION';
  return {
    source: 'OME',
    eventId: isTerminal ? `terminal:${order.orderId}` : `${order.orderId}:${order.updatedAtMs}`,
    orderId: order.orderId,
    ...(order.clientOrderId === null ? {} : { clientOrderId: order.clientOrderId }),
    marketId: String(market.id),
    userId: order.ownerId,
    token: market.tokens[order.outcome],
    side: order.side === 'buy' ? 'BUY' : 'SELL',
    price: order.price / 10_000,
    remainingSize: order.remaining,
    timestamp: iso(order.updatedAtMs),
    type,
    ...(type === 'EXECUTION' ? { status: statusOf(order) } : {}),
  };
}

/** What settlement says of a trade, as one of its owners sees it; null for what it keeps quiet. */
export function settlementEvent(trade: VenueTrade, part: TradePart, market: VenueMarket) {
  const { tradeId, taker, status } = trade;
  if (status === 'CONFIRMED' || status === 'RETRYING') return null;
  const isTaker = part === taker;
  return {
    source: 'SETTLEMENT',
    type: status,
    eventId: `${tradeId}:${status}`,
    tradeEventId: tradeId,
    ...(isTaker ? { takerOrderId: part.orderId } : { orderId: part.orderId }),
    takerAccount: taker.account,
    marketSlug: market.slug,
    tokenId: market.tokens[part.outcome],
    token: part.outcome === 0 ? 'YES' : 'NO',
    side: part.side === 'buy' ? 'BUY' : 'SELL',
    price: String(part.price / 10_000),
    amountContracts: String(part.shares),
    amountCollateral: String(part.usdc),
    ...(isTaker
      ? {
          feeAmountContracts: String(trade.feeShares),
          feeAmountCollateral: String(trade.feeUsdc),
          effectiveFeeBps: trade.effectiveFeeBps,
        }
      : {}),
    makerMatches: trade.makers.map((maker) => ({
      orderId: maker.orderId,
      account: maker.account,
      matchedSize: String(maker.shares),
      price: String(maker.price / 10_000),
    })),
    isEstimate: status === 'MATCHED',
    ...(trade.txHash === null ? {} : { txHash: trade.txHash }),
    timestamp: iso(trade.updatedAtMs),
  };
}

/** What the chain made of a trade; null while it has said nothing. */
export function transactionEvent(trade: VenueTrade, part: TradePart, market: VenueMarket) {
  if (trade.status !== 'CONFIRMED' && trade.status !== 'FAILED') return null;
  return {
    userId: part.ownerId,
    ...(trade.txHash === null ? {} : { txHash: trade.txHash }),
    status: trade.status,
    source: 'trade',
    timestamp: iso(trade.updatedAtMs),
    marketSlug: market.slug,
    tokenId: market.tokens[part.outcome],
    conditionId: market.conditionId,
    amountContracts: String(part.shares),
    amountCollateral: String(part.usdc),
    price: String(part.price / 10_000),
    side: part.side === 'buy' ? 'BUY' : 'SELL',
  };
}

/** A market that is new. */
export function createdEvent({ slug, title, tradeType, group, createdAtMs }: VenueMarket) {
  return {
    slug,
    title,
    type: tradeType.toUpperCase(),
    ...(group === null ? {} : { groupSlug: group.slug }),
    createdAt: iso(createdAtMs),
  };
}

/** A market that has ended. */
export function resolvedEvent({ market, ending }: Extract<ExchangeEvent, { kind: 'resolved' }>) {
  return {
    slug: market.slug,
    type: market.tradeType.toUpperCase(),
    winningOutcome: ending.winner === null ? null : ending.winner === 0 ? 'YES' : 'NO',
    winningIndex: ending.winner,
    resolutionDate: iso(ending.atMs),
  };
}

function statusOf({ status, type, originalMicros, matchedShares }: VenueOrder): string {
  if (status === 'KILLED') return 'KILLED';
  return type === 'FOK' || matchedShares === originalMicros ? 'FILLED' : 'PARTIALLY_FILLED';
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
