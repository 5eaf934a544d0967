import { parseDecimal } from './units.ts';

/**
 * Reads a setting that is a number or decimal text, digit by digit: the shortest text of a number is what its sender wrote.
 * Null for NaN, infinity, exponents and what has more decimals.
 */
export function readDecimalSetting(raw: unknown, decimals: number): number | null {
  if (typeof raw === 'number') return parseDecimal(String(raw), decimals);
  return typeof raw === 'string' && raw.length <= 32 ? parseDecimal(raw, decimals) : null;
}
