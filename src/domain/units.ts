/**
 * Integers with a unit, parsed digit by digit at the edge and never held as floats (design.md
 * section 3). Every unit is a safe integer: micros reach 9 007 199 254 USD in one account, which
 * `assertSafe` guards.
 */
declare const unit: unique symbol;
type Unit<Base, Name extends string> = Base & { readonly [unit]: Name };

/** Price of one outcome share in ticks of 0.0001 USD: an integer from 1 to 9_999. */
export type PriceTicks = Unit<number, 'PriceTicks'>;
/** USDC in millionths: a safe integer, negative where money flows out. */
export type UsdcMicros = Unit<number, 'UsdcMicros'>;
/** Outcome shares in millionths: a safe integer. */
export type ShareMicros = Unit<number, 'ShareMicros'>;
/**
 * Reference price of a crypto asset in USD times 10^8: a safe integer (BTC at 90 million USD still
 * fits).
 */
export type AssetPriceE8 = Unit<number, 'AssetPriceE8'>;

/** Price ticks in one USD. */
export const TICKS_PER_USD = 10_000;
/** Micro-units in one USDC or one share. */
export const MICROS_PER_UNIT = 1_000_000;

/**
 * Brands an integer that is known to be in range; throws a RangeError when it is not an integer
 * from 1 to 9 999.
 */
export function priceTicks(value: number): PriceTicks {
  if (!Number.isInteger(value) || value < 1 || value >= TICKS_PER_USD)
    throw new RangeError(`not a price in ticks: ${value}`);
  return value as PriceTicks; // the check above guarantees the range
}

/** Brands a safe integer as USDC micros; throws a RangeError otherwise. */
export function usdcMicros(value: number): UsdcMicros {
  return assertSafe(value) as UsdcMicros; // the check guarantees a safe integer
}

/** Brands a safe integer as share micros; throws a RangeError otherwise. */
export function shareMicros(value: number): ShareMicros {
  return assertSafe(value) as ShareMicros; // the check guarantees a safe integer
}

/** Brands a positive safe integer as an asset price times 10^8; throws a RangeError otherwise. */
export function assetPriceE8(value: number): AssetPriceE8 {
  if (assertSafe(value) <= 0) throw new RangeError(`not an asset price: ${value}`);
  return value as AssetPriceE8; // the check guarantees a positive safe integer
}

function assertSafe(value: number): number {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a safe integer: ${value}`);
  return value === 0 ? 0 : value;
}

/**
 * Reads unsigned decimal text such as "0.47" into an integer scaled by 10^decimals, digit by digit.
 * Gives null for anything else: signs, exponents, blanks, two points, no digits, more significant
 * decimals than `decimals` (trailing zeros are fine), or a result beyond the safe integers.
 */
export function parseDecimal(text: string, decimals: number): number | null {
  let value = 0;
  let seenPoint = false;
  let seenDigit = false;
  let fraction = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 46) {
      if (seenPoint) return null;
      seenPoint = true;
      continue;
    }
    const digit = code - 48;
    if (digit < 0 || digit > 9) return null;
    seenDigit = true;
    if (seenPoint) {
      if (fraction === decimals) {
        if (digit !== 0) return null;
        continue;
      }
      fraction += 1;
    }
    value = value * 10 + digit;
    if (value > Number.MAX_SAFE_INTEGER) return null;
  }
  if (!seenDigit) return null;
  for (; fraction < decimals; fraction += 1) {
    value *= 10;
    if (value > Number.MAX_SAFE_INTEGER) return null;
  }
  return value;
}

/**
 * Whether a text is a decimal as people write one: `0`, `5`, `0.5`, `5.25`, no `05`, `5.` or `.5`,
 * sign or exponent.
 */
export function isPlainDecimal(text: string): boolean {
  return /^(0|[1-9]\d*)(\.\d+)?$/.test(text);
}

/** Character code of 0. */
const ZERO_DIGIT = 48;

/**
 * Writes an integer scaled by 10^decimals as the shortest decimal text: 470000 with 6 decimals is
 * "0.47".
 */
export function formatDecimal(value: number, decimals: number): string {
  const sign = value < 0 ? '-' : '';
  const digits = String(Math.abs(value)).padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  let end = digits.length;
  while (end > point && digits.charCodeAt(end - 1) === ZERO_DIGIT) end -= 1;
  return end === point
    ? sign + digits.slice(0, point)
    : `${sign}${digits.slice(0, point)}.${digits.slice(point, end)}`;
}

/**
 * Reads a price such as "0.47"; null when it is not decimal text from 0.0001 to 0.9999 with at most
 * four decimals.
 */
export function parsePrice(text: string): PriceTicks | null {
  const value = parseDecimal(text, 4);
  return value === null || value < 1 || value >= TICKS_PER_USD ? null : priceTicks(value);
}

/** Reads unsigned USDC text with at most six decimals; null when it is not. */
export function parseUsdc(text: string): UsdcMicros | null {
  const value = parseDecimal(text, 6);
  return value === null ? null : usdcMicros(value);
}

/** Reads unsigned share text with at most six decimals; null when it is not. */
export function parseShares(text: string): ShareMicros | null {
  const value = parseDecimal(text, 6);
  return value === null ? null : shareMicros(value);
}

/** Writes a price as decimal text: 4700 is "0.47". */
export function formatPrice(price: PriceTicks): string {
  return formatDecimal(price, 4);
}

/** Writes USDC or shares as decimal text: 1500000 is "1.5". */
export function formatMicros(micros: UsdcMicros | ShareMicros): string {
  return formatDecimal(micros, 6);
}

/** Writes an asset price as decimal text. */
export function formatAssetPrice(price: AssetPriceE8): string {
  return formatDecimal(price, 8);
}

/**
 * USDC for `shares` at `price`, rounded down (`floor`) or up (`ceil`) to whole micros. Exact: the
 * product goes through bigint.
 */
export function costMicros(
  shares: ShareMicros,
  price: PriceTicks,
  rounding: 'floor' | 'ceil',
): UsdcMicros {
  return usdcMicros(mulDiv(shares, price, TICKS_PER_USD, rounding));
}

/** Shares bought with `amount` at `price`, rounded down to whole micros. */
export function sharesFor(amount: UsdcMicros, price: PriceTicks): ShareMicros {
  return shareMicros(mulDiv(amount, TICKS_PER_USD, price, 'floor'));
}

/** a × b ÷ c for non-negative integers without losing a digit. */
export function mulDiv(a: number, b: number, c: number, rounding: 'floor' | 'ceil'): number {
  const product = a * b;
  if (Number.isSafeInteger(product)) {
    const rest = product % c;
    const quotient = (product - rest) / c;
    return rest !== 0 && rounding === 'ceil' ? quotient + 1 : quotient;
  }
  const exact = BigInt(a) * BigInt(b);
  const divisor = BigInt(c);
  const quotient = exact / divisor;
  return Number(rounding === 'ceil' && exact % divisor !== 0n ? quotient + 1n : quotient);
}
