import { ORDER } from '../../../config/limits.ts';
import { VENUE_C_ORDER, VENUE_C_TRAITS } from '../../../config/limits/venue-c.ts';
import { AppError } from '../../domain/errors.ts';
import type { FillLeg } from '../../domain/fill.ts';
import type { Market } from '../../domain/market.ts';
import { sweepMarket } from '../../domain/market-sweep.ts';
import type { OrderAmount } from '../../domain/order.ts';
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
  type ShareMicros,
  type UsdcMicros,
} from '../../domain/units.ts';
import type { HeldShares, OrderRules, TermsQuestion } from '../../ports/order-rules.ts';

/**
 * venue_c's rules: thousandths of a share at thousandths of a dollar (venue_c.md section 8.1). A
 * market order is one for what is to be had at once at a price or better, for the venue's own form
 * of it has no price; money buys what it pays for at the worst price, and what that saves stays.
 */
export const venueCRules: OrderRules = {
  assertStep,
  terms(question) {
    const { market, side, amount } = question;
    const { price, offered } = pricedBy(question);
    assertPrice(price, market.tickSize);
    const shares = wholeSteps(
      amount.unit === 'shares'
        ? amount.micros
        : (offered ?? mulDiv(amount.micros, TICKS_PER_USD, price, 'floor')),
    );
    assertSize(shares, market);
    return side === 'buy'
      ? {
          price,
          spendMicros: costMicros(shares, price, 'ceil'),
          receiveMicros: shares,
          exact: 'receive',
        }
      : {
          price,
          spendMicros: shares,
          receiveMicros: costMicros(shares, price, 'floor'),
          exact: 'spend',
        };
  },
  rest: null,
  // A buyer pays the fee in shares.
  worstFee: () => usdcMicros(0),
  feeOf: (_market, legs, role) => usdcMicros(role === 'taker' ? estimatedFee(legs) : 0),
};

/** Worst price; `offered` is what a sale for a sum of money has to give by the book, else null. */
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
    slippageTicks: ORDER.marketSlippageTicks,
  });
  return { price, offered: side === 'sell' ? sweep.shares : null };
}

function assertStep({ unit, micros }: OrderAmount, held: HeldShares | null): void {
  const { shareStepMicros, cashStepMicros } = VENUE_C_TRAITS;
  if (micros % (unit === 'usdc' ? cashStepMicros : shareStepMicros) === 0) return;
  if (unit === 'usdc') throw offStep('must be in whole cents');
  if (held !== null && (micros === held.settled || micros === held.shares)) return;
  throw offStep(
    held === null
      ? 'must have at most three decimals: the venue takes thousandths of a share'
      : `must have at most three decimals, for the venue takes thousandths of a share, or be the ${formatMicros(held.shares)} you hold`,
  );
}

function wholeSteps(micros: number): ShareMicros {
  return shareMicros(micros - (micros % VENUE_C_TRAITS.shareStepMicros));
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

function assertSize(shares: ShareMicros, { minSize }: Market): void {
  if (shares > ORDER.sharesMaximumMicros)
    throw new AppError(
      'invalid_request',
      `an order is for at most ${formatMicros(shareMicros(ORDER.sharesMaximumMicros))} shares`,
      { fields: [{ path: '/amount', message: 'more shares than an order may be for' }] },
    );
  if (shares >= minSize && shares > 0) return;
  throw new AppError(
    'size_too_small',
    `${formatMicros(shares)} shares are below the market's minimum of ${formatMicros(minSize)}`,
    { fields: [{ path: '/amount', message: `at least ${formatMicros(minSize)} shares` }] },
  );
}

/** What the fee of a taker is worth, by the curve that is taken for the venue's. */
function estimatedFee(legs: readonly FillLeg[]): UsdcMicros {
  const { feeRateBps, feeCurveFactor } = VENUE_C_ORDER;
  const shares = legs.reduce((sum, leg) => sum + leg.shares, 0);
  const usdc = legs.reduce(
    (sum, leg) => sum + (leg.usdc ?? costMicros(leg.shares, leg.price, 'floor')),
    0,
  );
  if (shares === 0) return usdcMicros(0);
  const price = usdc / shares;
  const basisPoints = Math.round(feeRateBps * feeCurveFactor * price * (1 - price));
  return usdcMicros(mulDiv(usdc, basisPoints, 10_000, 'floor'));
}

function offStep(message: string): AppError {
  return new AppError('amount_off_step', `the amount ${message}`, {
    fields: [{ path: '/amount', message }],
  });
}
