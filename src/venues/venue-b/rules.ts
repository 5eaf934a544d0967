import { ORDER } from '../../../config/limits.ts';
import { VENUE_B_TRAITS } from '../../../config/limits/venue-b.ts';
import { AppError } from '../../domain/errors.ts';
import { sweepMarket } from '../../domain/market-sweep.ts';
import type { OrderAmount, TradeSide } from '../../domain/order.ts';
import {
  MICROS_PER_UNIT,
  TICKS_PER_USD,
  formatDecimal,
  formatMicros,
  formatPrice,
  mulDiv,
  shareMicros,
  usdcMicros,
  type PriceTicks,
} from '../../domain/units.ts';
import type { HeldShares, OrderRules, OrderTerms, TermsQuestion } from '../../ports/order-rules.ts';
import { largestFee, publishedFee, withoutFee } from './fees.ts';
import { TICK } from './parse.ts';

type Question<Kind extends 'market' | 'limit'> = TermsQuestion & {
  readonly type: Extract<TermsQuestion['type'], { readonly kind: Kind }>;
};

/**
 * venue_b's rules: whole contracts at whole cents; a sum of money buys as many as it pays for, and
 * the rest comes back (venue_b.md section 9.4).
 */
export const venueBRules: OrderRules = {
  assertStep,
  terms: ({ type, ...question }) =>
    type.kind === 'market' ? marketTerms({ ...question, type }) : limitTerms({ ...question, type }),
  rest({ side, price, spendMicros, receiveMicros }, filled) {
    const left = wholeContracts((side === 'buy' ? receiveMicros : spendMicros) - filled.shares);
    return left <= 0 ? null : bySide(side, left, costOf(left, price));
  },
  // What trading costs comes on top of the price, inside the amounts that the venue quotes and
  // executes.
  worstFee: (_market, spendMicros, price) => usdcMicros(largestFee(spendMicros, price)),
  mostSetAside: (_market, amountUsdc) => amountUsdc,
  feeOf: (_market, legs) => usdcMicros(publishedFee(legs)),
};

/**
 * Money in cents, contracts whole; what is held may be named as it is shown, of which whole
 * contracts are sold.
 */
function assertStep({ unit, micros }: OrderAmount, held: HeldShares | null): void {
  const { shareStepMicros, cashStepMicros } = VENUE_B_TRAITS;
  if (micros % (unit === 'usdc' ? cashStepMicros : shareStepMicros) === 0) return;
  if (unit === 'usdc') throw offStep('must be in whole cents');
  if (held !== null && (micros === held.settled || micros === held.shares)) return;
  throw offStep('must be a number of whole contracts');
}

function limitTerms({ side, amount, type: { price } }: Question<'limit'>): OrderTerms {
  assertPrice(price);
  const { unit, micros } = amount;
  const contracts = wholeContracts(
    unit === 'shares'
      ? micros
      : mulDiv(side === 'buy' ? withoutFee(micros, price) : micros, TICKS_PER_USD, price, 'floor'),
  );
  assertSize(contracts, price, unit);
  return termsOf(side, contracts, price);
}

/**
 * A purchase for money is bounded by the money, its largest fee included, one of a number of
 * contracts by what that many cost at the worst price; neither needs the book to have it all, for
 * what is not to be had comes back.
 */
function marketTerms({ market, side, amount, type }: Question<'market'>): OrderTerms {
  const { sweep, price } = sweepMarket({
    ...type,
    side,
    amount,
    tick: market.tickSize,
    slippageTicks: ORDER.marketSlippageTicks,
  });
  if (side === 'buy' && amount.unit === 'usdc') {
    const spendMicros = withoutFee(amount.micros, price);
    const contracts = wholeContracts(mulDiv(spendMicros, TICKS_PER_USD, price, 'floor'));
    assertSize(contracts, price, amount.unit);
    return { price, spendMicros, receiveMicros: contracts, exact: 'spend' };
  }
  const contracts = wholeContracts(amount.unit === 'shares' ? amount.micros : sweep.shares);
  assertSize(contracts, price, amount.unit);
  return termsOf(side, contracts, price);
}

function termsOf(side: TradeSide, contracts: number, price: PriceTicks): OrderTerms {
  return {
    price,
    ...bySide(side, contracts, costOf(contracts, price)),
    exact: side === 'buy' ? 'receive' : 'spend',
  };
}

function bySide(
  side: TradeSide,
  contracts: number,
  usdc: number,
): Pick<OrderTerms, 'spendMicros' | 'receiveMicros'> {
  return side === 'buy'
    ? { spendMicros: usdc, receiveMicros: contracts }
    : { spendMicros: contracts, receiveMicros: usdc };
}

/** Returns the whole contracts in a number of micro-shares. */
export function wholeContracts(micros: number): number {
  return micros - (micros % MICROS_PER_UNIT);
}

/** Contracts are whole and prices have four decimals, so this is exact. */
function costOf(contracts: number, price: PriceTicks): number {
  return mulDiv(contracts, price, TICKS_PER_USD, 'floor');
}

function assertPrice(price: PriceTicks): void {
  const isInRange = price >= TICK && price <= TICKS_PER_USD - TICK;
  if (isInRange && price % TICK === 0) return;
  const message = 'must be whole cents from 0.01 to 0.99';
  throw new AppError(
    isInRange ? 'price_off_tick' : 'price_out_of_range',
    `the price ${message}, not ${formatPrice(price)}`,
    { fields: [{ path: '/price', message }] },
  );
}

function assertSize(contracts: number, price: PriceTicks, unit: OrderAmount['unit']): void {
  if (contracts > ORDER.sharesMaximumMicros) {
    const most = formatMicros(shareMicros(ORDER.sharesMaximumMicros));
    throw new AppError('invalid_request', `an order is for at most ${most} contracts`, {
      fields: [{ path: '/amount', message: 'more contracts than an order may be for' }],
    });
  }
  if (contracts >= MICROS_PER_UNIT) return;
  const message =
    unit === 'shares'
      ? 'at least one contract'
      : `at least one contract, which costs up to ${formatDecimal(price, 4)} USDC`;
  throw new AppError('size_too_small', `the amount must be ${message}`, {
    fields: [{ path: '/amount', message }],
  });
}

function offStep(message: string): AppError {
  return new AppError('amount_off_step', `the amount ${message}`, {
    fields: [{ path: '/amount', message }],
  });
}
