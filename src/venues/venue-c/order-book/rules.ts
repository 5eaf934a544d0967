import { ORDER } from '../../../../config/limits.ts';
import { VENUE_C_ORDER, VENUE_C_TRAITS } from '../../../../config/limits/venue-c.ts';
import { AppError } from '../../../domain/errors.ts';
import type { FillLeg } from '../../../domain/fill.ts';
import type { Market } from '../../../domain/market.ts';
import {
  TICKS_PER_USD,
  costMicros,
  formatMicros,
  mulDiv,
  shareMicros,
  usdcMicros,
  type ShareMicros,
  type UsdcMicros,
} from '../../../domain/units.ts';
import type { OrderRules } from '../../../ports/order-rules.ts';
import { assertNotTooMany, assertPrice, assertStep, bySide, pricedBy } from '../order-terms.ts';

/**
 * venue_c's rules: thousandths of a share at thousandths of a dollar (venue_c.md section 8.1). A
 * market order is one for what is to be had at once at a price or better, for the venue's own form
 * of it has no price; money buys what it pays for at the worst price, and what that saves stays.
 */
export const venueCRules: OrderRules = {
  assertStep,
  terms(question) {
    const { market, side, amount } = question;
    const { price, offered } = pricedBy(question, ORDER.marketSlippageTicks);
    assertPrice(price, market.tickSize);
    const shares = wholeSteps(
      amount.unit === 'shares'
        ? amount.micros
        : (offered ?? mulDiv(amount.micros, TICKS_PER_USD, price, 'floor')),
    );
    assertSize(shares, market);
    return { price, ...bySide(side, shares, price), exact: side === 'buy' ? 'receive' : 'spend' };
  },
  rest: null,
  keepsSharesOfBuyers: true,
  worstFee: () => usdcMicros(0),
  mostSetAside: (_market, amountUsdc) => amountUsdc,
  feeOf: (_market, legs, role) => usdcMicros(role === 'taker' ? estimatedFee(legs) : 0),
};

function wholeSteps(micros: number): ShareMicros {
  return shareMicros(micros - (micros % VENUE_C_TRAITS.shareStepMicros));
}

function assertSize(shares: ShareMicros, { minSize }: Market): void {
  assertNotTooMany(shares);
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
