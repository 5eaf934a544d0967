import { parseDecimal } from '../../domain/units.ts';

/**
 * An integer scaled by 10^decimals from a JSON number, through its shortest decimal text: the discovery and data
 * interfaces send money as numbers (venue_a.md section 10). Further decimals are cut off. Null for negative numbers,
 * numbers with an exponent, or a result beyond the safe integers.
 */
export function scaledNumber(value: number, decimals: number): number | null {
  const text = String(value);
  const point = text.indexOf('.');
  return parseDecimal(point < 0 ? text : text.slice(0, point + 1 + decimals), decimals);
}

/** Micro-units of a JSON number. */
export function microsOfNumber(value: number): number | null {
  return scaledNumber(value, 6);
}
