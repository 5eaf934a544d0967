import { ORDER } from '../../../config/limits.ts';
import { VENUE_C_TRAITS } from '../../../config/limits/venue-c.ts';
import { AppError } from '../../domain/errors.ts';
import { sweepMarket } from '../../domain/market-sweep.ts';
import type { OrderAmount, TradeSide } from '../../domain/order.ts';
import {
  TICKS_PER_USD,
  costMicros,
  formatDecimal,
  formatMicros,
  formatPrice,
  shareMicros,
  type PriceTicks,
} from '../../domain/units.ts';
import type { HeldShares, OrderTerms, TermsQuestion } from '../../ports/order-rules.ts';

/** What orders at a book and trades with a pool have in common. */

/** Worst price; `offered` is what a sale for a sum of money has to give by the book, else null. */
export function pricedBy(
  { market, side, amount, type }: TermsQuestion,
  slippageTicks: number,
): { readonly price: PriceTicks; readonly offered: number | null } {
  if (type.kind === 'limit') return { price: type.price, offered: null };
  const tick = market.tickSize;
  const { sweep, price } = sweepMarket({ ...type, side, amount, tick, slippageTicks });
  return { price, offered: side === 'sell' ? sweep.shares : null };
}

/** Returns what is given at most and had at least for so many shares at a price. */
export function bySide(
  side: TradeSide,
  shares: number,
  price: PriceTicks,
): Pick<OrderTerms, 'spendMicros' | 'receiveMicros'> {
  return side === 'buy'
    ? { spendMicros: costMicros(shareMicros(shares), price, 'ceil'), receiveMicros: shares }
    : { spendMicros: shares, receiveMicros: costMicros(shareMicros(shares), price, 'floor') };
}

/** Refuses parts of a cent and of a thousandth of a share. Errors: `amount_off_step`. */
export function assertStep({ unit, micros }: OrderAmount, held: HeldShares | null): void {
  const { shareStepMicros, cashStepMicros } = VENUE_C_TRAITS;
  if (micros % (unit === 'usdc' ? cashStepMicros : shareStepMicros) === 0) return;
  if (unit === 'usdc') throw offStep('must be in whole cents');
  if (held !== null && (micros === held.settled || micros === held.shares)) return;
  throw offStep(
    held === null
      ? 'must have at most three decimals: shares are traded in thousandths'
      : `must have at most three decimals, for shares are traded in thousandths, or be the ${formatMicros(held.shares)} you hold`,
  );
}

/** Errors: `price_off_tick`, `price_out_of_range`. */
export function assertPrice(price: PriceTicks, tick: PriceTicks): void {
  const isInRange = price >= tick && price <= TICKS_PER_USD - tick;
  if (isInRange && price % tick === 0) return;
  const wanted = `a multiple of ${formatPrice(tick)} between ${formatPrice(tick)} and ${formatDecimal(TICKS_PER_USD - tick, 4)}`;
  throw new AppError(
    isInRange ? 'price_off_tick' : 'price_out_of_range',
    `the price must be ${wanted}, not ${formatPrice(price)}`,
    { fields: [{ path: '/price', message: `must be ${wanted}` }] },
  );
}

/** Errors: `invalid_request` for more shares than any order may be for. */
export function assertNotTooMany(shares: number): void {
  if (shares <= ORDER.sharesMaximumMicros) return;
  throw new AppError(
    'invalid_request',
    `an order is for at most ${formatMicros(shareMicros(ORDER.sharesMaximumMicros))} shares`,
    { fields: [{ path: '/amount', message: 'more shares than an order may be for' }] },
  );
}

function offStep(message: string): AppError {
  return new AppError('amount_off_step', `the amount ${message}`, {
    fields: [{ path: '/amount', message }],
  });
}
