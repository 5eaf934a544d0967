import type { BookExchange } from '../model/exchange.ts';
import type { VenueMarket } from '../model/market.ts';
import type { TradePart, VenueOrder, VenueTrade } from '../model/order.ts';

/** An answer to an order: itself, what it met, and how far that is (venue_c.md section 8.2). */
export function orderShape(
  exchange: BookExchange,
  order: VenueOrder,
  more: {
    readonly eligibleAtMs?: number | null;
    readonly selfTraded?: readonly string[];
  } = {},
) {
  const trades = order.tradeIds.flatMap((tradeId) => exchange.trade(tradeId) ?? []);
  const selfTraded = more.selfTraded ?? [];
  const execution = executionOf(order, trades);
  return {
    order: { ...signedShape(order), marketId: exchange.market(order.slug)?.id ?? null },
    makerMatches: trades.flatMap((trade) => matchesOf(order, trade)),
    execution: {
      ...execution,
      ...(order.status === 'DELAYED'
        ? {
            settlementStatus: 'DELAYED',
            ...(typeof more.eligibleAtMs === 'number'
              ? { eligibleAt: iso(more.eligibleAtMs) }
              : {}),
          }
        : {}),
    },
    ...(selfTraded.length === 0
      ? {}
      : { stpMakerCancels: selfTraded.map((orderId) => ({ orderId })) }),
  };
}

/** A row of a user's orders in a market (venue_c.md section 8.3). */
export function userOrderShape(order: VenueOrder, market: VenueMarket) {
  const { signed, outcome } = order;
  return {
    id: order.orderId,
    createdAt: iso(order.createdAtMs),
    ownerId: order.ownerId,
    marketId: String(market.id),
    token: market.tokens[outcome],
    type: order.type,
    status: order.status === 'DELAYED' ? 'LIVE' : order.status,
    side: order.side === 'buy' ? 'BUY' : 'SELL',
    makerAmount: String(signed?.makerAmount ?? 0),
    takerAmount: String(signed?.takerAmount ?? 0),
    price: String(order.price / 10_000),
    originalSize: String(order.originalMicros),
    remainingSize: String(order.remaining),
    ...(order.clientOrderId === null ? {} : { clientOrderId: order.clientOrderId }),
  };
}

function signedShape(order: VenueOrder) {
  const { signed } = order;
  return {
    id: order.orderId,
    createdAt: iso(order.createdAtMs),
    ...signed,
    expiration: null,
    orderType: order.type,
    price: order.type === 'FOK' ? null : order.price / 10_000,
    ...(order.clientOrderId === null ? {} : { clientOrderId: order.clientOrderId }),
  };
}

/** As taker every maker's part, as maker its own. */
function matchesOf({ orderId }: VenueOrder, { taker, makers, createdAtMs }: VenueTrade) {
  const parts =
    taker.orderId === orderId ? makers : makers.filter((own) => own.orderId === orderId);
  return parts.map((part: TradePart) => ({
    id: part.matchId,
    createdAt: iso(createdAtMs),
    matchedSize: String(part.shares),
    orderId: part.orderId,
  }));
}

function executionOf(order: VenueOrder, trades: readonly VenueTrade[]) {
  const feeRateBps = order.signed?.feeRateBps ?? 0;
  const own = trades.filter(({ taker }) => taker.orderId === order.orderId);
  const last = trades.at(-1);
  if (last === undefined)
    return {
      matched: false,
      settlementStatus: 'UNMATCHED',
      feeRateBps,
      effectiveFeeBps: 0,
      tradeEventId: null,
      txHash: null,
      totalsRaw: totals({ shares: 0, usdc: 0, feeShares: 0, feeUsdc: 0 }, order),
    };
  const sum = (pick: (trade: VenueTrade) => number) =>
    own.reduce((total, trade) => total + pick(trade), 0);
  return {
    matched: true,
    settlementStatus: last.status,
    feeRateBps,
    effectiveFeeBps: own.at(-1)?.effectiveFeeBps ?? 0,
    tradeEventId: last.tradeId,
    txHash: last.txHash,
    totalsRaw: totals(
      {
        shares: order.matchedShares,
        usdc: order.matchedUsdc,
        feeShares: sum(({ feeShares }) => feeShares),
        feeUsdc: sum(({ feeUsdc }) => feeUsdc),
      },
      order,
    ),
  };
}

function totals(
  amounts: {
    readonly shares: number;
    readonly usdc: number;
    readonly feeShares: number;
    readonly feeUsdc: number;
  },
  { side }: VenueOrder,
) {
  const { shares, usdc, feeShares, feeUsdc } = amounts;
  return {
    contractsGross: String(shares),
    contractsFee: String(feeShares),
    contractsNet: String(side === 'buy' ? shares - feeShares : shares),
    usdGross: String(usdc),
    usdFee: String(feeUsdc),
    usdNet: String(side === 'sell' ? usdc - feeUsdc : usdc),
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
