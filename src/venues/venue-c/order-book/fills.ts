import { asId, type OrderId, type TradeId } from '../../../domain/ids.ts';
import type { TradeStatus, VenueFill } from '../../../domain/fill.ts';
import type { OrderIntent } from '../../../domain/order.ts';
import {
  TICKS_PER_USD,
  costMicros,
  priceTicks,
  shareMicros,
  usdcMicros,
  type PriceTicks,
} from '../../../domain/units.ts';
import type { StatedOrder } from './schema.ts';

/** What the venue says of a match on its way to the chain (venue_c.md section 8.2). */
const TRADE_STATUS: Readonly<Partial<Record<string, TradeStatus>>> = {
  MATCHED: 'matched',
  MINED: 'mined',
  CONFIRMED: 'confirmed',
  RETRYING: 'retrying',
  FAILED: 'failed',
};

type Match = StatedOrder['makerMatches'][number];
type FillTerms = Pick<OrderIntent, 'marketId' | 'tokenId' | 'side'>;

/**
 * Returns the fills of an order as the venue states them. An order that is to be had at once has
 * one trade; one that rests may meet others first and be met in parts after that, each by a match
 * of its own. The status is that of its newest trade: of earlier ones no more is said than that
 * they were matched, nor of those that were made in the same millisecond.
 */
export function fillsOf(stated: StatedOrder, terms: FillTerms): readonly VenueFill[] {
  const { order, execution, makerMatches } = stated;
  const word = TRADE_STATUS[execution.settlementStatus];
  const { contractsGross, contractsFee, usdGross, usdFee } = execution.totalsRaw;
  if (word === undefined || contractsGross === 0) return [];
  const own = makerMatches.filter(({ orderId }) => orderId === order.id);
  const met = makerMatches.filter(({ orderId }) => orderId !== order.id);
  const isOneTrade = own.length === 0 || makerMatches.length === 1;
  const newestAtMs = Math.max(...makerMatches.map(({ createdAt }) => createdAt ?? Infinity));
  const isNewest = ({ createdAt }: Match): boolean => createdAt === newestAtMs;
  const isTied = own.filter(isNewest).length + (met.some(isNewest) ? 1 : 0) > 1;
  const said = (match: Match): TradeStatus =>
    isOneTrade || (isNewest(match) && !isTied) ? word : 'matched';
  const shared = {
    orderId: asId<OrderId>(order.id),
    marketId: terms.marketId,
    tokenId: terms.tokenId,
    side: terms.side,
  };
  const fills = own.map((match): VenueFill => {
    const leg = {
      shares: match.matchedSize,
      price: order.price ?? priceOf(contractsGross, usdGross),
    };
    // What changed hands is stated for all matches together.
    const isExact = makerMatches.length > 1 || costOf(terms, leg) === usdGross;
    return {
      ...shared,
      tradeId: asId<TradeId>(match.id),
      role: 'maker',
      legs: [isExact ? leg : { ...leg, usdc: usdcMicros(usdGross) }],
      fee: { unit: 'cash', micros: 0 },
      word: said(match),
      matchedAtMs: match.createdAt ?? order.createdAt,
      transactionHash: said(match) === 'matched' ? null : execution.txHash,
    };
  });
  const madeShares = own.reduce((sum, { matchedSize }) => sum + matchedSize, 0);
  const madeUsdc = fills.reduce(
    (sum, { legs }) => sum + legs.reduce((all, leg) => all + (leg.usdc ?? costOf(terms, leg)), 0),
    0,
  );
  const [shares, usdc] = [contractsGross - madeShares, usdGross - madeUsdc];
  if (shares <= 0) return fills;
  const [first] = met;
  const taken = met.length === 0 || first === undefined ? word : said(first);
  return [
    {
      ...shared,
      tradeId: tradeIdOf(stated, met),
      role: 'taker',
      legs: [{ shares: shareMicros(shares), price: priceOf(shares, usdc), usdc: usdcMicros(usdc) }],
      fee:
        terms.side === 'buy'
          ? { unit: 'shares', micros: contractsFee }
          : { unit: 'cash', micros: usdFee },
      word: taken,
      matchedAtMs: first?.createdAt ?? order.createdAt,
      transactionHash: taken === 'matched' ? null : execution.txHash,
    },
    ...fills,
  ];
}

/**
 * The name of the trade in which an order met others: that of the trade where there can be one
 * alone, else of the first of its matches by name, which stays the same however they are listed.
 */
function tradeIdOf({ order, execution }: StatedOrder, met: readonly Match[]): TradeId {
  const [first] = met.map(({ id }) => id).sort();
  const own = order.orderType === 'GTC' ? first : (execution.tradeEventId ?? first);
  return asId<TradeId>(own ?? order.id);
}

function costOf({ side }: FillTerms, { shares, price }: VenueFill['legs'][number]): number {
  return costMicros(shares, price, side === 'buy' ? 'ceil' : 'floor');
}

/** The nearest tick there is to what so many shares were traded for. */
export function priceOf(shares: number, usdc: number): PriceTicks {
  const ticks = Math.round((usdc / shares) * TICKS_PER_USD);
  return priceTicks(Math.min(Math.max(ticks, 1), TICKS_PER_USD - 1));
}
