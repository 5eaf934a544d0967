import { isPlainDecimal, parseDecimal } from './units.ts';

/**
 * Reads a setting that is a number or decimal text, digit by digit: the shortest text of a number
 * is what its sender wrote. Null for NaN, infinity, what is no plain decimal (`isPlainDecimal`),
 * and what has more decimals.
 */
export function readDecimalSetting(raw: unknown, decimals: number): number | null {
  if (typeof raw !== 'number' && typeof raw !== 'string') return null;
  const text = String(raw);
  return text.length <= 32 && isPlainDecimal(text) ? parseDecimal(text, decimals) : null;
}
