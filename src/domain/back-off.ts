/**
 * Doublings that are counted: 2^16 times the first wait is beyond every maximum, and larger powers
 * would not be finite.
 */
const DOUBLINGS_MAXIMUM = 16;

/** The wait after so many failures beyond the first, ms: doubled with each, up to a maximum. */
export function backOffMs(
  failures: number,
  { firstMs, maximumMs }: { readonly firstMs: number; readonly maximumMs: number },
): number {
  const doublings = Math.min(Math.max(failures, 0), DOUBLINGS_MAXIMUM);
  return Math.min(firstMs * 2 ** doublings, maximumMs);
}
