import { ORDER } from '../../../config/limits.ts';
import { VENUE_A, VENUE_A_TRAITS } from '../../../config/limits/venue-a.ts';
import { AppError, assert } from '../../domain/errors.ts';
import { takerFeeMicros } from '../../domain/fees.ts';
import type { FeeSchedule } from '../../domain/market.ts';
import { sweepMarket } from '../../domain/market-sweep.ts';
import type { OrderAmount } from '../../domain/order.ts';
import {
  TICKS_PER_USD,
  formatMicros,
  mulDiv,
  shareMicros,
  usdcMicros,
  type UsdcMicros,
} from '../../domain/units.ts';
import type { HeldShares, OrderRules, OrderTerms, TermsQuestion } from '../../ports/order-rules.ts';
import { limitAmounts, marketAmounts } from './orders/amounts.ts';

type Question<Kind extends 'market' | 'limit'> = TermsQuestion & {
  readonly type: Extract<TermsQuestion['type'], { readonly kind: Kind }>;
};

/**
 * Each leg's fee is rounded half up to 10 micros and its money down to one: 6 micros a leg at most,
 * for 160 legs (venue_a.md section 5.3).
 */
const FEE_ROUNDING_MICROS = 1_000;

/** venue_a's rules for orders. */
export const venueARules: OrderRules = {
  assertStep,
  terms: ({ type, ...question }) =>
    type.kind === 'market' ? marketTerms({ ...question, type }) : limitTerms({ ...question, type }),
  rest: null,
  worstFee: (market, spendMicros) => worstBuyFee(spendMicros, market.fee),
  mostSetAside: ({ fee }, amountUsdc) => usdcMicros(amountUsdc + worstBuyFee(amountUsdc, fee)),
  feeOf: ({ fee }, legs, role) =>
    usdcMicros(
      role === 'taker' || fee?.takerOnly === false
        ? legs.reduce((sum, { shares, price }) => sum + takerFeeMicros(shares, price, fee), 0)
        : 0,
    ),
};

/**
 * The largest taker fee that spending `spentMicros` can meet at any price. A dollar spent at price
 * p pays rate × (1 − p)^e × p^(e−1): at most the rate for e = 1, and 4/27 of it, at p = 1/3, for e
 * = 2.
 */
function worstBuyFee(spentMicros: number, schedule: FeeSchedule | null): UsdcMicros {
  if (schedule === null || schedule.rateMicros === 0) return usdcMicros(0);
  assert(schedule.exponent >= 1, `a fee exponent from 1, not ${schedule.exponent}`);
  const [part, whole] = schedule.exponent === 2 ? [4, 27] : [1, 1];
  return usdcMicros(
    mulDiv(spentMicros, schedule.rateMicros * part, 1_000_000 * whole, 'ceil') +
      FEE_ROUNDING_MICROS,
  );
}

/**
 * An order keeps whole cents and hundredths of a share; what is left of a position may be sold as
 * it is shown: the step takes what it can.
 */
function assertStep({ unit, micros }: OrderAmount, held: HeldShares | null): void {
  const { shareStepMicros, cashStepMicros } = VENUE_A_TRAITS;
  if (micros % (unit === 'usdc' ? cashStepMicros : shareStepMicros) === 0) return;
  if (unit === 'usdc')
    throw offStep('must have at most two decimals: orders are placed in whole cents');
  if (held === null)
    throw offStep('must have at most two decimals: the venue takes hundredths of a share');
  if (micros === held.settled) return;
  if (micros > held.shares || (held.shares - micros) % shareStepMicros !== 0) {
    throw offStep(
      `must have at most two decimals, for the venue takes hundredths of a share, or be the ${formatMicros(held.shares)} you hold`,
    );
  }
}

function offStep(message: string): AppError {
  return new AppError('amount_off_step', `the amount ${message}`, {
    fields: [{ path: '/amount', message }],
  });
}

function limitTerms({ market, side, amount, type: { price } }: Question<'limit'>): OrderTerms {
  const { unit, micros } = amount;
  const shares = unit === 'shares' ? micros : mulDiv(micros, TICKS_PER_USD, price, 'floor');
  if (shares > ORDER.sharesMaximumMicros)
    throw new AppError(
      'invalid_request',
      `an order is for at most ${formatMicros(shareMicros(ORDER.sharesMaximumMicros))} shares`,
      { fields: [{ path: '/amount', message: 'more shares than an order may be for' }] },
    );
  const amounts = limitAmounts({ side, price, shares: shareMicros(shares), tick: market.tickSize });
  const size = side === 'buy' ? amounts.receiveMicros : amounts.spendMicros;
  if (size < market.minSize) {
    throw new AppError(
      'size_too_small',
      `${formatMicros(shareMicros(size))} shares are below the market's minimum of ${formatMicros(market.minSize)}`,
      { fields: [{ path: '/amount', message: `at least ${formatMicros(market.minSize)} shares` }] },
    );
  }
  return { ...amounts, price, exact: side === 'buy' ? 'receive' : 'spend' };
}

function marketTerms({ market, side, amount, type }: Question<'market'>): OrderTerms {
  const tick = market.tickSize;
  const slippageTicks = ORDER.marketSlippageTicks;
  const { sweep, price } = sweepMarket({ ...type, side, amount, tick, slippageTicks });
  // The other unit is converted by what the book asks: by the worst price accepted it would be a
  // multiple where prices are low.
  const given =
    side === 'buy'
      ? { side, usdc: usdcMicros(amount.unit === 'usdc' ? amount.micros : sweep.costMicros) }
      : { side, shares: shareMicros(amount.unit === 'shares' ? amount.micros : sweep.shares) };
  const amounts = marketAmounts({ price, tick, ...given });
  if (side === 'buy' && amounts.spendMicros < VENUE_A.marketBuyMinimumMicros) {
    throw new AppError(
      'amount_too_small',
      `a market buy is worth at least 1 USDC, not ${formatMicros(usdcMicros(amounts.spendMicros))}`,
      { fields: [{ path: '/amount', message: 'at least 1 USDC' }] },
    );
  }
  return { ...amounts, price, exact: 'spend' };
}
