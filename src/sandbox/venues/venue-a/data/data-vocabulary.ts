import type { Address, TokenId } from '../../../../domain/ids.ts';
import { formatDecimal, TICKS_PER_USD } from '../../../../domain/units.ts';
import type { ActivityEntry } from '../../../engine/engine-state.ts';
import type { VenueModel } from '../../../engine/exchange.ts';
import type { ExchangeMarket } from '../../../engine/exchange-types.ts';
import type { OwnTrade, PositionRow } from '../../../engine/portfolio.ts';

/** Wire form of one row. */
export type DataRow = Readonly<Record<string, unknown>>;

/** Micros as the JSON number this interface speaks in. */
export function amount(micros: number): number {
  return Number(formatDecimal(micros, 6));
}

/**
 * Price of a token in ticks: its payout once resolved, else the middle of the book, else the last
 * trade, else a half.
 */
export function currentTicks(
  exchange: VenueModel,
  market: ExchangeMarket,
  tokenId: TokenId,
): number {
  const payout = exchange.payout(market.marketId);
  if (payout !== null) return payout[market.tokens[0] === tokenId ? 0 : 1];
  const { bids, asks } = exchange.book(tokenId);
  const [bid, ask] = [bids[0]?.price, asks[0]?.price];
  if (bid !== undefined && ask !== undefined) return (bid + ask) / 2;
  return exchange.lastTradePrice(tokenId) ?? TICKS_PER_USD / 2;
}

/** An open position (venue_a.md section 12.1). */
export function positionRow(exchange: VenueModel, user: Address, row: PositionRow): DataRow | null {
  const market = exchange.market(row.marketId);
  if (market === null) return null;
  const ticks = currentTicks(exchange, market, row.tokenId);
  const value = Math.floor((row.sharesMicros * ticks) / TICKS_PER_USD);
  const pnl = value - row.costMicros;
  return {
    proxyWallet: user,
    asset: row.tokenId,
    conditionId: row.marketId,
    size: amount(row.sharesMicros),
    avgPrice: averagePrice(row),
    initialValue: amount(row.costMicros),
    currentValue: amount(value),
    cashPnl: amount(pnl),
    percentPnl: percent(pnl, row.costMicros),
    totalBought: amount(row.boughtMicros),
    realizedPnl: amount(row.realizedMicros),
    percentRealizedPnl: percent(row.realizedMicros, row.boughtUsdcMicros),
    curPrice: ticks / TICKS_PER_USD,
    redeemable: exchange.payout(row.marketId) !== null,
    mergeable: false,
    ...marketWords(market, row.tokenId),
    ...opposite(market, row.tokenId),
    endDate: new Date(market.endsAtMs).toISOString().slice(0, 10),
    negativeRisk: market.negRisk,
  };
}

/** A position that is over. */
export function closedRow(exchange: VenueModel, user: Address, row: PositionRow): DataRow | null {
  const market = exchange.market(row.marketId);
  if (market === null) return null;
  return {
    proxyWallet: user,
    asset: row.tokenId,
    conditionId: row.marketId,
    avgPrice: averagePrice(row),
    totalBought: amount(row.boughtMicros),
    realizedPnl: amount(row.realizedMicros),
    curPrice: currentTicks(exchange, market, row.tokenId) / TICKS_PER_USD,
    timestamp: Math.floor(row.lastAtMs / 1_000),
    ...marketWords(market, row.tokenId),
    ...opposite(market, row.tokenId),
    endDate: new Date(market.endsAtMs).toISOString(),
  };
}

/** A public trade as one of its parties made it. */
export function tradeRow(exchange: VenueModel, trade: OwnTrade): DataRow | null {
  const market = exchange.market(trade.marketId);
  if (market === null) return null;
  return {
    proxyWallet: trade.address,
    side: trade.side === 'buy' ? 'BUY' : 'SELL',
    asset: trade.tokenId,
    conditionId: trade.marketId,
    size: amount(trade.sharesMicros),
    price: Math.round((trade.usdcMicros / trade.sharesMicros) * TICKS_PER_USD) / TICKS_PER_USD,
    timestamp: Math.floor(trade.atMs / 1_000),
    ...marketWords(market, trade.tokenId),
    ...PROFILE,
    transactionHash: trade.transactionHash,
  };
}

/** A trade as an entry of the activity feed. */
export function tradeActivity(exchange: VenueModel, trade: OwnTrade): DataRow | null {
  const row = tradeRow(exchange, trade);
  return row === null ? null : { ...row, type: 'TRADE', usdcSize: amount(trade.usdcMicros) };
}

/** A deposit, withdrawal or redemption as an entry of the activity feed. */
export function activityRow(exchange: VenueModel, entry: ActivityEntry): DataRow {
  const market = entry.marketId === null ? null : exchange.market(entry.marketId);
  const words =
    market === null || entry.tokenId === null
      ? { title: '', slug: '', icon: '', eventSlug: '', outcome: '', outcomeIndex: 999 }
      : marketWords(market, entry.tokenId);
  return {
    proxyWallet: entry.account,
    timestamp: Math.floor(entry.atMs / 1_000),
    conditionId: entry.marketId ?? '',
    type: entry.kind,
    size: amount(entry.marketId === null ? entry.usdcMicros : entry.sharesMicros),
    usdcSize: amount(entry.usdcMicros),
    transactionHash: entry.transactionHash,
    price: 0,
    asset: entry.tokenId ?? '',
    side: '',
    ...words,
    ...PROFILE,
  };
}

/** Fields of a person's profile; the sandbox has none. */
export const PROFILE = {
  name: '',
  pseudonym: '',
  bio: '',
  profileImage: '',
  profileImageOptimized: '',
} as const;

function marketWords(market: ExchangeMarket, tokenId: TokenId): DataRow {
  const index = market.tokens[0] === tokenId ? 0 : 1;
  return {
    title: market.question,
    slug: market.slug,
    icon: '',
    eventSlug: market.eventSlug ?? market.slug,
    outcome: market.labels[index],
    outcomeIndex: index,
  };
}

function opposite(market: ExchangeMarket, tokenId: TokenId): DataRow {
  const index = market.tokens[0] === tokenId ? 1 : 0;
  return { oppositeOutcome: market.labels[index], oppositeAsset: market.tokens[index] };
}

function averagePrice({ boughtMicros, boughtUsdcMicros }: PositionRow): number {
  return boughtMicros === 0
    ? 0
    : Math.round((boughtUsdcMicros / boughtMicros) * 1_000_000) / 1_000_000;
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 1_000_000) / 10_000;
}
