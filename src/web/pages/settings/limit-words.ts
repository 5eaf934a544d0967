/** Limits that users set for themselves. */
export type LimitField = 'maxOrderSize' | 'maxTotalExposure' | 'maxOpenPositions' | 'maxDailyLoss';

/** Below this, dollars, venues that take orders in dollars take none. */
const LEAST_ORDER = 1;

/**
 * Says of a limit as it is typed that nothing could be bought under it, or hardly anything; null of
 * one that leaves room, and of what is no number.
 */
export function limitWarning(field: LimitField, text: string): string | null {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0)) return null;
  if (field === 'maxOpenPositions')
    return value === 0 ? 'With 0 nothing can be bought, by you or your agents.' : null;
  if (value < 0.01) return 'No order is this small: nothing can be bought, by you or your agents.';
  return value < LEAST_ORDER
    ? 'Most orders are of $1 and more: hardly anything can be bought, by you or your agents.'
    : null;
}
