import { formatPrice, parsePrice, priceTicks, TICKS_PER_USD } from '../../../domain/units.ts';
import { cents } from '../../format/money.ts';

/** Two digits before the point and two behind it: what a price in cents can be written in. */
const IN_CENTS = /^(\d{1,2})(?:\.(\d{0,2}))?$/;
const DIGITS = /^\d+\.?\d*$/;

/**
 * Says why what was typed is no limit price, in cents, in a sentence for its field; null for one
 * that is, and for nothing typed yet. `tickSize` is the least step of the market's prices, USD.
 */
export function priceFault(typed: string, tickSize: string): string | null {
  const text = typed.trim();
  if (text === '') return null;
  const lowest = parsePrice(tickSize);
  // of a market that states no step the daemon says what is wrong
  if (lowest === null || lowest === 0) return null;
  const highest = priceTicks(TICKS_PER_USD - lowest);
  const range = `from ${cents(tickSize)} to ${cents(formatPrice(highest))}`;
  if (!DIGITS.test(text)) return `Write the price in digits, ${range}.`;
  const [, whole = '', decimals = ''] = IN_CENTS.exec(text) ?? [];
  const ticks = Number(`${whole}${decimals.padEnd(2, '0')}`);
  if (whole === '' && Number(text) > 0 && Number(text) < 100)
    return 'A price in cents has at most two decimals.';
  return ticks < lowest || ticks > highest ? `A price here is ${range}.` : null;
}
