import { AppError } from '../../../src/domain/errors.ts';
import { sweepMarket } from '../../../src/domain/market-sweep.ts';
import {
  costMicros,
  MICROS_PER_UNIT,
  TICKS_PER_USD,
  usdcMicros,
} from '../../../src/domain/units.ts';
import type { VenueTraits } from '../../../src/domain/venue.ts';
import { FEE_PERCENT, SMALLEST_SHARES } from './exchange.ts';
import type { OrderRules, OrderTerms, TermsQuestion } from '../../../src/ports/order-rules.ts';

/**
 * How long the bytes of an order are good after they were signed, ms: what has not arrived by then
 * never lands.
 */
export const GOOD_FOR_MS = 2_000;

/** What is true of every order at the example venue. */
export const EXAMPLE_TRAITS: VenueTraits = {
  lives: ['all_now', 'part_now', 'rests'],
  restsAt: 'venue',
  sendWindowMs: 8_000,
  submitTimeoutMs: 1_000,
  attemptsMaximum: 3,
  absenceFinalAfterMs: null,
  heldMaximumMs: null,
  endsEarlyMs: 0,
  shareStepMicros: MICROS_PER_UNIT,
  cashStepMicros: 10_000,
  fillStepMicros: 1,
  dustShareMicros: 0,
  dustCashMicros: 0,
  networkCostMicros: 3_000,
};

/**
 * An order is for a number of whole shares at a price in whole cents; money buys as many as it pays
 * for at the worst price.
 */
export const EXAMPLE_RULES: OrderRules = {
  assertStep({ unit, micros }) {
    const { shareStepMicros, cashStepMicros } = EXAMPLE_TRAITS;
    if (micros % (unit === 'usdc' ? cashStepMicros : shareStepMicros) === 0) return;
    throw refusal(
      'amount_off_step',
      `the amount is in whole ${unit === 'usdc' ? 'cents' : 'shares'}`,
    );
  },
  terms(question) {
    const { market, side, amount } = question;
    const price = priceOf(question);
    if (price % market.tickSize !== 0)
      throw refusal('price_off_tick', 'the price is in whole cents');
    const shares =
      amount.unit === 'shares'
        ? amount.micros
        : Math.floor((amount.micros * TICKS_PER_USD) / price / MICROS_PER_UNIT) * MICROS_PER_UNIT;
    if (shares < market.minSize)
      throw refusal('size_too_small', 'fewer shares than the market takes');
    const usdc = (shares * price) / TICKS_PER_USD;
    const terms: Pick<OrderTerms, 'spendMicros' | 'receiveMicros' | 'exact'> =
      side === 'buy'
        ? { spendMicros: usdc, receiveMicros: shares, exact: 'receive' }
        : { spendMicros: shares, receiveMicros: usdc, exact: 'spend' };
    return { price, ...terms };
  },
  rest({ side, price, spendMicros, receiveMicros }, filled) {
    const shares = (side === 'buy' ? receiveMicros : spendMicros) - filled.shares;
    if (shares < SMALLEST_SHARES * MICROS_PER_UNIT) return null;
    const usdc = (shares * price) / TICKS_PER_USD;
    return side === 'buy'
      ? { spendMicros: usdc, receiveMicros: shares }
      : { spendMicros: shares, receiveMicros: usdc };
  },
  // What a purchase costs beside its price is kept in shares.
  worstFee: () => usdcMicros(0),
  mostSetAside: (_market, amountUsdc) => amountUsdc,
  // Every trade states its fee: this is what it is worth, for estimates.
  feeOf: (_market, legs) =>
    usdcMicros(
      legs.reduce(
        (sum, { shares, price }) =>
          sum + Math.floor((costMicros(shares, price, 'floor') * FEE_PERCENT) / 100),
        0,
      ),
    ),
};

function priceOf({ market, side, amount, type }: TermsQuestion): OrderTerms['price'] {
  if (type.kind === 'limit') return type.price;
  return sweepMarket({ ...type, side, amount, tick: market.tickSize, slippageTicks: 0 }).price;
}

function refusal(
  code: 'amount_off_step' | 'price_off_tick' | 'size_too_small',
  message: string,
): AppError {
  return new AppError(code, message, { fields: [{ path: '/amount', message }] });
}
