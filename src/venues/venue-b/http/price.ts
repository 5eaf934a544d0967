import { AppError } from '../../../domain/errors.ts';
import { parseDecimal, priceTicks, TICKS_PER_USD } from '../../../domain/units.ts';
import type { LimitPrice } from '../../../http/routes/order-request.ts';

const CENTS_PER_USD = 100;

/**
 * Reads a limit price in whole cents, 1 to 99. Errors: `price_off_tick` for one in dollars or with
 * parts of a cent, `price_out_of_range`.
 */
export function centsOf(text: string): LimitPrice {
  const fault = (code: 'price_off_tick' | 'price_out_of_range', message: string) =>
    new AppError(code, `price: ${message}`, { fields: [{ path: '/price', message }] });
  const cents = parseDecimal(text, 0);
  if (cents === null) {
    const meant = parseDecimal(text, 2);
    if (meant !== null && meant > 0 && meant < CENTS_PER_USD)
      throw fault('price_off_tick', `whole cents: ${meant}, not ${text}`);
    throw fault('price_off_tick', `whole cents from 1 to 99, not ${text}`);
  }
  if (cents < 1 || cents >= CENTS_PER_USD)
    throw fault('price_out_of_range', `whole cents from 1 to 99, not ${text}`);
  return { price: priceTicks(cents * (TICKS_PER_USD / CENTS_PER_USD)), cents };
}
