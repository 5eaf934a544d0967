import { assetPriceE8, type AssetPriceE8 } from '../../domain/units.ts';

const DECIMALS = 8;
/** Digits before the point of the largest asset price that is a safe integer. */
const WHOLE_DIGITS_MAXIMUM = 8;

/**
 * Reads decimal text such as "78788.525642908795142144" digit by digit; digits beyond the eighth
 * decimal are cut off, so order is kept. Null for anything else: signs, exponents, blanks, zero, or
 * more than a safe integer holds.
 */
export function assetPriceFromDecimal(text: string): AssetPriceE8 | null {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text);
  if (match === null) return null;
  const whole = (match[1] ?? '').replace(/^0+(?=\d)/, '');
  if (whole.length > WHOLE_DIGITS_MAXIMUM) return null;
  const fraction = (match[2] ?? '').slice(0, DECIMALS).padEnd(DECIMALS, '0');
  return positive(Number(whole + fraction));
}

/**
 * Reads an integer scaled by 10^decimals (`decimals` at least 8); digits beyond the eighth decimal
 * are cut off. Null when not positive or too large.
 */
export function assetPriceFromScaled(value: bigint, decimals: number): AssetPriceE8 | null {
  return positive(Number(value / 10n ** BigInt(decimals - DECIMALS)));
}

function positive(value: number): AssetPriceE8 | null {
  return Number.isSafeInteger(value) && value > 0 ? assetPriceE8(value) : null;
}
