import type { TradeId } from '../../domain/ids.ts';
import {
  mulDiv,
  priceTicks,
  shareMicros,
  TICKS_PER_USD,
  usdcMicros,
  type PriceTicks,
} from '../../domain/units.ts';
import { VENUE_MODEL } from '../../../config/limits/sandbox.ts';
import { escrowAccount, FEE_ACCOUNT, type Posting } from '../exchange/accounts.ts';
import {
  announceLevel,
  announceOrder,
  isMakerOwner,
  isWireTrade,
  post,
  setHold,
  type EngineState,
  type MarketState,
  type OrderRecord,
  type TradeResult,
} from './engine-state.ts';
import type { EngineTrade, MakerPart } from './exchange-types.ts';
import { legPostings } from '../exchange/leg-postings.ts';
import { firstPriceOf, lotMicros, type PlannedLeg } from '../exchange/match-plan.ts';
import type { TradePlan } from './match-plan.ts';
import { drawResult, newTradeId, startSettlement, type RunScheduled } from './settlement.ts';
import type { SettlementJob } from './settler.ts';

type Leg = PlannedLeg<OrderRecord>;

/**
 * Carries a plan out: makers fill at their own prices, the improvement stays with the taker, fees
 * are the taker's (venue_a.md sections 5.3 and 6.1). The taker's own rest is the caller's business.
 */
export function carryOut(
  state: EngineState,
  market: MarketState,
  taker: OrderRecord,
  plan: TradePlan<OrderRecord>,
  run: RunScheduled,
): readonly TradeId[] {
  const tradeIds: TradeId[] = [];
  for (const [bucketIndex, legs] of bucketsOf(plan).entries()) {
    const trade = tradeOf(state, market, { taker, legs, bucketIndex });
    const postings = legs.flatMap((leg) => postingsOf(market, taker, leg));
    post(state, postings);
    tradeIds.push(trade.tradeId);
    taker.tradeIds.push(trade.tradeId);
    const result = drawResult(state, trade);
    startSettlement(
      state,
      {
        trade,
        postings,
        result,
        job: jobOf(state, market, { taker, legs, trade, result }),
        timer: null,
      },
      run,
    );
    for (const leg of legs) fillMaker(state, market, leg, trade.tradeId);
    taker.matchedShares += trade.shares;
  }
  const last = plan.legs.at(-1);
  if (last !== undefined) {
    market.lastTrade = {
      firstPrice: firstPriceOf(last.takerPrice, taker.outcome),
      side: taker.order.side,
    };
  }
  return tradeIds;
}

/** What must stay promised to a resting order for the shares it still wants. */
export function restingHold({
  order,
  remaining,
}: Pick<OrderRecord, 'order' | 'remaining'>): number {
  return order.side === 'sell' ? remaining : mulDiv(remaining, order.price, TICKS_PER_USD, 'ceil');
}

function bucketsOf({ legs, isSplit }: TradePlan<OrderRecord>): readonly (readonly Leg[])[] {
  const most = isSplit ? 1 : VENUE_MODEL.makersPerTradeMaximum;
  const buckets: Leg[][] = [];
  for (let at = 0; at < legs.length; at += most) buckets.push(legs.slice(at, at + most));
  return buckets;
}

function tradeOf(
  state: EngineState,
  { market }: MarketState,
  match: { taker: OrderRecord; legs: readonly Leg[]; bucketIndex: number },
): EngineTrade {
  const { order } = match.taker;
  const shares = match.legs.reduce((sum, leg) => sum + leg.shares, 0);
  const usdc = match.legs.reduce((sum, leg) => sum + leg.usdc, 0);
  const nowMs = state.clock.nowMs();
  return {
    tradeId: newTradeId(state),
    marketId: market.marketId,
    takerOrderId: order.orderId,
    takerOwner: order.owner,
    taker: order.maker,
    tokenId: order.tokenId,
    side: order.side,
    shares: shareMicros(shares),
    price: averagePrice(usdc, shares),
    fee: usdcMicros(match.legs.reduce((sum, leg) => sum + leg.fee, 0)),
    makers: match.legs.map(makerPartOf),
    bucketIndex: match.bucketIndex,
    status: 'MATCHED',
    transactionHash: null,
    matchedAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

/**
 * What a chain is to settle of a trade; null where nothing settles there, or no user takes part.
 */
function jobOf(
  { settler }: EngineState,
  { market }: MarketState,
  match: {
    readonly taker: OrderRecord;
    readonly legs: readonly Leg[];
    readonly trade: EngineTrade;
    readonly result: TradeResult;
  },
): SettlementJob | null {
  const { taker, legs, trade, result } = match;
  if (settler === null || !isWireTrade(trade)) return null;
  // What market makers trade with each other stays off the chain.
  const reported = isMakerOwner(trade.takerOwner)
    ? legs.filter(({ maker }) => !isMakerOwner(maker.order.owner))
    : legs;
  const makers = reported.map(({ maker, shares, usdc }) => ({
    order: maker.order,
    shares,
    usdc: maker.order.tokenId === taker.order.tokenId ? usdc : shares - usdc,
  }));
  const sum = (pick: (leg: Leg) => number) => reported.reduce((total, leg) => total + pick(leg), 0);
  return {
    tradeId: trade.tradeId,
    marketId: market.marketId,
    negRisk: market.negRisk,
    result,
    makers,
    fee: isMakerOwner(trade.takerOwner) ? 0 : trade.fee,
    taker: {
      order: taker.order,
      shares: sum(({ shares }) => shares),
      usdc: sum(({ usdc }) => usdc),
    },
  };
}

/** Average price, rounded half up to a tick. */
function averagePrice(usdc: number, shares: number): PriceTicks {
  return priceTicks(
    Number((BigInt(usdc) * BigInt(2 * TICKS_PER_USD) + BigInt(shares)) / (BigInt(shares) * 2n)),
  );
}

function makerPartOf({ maker, shares }: Leg): MakerPart {
  const { orderId, owner, maker: address, tokenId, side, price } = maker.order;
  return { orderId, owner, maker: address, tokenId, side, price, shares: shareMicros(shares) };
}

/** What a leg moves: the taker's fee in collateral, then the leg itself. */
function postingsOf(
  { market }: MarketState,
  taker: OrderRecord,
  { maker, shares, usdc, fee }: Leg,
): readonly Posting[] {
  const party = ({ order }: OrderRecord) => ({
    account: order.maker,
    side: order.side,
    tokenId: order.tokenId,
  });
  const fees: readonly Posting[] =
    fee === 0
      ? []
      : [
          { account: taker.order.maker, holding: 'usdc', micros: -fee },
          { account: FEE_ACCOUNT, holding: 'usdc', micros: fee },
        ];
  const escrow = escrowAccount(market.marketId);
  return [
    ...fees,
    ...legPostings({ taker: party(taker), maker: party(maker), shares, usdc, escrow }),
  ];
}

function fillMaker(
  state: EngineState,
  market: MarketState,
  { maker, shares }: Leg,
  tradeId: TradeId,
): void {
  const leaves = maker.remaining - shares < lotMicros(maker.order.price);
  const size = market.book.reduce(maker, shares, leaves);
  maker.matchedShares += shares;
  maker.tradeIds.push(tradeId);
  maker.status = leaves ? 'MATCHED' : 'LIVE';
  if (leaves) {
    maker.timer?.cancel();
    maker.timer = null;
  }
  setHold(state, maker, leaves ? 0 : restingHold(maker));
  announceLevel(state, market, maker, size);
  announceOrder(state, 'UPDATE', maker);
}
