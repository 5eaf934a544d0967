import type { BookView, Sweep } from './book.ts';
import { AppError } from './errors.ts';
import type { ImmediateLife, OrderAmount, TradeSide } from './order.ts';
import { sweepShares, sweepUsdc } from './sweep.ts';
import type { PriceTicks } from './units.ts';
import {
  TICKS_PER_USD,
  formatMicros,
  formatPrice,
  priceTicks,
  shareMicros,
  usdcMicros,
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
 * `no_liquidity`.
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
  const levels = side === 'buy' ? book.asks : book.bids;
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
  const beyond = { worst: sweep.worstPrice, side, tick };
  return { sweep, price: bounded(cap(beyond, slippageTicks), worstPrice, beyond) };
}

function amountText({ unit, micros }: OrderAmount): string {
  return unit === 'usdc'
    ? `${formatMicros(usdcMicros(micros))} USDC`
    : `${formatMicros(shareMicros(micros))} shares`;
}

interface Reached {
  readonly worst: PriceTicks;
  readonly side: TradeSide;
  readonly tick: PriceTicks;
}

/**
 * Keeps to the caller's worst price. Errors: `no_liquidity` when the book cannot fill the order
 * within it.
 */
function bounded(
  price: PriceTicks,
  worstPrice: PriceTicks | undefined,
  { worst: reached, side, tick }: Reached,
): PriceTicks {
  if (worstPrice === undefined) return price;
  const isBuy = side === 'buy';
  const limit = (isBuy ? Math.floor(worstPrice / tick) : Math.ceil(worstPrice / tick)) * tick;
  if (isBuy ? reached > limit : reached < limit) {
    throw new AppError(
      'no_liquidity',
      `the book reaches ${formatPrice(reached)}, the worst price accepted is ${formatPrice(worstPrice)}`,
      { retryable: true },
    );
  }
  return priceTicks(isBuy ? Math.min(price, limit) : Math.max(price, limit));
}

/** The worst level reached, a little beyond, on the tick and inside the range. */
function cap({ worst, side, tick }: Reached, slippageTicks: number): PriceTicks {
  const beyond = side === 'buy' ? worst + slippageTicks : worst - slippageTicks;
  const onTick =
    side === 'buy' ? beyond - (beyond % tick) : beyond + ((tick - (beyond % tick)) % tick);
  return priceTicks(Math.min(Math.max(onTick, tick), TICKS_PER_USD - tick));
}
