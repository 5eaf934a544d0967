import { ORDER } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import type { OrderIntent } from '../../domain/order.ts';

/** What an order waited for before it was drafted, in ms of the markets' clock. */
export interface OrderWaits {
  /** Until the market was known. */
  readonly preparationMs: number;
  /** Until other trades of the user gave the lock back; 0 when it was free. */
  readonly lockMs: number;
  /** Of these, how many pass in one of the time the order's age is counted in: wall time for a person, the markets' for an agent. */
  readonly speed: number;
  /** How long an order is good for on its venue, ms in that time. */
  readonly goodForMs: number;
}

/**
 * Refuses what waited for so long that what it was decided by is no fact any more (L8), by what held it up for longest. Errors: `lock_busy`
 * when that were other trades of the user, else `preparation_timeout`; both retryable.
 */
export function assertFresh(
  { createdAtMs, sendUntilMs }: OrderIntent,
  { preparationMs, lockMs, speed, goodForMs }: OrderWaits,
): void {
  if (createdAtMs <= sendUntilMs) return;
  const seconds = (ms: number): string => (ms / speed / 1_000).toFixed(1);
  const good = `an order is good for ${goodForMs / 1_000} s, and nothing was sent`;
  const later = { retryable: true, retryAfterMs: ORDER.retryAfterMs };
  if (lockMs > preparationMs)
    throw new AppError(
      'lock_busy',
      `waited ${seconds(lockMs)} s for other trades of yours; ${good}`,
      later,
    );
  throw new AppError(
    'preparation_timeout',
    `reading the market took ${seconds(preparationMs)} s; ${good}`,
    later,
  );
}
