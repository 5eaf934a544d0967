/**
 * Writes an amount in a token's smallest unit as the shortest decimal text: 1500000n with 6
 * decimals is "1.5".
 */
export function formatTokenAmount(raw: bigint, decimals: number): string {
  const digits = raw.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** Writes an amount that may be below zero in the same way: -20000n with 6 decimals is "-0.02". */
export function formatSignedAmount(raw: bigint, decimals: number): string {
  return raw < 0n ? `-${formatTokenAmount(-raw, decimals)}` : formatTokenAmount(raw, decimals);
}

/**
 * What an amount is worth in millionths of a dollar, rounded down. `priceE18`: dollars for one
 * whole token, times 10^18.
 */
export function worthMicros(raw: bigint, decimals: number, priceE18: bigint): bigint {
  return (raw * priceE18) / 10n ** BigInt(decimals + 12);
}
