import { USDC_MINT } from '../../../chains/solana/addresses.ts';
import type { FaultBoard } from '../../../faults.ts';
import type { Rails } from '../chain/rails.ts';
import { otherSide } from '../chain/keeper.ts';
import type { OrderTerms } from '../chain/orders.ts';
import { CONTRACT_MICROS } from '../chain/settlement.ts';
import { planPurchase, planSale, type FillPlan } from '../model/fill-plan.ts';
import type { Listing, OutcomeSide } from '../model/listing.ts';
import type { MarketModel } from '../model/market-model.ts';
import { priceAtMost } from '../model/price-grid.ts';
import type { OrderQuestion } from './order-params.ts';

/** What an order would get now. */
export interface Quote {
  readonly kind: OrderTerms['kind'];
  readonly listing: Listing;
  readonly side: OutcomeSide;
  /** Micros of the output: expected, and at least. */
  readonly outAmount: number;
  readonly minOutAmount: number;
  readonly limitTicks: number;
}

export interface QuoteOptions {
  readonly model: MarketModel;
  readonly rails: Rails;
  readonly faults: FaultBoard;
  readonly feeScale: number;
  readonly isMaintenance: () => boolean;
}

const HIGHEST = 9_990;
const LOWEST = 10;
const STALE_TICKS = 100;

/**
 * Quotes an order from the book of this moment; null where there is no way to trade it
 * (`route_not_found`, venue_b.md section 13).
 */
export function quoteOrder(options: QuoteOptions, question: OrderQuestion): Quote | null {
  const { model, rails } = options;
  const { inputMint, outputMint } = question;
  const isBuy = inputMint === USDC_MINT;
  if (!isBuy && outputMint !== USDC_MINT) return null;
  const place = rails.place(isBuy ? outputMint : inputMint);
  if (place === null || place.side === null) return null;
  const { listing, side } = place;
  const { status, result, redemption } = model.state(listing);
  if (status === 'determined' || status === 'finalized')
    return isBuy || redemption !== 'open' || result !== side
      ? null
      : redeemQuote({ listing, side }, question);
  if (options.isMaintenance()) return null;
  return isBuy
    ? buyQuote(options, { listing, side }, question)
    : sellQuote(options, { listing, side }, question);
}

interface Place {
  readonly listing: Listing;
  readonly side: OutcomeSide;
}

function redeemQuote({ listing, side }: Place, { amount }: OrderQuestion): Quote | null {
  const contracts = Math.floor(amount / CONTRACT_MICROS);
  if (contracts === 0) return null;
  const outAmount = contracts * CONTRACT_MICROS;
  return { kind: 'redeem', listing, side, outAmount, minOutAmount: outAmount, limitTicks: 0 };
}

function buyQuote(
  { model, faults, feeScale }: QuoteOptions,
  { listing, side }: Place,
  { amount, outcomeSlippageBps }: OrderQuestion,
): Quote | null {
  const bids = model.book(listing)?.[otherSide(side)];
  if (bids === undefined) return null;
  const plan = planPurchase(bids, {
    budgetMicros: amount,
    capTicks: HIGHEST,
    feeMultiplier: model.seriesOf(listing).feeMultiplier * feeScale,
  });
  if (plan.worstTicks === null) return null;
  const isStale = faults.take('stale-quote', { marketId: listing.ticker }) !== null;
  const worst = isStale ? firstPrice(bids) - STALE_TICKS : plan.worstTicks;
  const limit = Math.min(HIGHEST, Math.floor((worst * (10_000 + outcomeSlippageBps)) / 10_000));
  return {
    kind: 'buy',
    listing,
    side,
    outAmount: plan.contracts * CONTRACT_MICROS,
    minOutAmount: atLeast(plan, outcomeSlippageBps),
    limitTicks: isStale ? worst : priceAtMost(listing.structure, limit),
  };
}

function sellQuote(
  { model, faults, feeScale }: QuoteOptions,
  { listing, side }: Place,
  { amount, outcomeSlippageBps }: OrderQuestion,
): Quote | null {
  const bids = model.book(listing)?.[side];
  if (bids === undefined) return null;
  const plan = planSale(bids, {
    contracts: Math.floor(amount / CONTRACT_MICROS),
    floorTicks: LOWEST,
    feeMultiplier: model.seriesOf(listing).feeMultiplier * feeScale,
  });
  if (plan.worstTicks === null) return null;
  const isStale = faults.take('stale-quote', { marketId: listing.ticker }) !== null;
  const out = plan.costMicros - plan.feeMicros;
  return {
    kind: 'sell',
    listing,
    side,
    outAmount: out,
    minOutAmount: Math.floor((out * (10_000 - outcomeSlippageBps)) / 10_000),
    limitTicks: isStale
      ? [...bids.keys()].reduce((best, price) => Math.max(best, price), 0) + STALE_TICKS
      : Math.max(LOWEST, Math.ceil((plan.worstTicks * (10_000 - outcomeSlippageBps)) / 10_000)),
  };
}

function firstPrice(bids: ReadonlyMap<number, number>): number {
  return 10_000 - [...bids.keys()].reduce((best, price) => Math.max(best, price), 0);
}

/** Whole contracts that slippage leaves, one at the least. */
function atLeast({ contracts }: FillPlan, slippageBps: number): number {
  return Math.max(1, Math.floor((contracts * (10_000 - slippageBps)) / 10_000)) * CONTRACT_MICROS;
}
