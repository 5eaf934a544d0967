import { ORDER } from '../../../../config/limits.ts';
import { VENUE_C_POOL, VENUE_C_POOL_TRAITS } from '../../../../config/limits/venue-c.ts';
import { AppError } from '../../../domain/errors.ts';
import { sweepMarket } from '../../../domain/market-sweep.ts';
import type { OrderAmount, TradeSide } from '../../../domain/order.ts';
import {
  TICKS_PER_USD,
  costMicros,
  formatDecimal,
  formatMicros,
  formatPrice,
  mulDiv,
  shareMicros,
  usdcMicros,
  type PriceTicks,
} from '../../../domain/units.ts';
import type {
  HeldShares,
  OrderRules,
  OrderTerms,
  TermsQuestion,
} from '../../../ports/order-rules.ts';

/**
 * Rules of orders that are trades with a pool (venue_c.md section 9): all of it or nothing, at a
 * price or better on the whole. The contract is asked for dollars, so that a purchase of a number
 * of shares may bring some millionths more, and a sale may leave some.
 */
export const poolRules: OrderRules = {
  assertStep,
  terms(question) {
    const { market, side, amount } = question;
    const { price, offered } = pricedBy(question);
    assertPrice(price, market.tickSize);
    const { unit, micros } = amount;
    const shares =
      unit === 'shares' ? micros : (offered ?? mulDiv(micros, TICKS_PER_USD, price, 'floor'));
    assertSize(side, shares, price);
    if (side === 'buy' && unit === 'usdc')
      return { price, spendMicros: micros, receiveMicros: shares, exact: 'spend' };
    return { price, ...bySide(side, shares, price), exact: side === 'buy' ? 'receive' : 'spend' };
  },
  rest({ side, price, exact, spendMicros, receiveMicros }, filled) {
    const shares =
      side === 'sell'
        ? spendMicros - filled.shares
        : exact === 'receive'
          ? receiveMicros - filled.shares
          : mulDiv(spendMicros - filled.usdc, TICKS_PER_USD, price, 'floor');
    return costMicros(shareMicros(Math.max(shares, 0)), price, 'floor') <
      VENUE_C_POOL.leastUsdcMicros[side]
      ? null
      : bySide(side, shares, price);
  },
  // What the pool keeps is inside its prices.
  worstFee: () => usdcMicros(0),
  feeOf: () => usdcMicros(0),
};

/**
 * Worst price; `offered` is what a sale for a sum of money has to give by the levels, else null.
 */
function pricedBy({ market, side, amount, type }: TermsQuestion): {
  readonly price: PriceTicks;
  readonly offered: number | null;
} {
  if (type.kind === 'limit') return { price: type.price, offered: null };
  const { sweep, price } = sweepMarket({
    ...type,
    side,
    amount,
    tick: market.tickSize,
    slippageTicks: VENUE_C_POOL.slippageTicks,
  });
  return { price, offered: side === 'sell' ? sweep.shares : null };
}

function bySide(
  side: TradeSide,
  shares: number,
  price: PriceTicks,
): Pick<OrderTerms, 'spendMicros' | 'receiveMicros'> {
  return side === 'buy'
    ? { spendMicros: costMicros(shareMicros(shares), price, 'ceil'), receiveMicros: shares }
    : { spendMicros: shares, receiveMicros: costMicros(shareMicros(shares), price, 'floor') };
}

function assertStep({ unit, micros }: OrderAmount, held: HeldShares | null): void {
  const { shareStepMicros, cashStepMicros } = VENUE_C_POOL_TRAITS;
  if (micros % (unit === 'usdc' ? cashStepMicros : shareStepMicros) === 0) return;
  if (unit === 'usdc') throw offStep('must be in whole cents');
  if (held !== null && (micros === held.settled || micros === held.shares)) return;
  throw offStep(
    held === null
      ? 'must have at most three decimals'
      : `must have at most three decimals, or be the ${formatMicros(held.shares)} you hold`,
  );
}

function assertPrice(price: PriceTicks, tick: PriceTicks): void {
  const isInRange = price >= tick && price <= TICKS_PER_USD - tick;
  if (isInRange && price % tick === 0) return;
  const wanted = `a multiple of ${formatPrice(tick)} between ${formatPrice(tick)} and ${formatDecimal(TICKS_PER_USD - tick, 4)}`;
  throw new AppError(
    isInRange ? 'price_off_tick' : 'price_out_of_range',
    `the price must be ${wanted}, not ${formatPrice(price)}`,
    { fields: [{ path: '/price', message: `must be ${wanted}` }] },
  );
}

function assertSize(side: TradeSide, shares: number, price: PriceTicks): void {
  if (shares > ORDER.sharesMaximumMicros)
    throw new AppError(
      'invalid_request',
      `an order is for at most ${formatMicros(shareMicros(ORDER.sharesMaximumMicros))} shares`,
      { fields: [{ path: '/amount', message: 'more shares than an order may be for' }] },
    );
  if (costMicros(shareMicros(shares), price, 'floor') >= VENUE_C_POOL.leastUsdcMicros[side]) return;
  const least = formatMicros(usdcMicros(VENUE_C_POOL.leastUsdcMicros[side]));
  throw new AppError(
    'amount_too_small',
    `a trade with a pool is worth at least ${least} USDC, for each costs gas`,
    { fields: [{ path: '/amount', message: `worth at least ${least} USDC` }] },
  );
}

function offStep(message: string): AppError {
  return new AppError('amount_off_step', `the amount ${message}`, {
    fields: [{ path: '/amount', message }],
  });
}
