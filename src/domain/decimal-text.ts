/**
 * Writes a decimal of the outside world (plain digits, or with an exponent) in plain digits, at
 * most `decimals` of them behind the point, cut off; null for any other text.
 */
export function plainDecimal(value: string | number, decimals: number): string | null {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([-+]?)(\d{1,60})(?:\.(\d{0,80}))?(?:[eE]([-+]?\d{1,3}))?$/.exec(String(value)) ?? [];
  const shift = Number(exponent);
  if (whole === '' || Math.abs(shift) > EXPONENT_MAXIMUM) return null;
  const digits = `${'0'.repeat(EXPONENT_MAXIMUM)}${whole}${fraction}${'0'.repeat(EXPONENT_MAXIMUM)}`;
  const point = EXPONENT_MAXIMUM + whole.length + shift;
  const before = digits.slice(0, point).replace(/^0+(?=\d)/, '');
  const behind = digits.slice(point, point + decimals).replace(/0+$/, '');
  const text = behind === '' ? before : `${before}.${behind}`;
  return sign === '-' && /[1-9]/.test(text) ? `-${text}` : text;
}

/** Larger exponents are the figures of nothing here. */
const EXPONENT_MAXIMUM = 80;

/**
 * Reads plain digits as a whole number of units of 10^-`decimals`, digits beyond them cut off; null
 * where the text is no number of zero or more.
 */
export function scaledDecimal(text: string, decimals: number): bigint | null {
  const plain = plainDecimal(text, decimals);
  if (plain === null || plain.startsWith('-')) return null;
  const [whole = '0', fraction = ''] = plain.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}
