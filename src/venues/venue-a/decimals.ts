import { parseDecimal } from '../../domain/units.ts';

/**
 * An integer scaled by 10^decimals from a JSON number, through its shortest decimal text: the
 * discovery and data interfaces send money as numbers (venue_a.md section 10). Further decimals are
 * cut off. Null for negative numbers, numbers with an exponent, or a result beyond the safe
 * integers.
 */
export function scaledNumber(value: number, decimals: number): number | null {
  const text = String(value);
  const point = text.indexOf('.');
  return parseDecimal(point < 0 ? text : text.slice(0, point + 1 + decimals), decimals);
}

/** Seconds up to the year 5138; more are thousandths. */
const SECONDS_BELOW = 100_000_000_000;

/**
 * Epoch ms of a time in seconds or in ms: both have been seen of the same field (venue_a.md section
 * 9.4).
 */
export function msOfTimestamp(value: number): number {
  return value < SECONDS_BELOW ? value * 1_000 : value;
}

/** Micro-units of a JSON number. */
export function microsOfNumber(value: number): number | null {
  return scaledNumber(value, 6);
}
