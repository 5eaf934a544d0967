import type { BookView, Sweep } from './book.ts';
import { AppError } from './errors.ts';
import type { ImmediateLife, OrderAmount, TradeSide } from './order.ts';
import { sweepShares, sweepUsdc } from './sweep.ts';
import {
  TICKS_PER_USD,
  formatMicros,
  formatPrice,
  priceTicks,
  shareMicros,
  usdcMicros,
  type PriceTicks,
} from './units.ts';

/** A market order as it meets a book. */
export interface MarketSweepQuestion {
  readonly book: BookView;
  readonly side: TradeSide;
  readonly amount: OrderAmount;
  readonly life: ImmediateLife;
  /** The caller's bound; absent where the book alone decides. */
  readonly worstPrice?: PriceTicks | undefined;
  readonly tick: PriceTicks;
  /** How far beyond the worst visible level it may go, in price ticks. */
  readonly slippageTicks: number;
}

/**
 * Returns what the visible book has for a market order, and the worst price to accept for it: the
 * worst level reached, a little beyond, on the market's tick and within the caller's bound. Errors:
 * `no_liquidity`, also where the book reaches beyond that bound.
 */
export function sweepMarket({
  book,
  side,
  amount,
  life,
  worstPrice,
  tick,
  slippageTicks,
}: MarketSweepQuestion): { readonly sweep: Sweep; readonly price: PriceTicks } {
  const isBuy = side === 'buy';
  const levels = isBuy ? book.asks : book.bids;
  const sweep =
    amount.unit === 'usdc'
      ? sweepUsdc(levels, usdcMicros(amount.micros))
      : sweepShares(levels, shareMicros(amount.micros));
  if (sweep === null || (life === 'all_now' && !sweep.complete)) {
    throw new AppError(
      'no_liquidity',
      `the book of ${book.tokenId} cannot fill ${amountText(amount)}`,
      { retryable: true, fields: [{ path: '/amount', message: 'more than the book offers' }] },
    );
  }
  const { worstPrice: reached } = sweep;
  const onTick = (ticks: number): number =>
    (isBuy ? Math.floor(ticks / tick) : Math.ceil(ticks / tick)) * tick;
  const beyond = onTick(isBuy ? reached + slippageTicks : reached - slippageTicks);
  const inRange = Math.min(Math.max(beyond, tick), TICKS_PER_USD - tick);
  if (worstPrice === undefined) return { sweep, price: priceTicks(inRange) };
  const limit = onTick(worstPrice);
  if (isBuy ? reached > limit : reached < limit) {
    const moved = { price: formatPrice(reached), worstPrice: formatPrice(worstPrice) };
    throw new AppError(
      'no_liquidity',
      `the book reaches ${moved.price}, the worst price accepted is ${moved.worstPrice}`,
      { retryable: true, movedPrice: moved },
    );
  }
  return { sweep, price: priceTicks(isBuy ? Math.min(inRange, limit) : Math.max(inRange, limit)) };
}

function amountText({ unit, micros }: OrderAmount): string {
  return unit === 'usdc'
    ? `${formatMicros(usdcMicros(micros))} USDC`
    : `${formatMicros(shareMicros(micros))} shares`;
}
