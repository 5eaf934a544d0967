import { VENUE_B_MAINTENANCE } from '../../../config/limits/venue-b.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../ports/clock.ts';

const HOUR_MS = 3_600_000;

/**
 * Creates the gate of purchases in the weekly hours in which the exchange behind the venue clears:
 * what is bought then comes back at best (venue_b.md section 9.4).
 */
export function maintenanceGate({
  keepsHours,
  clock,
}: {
  /** False where the venue keeps no such hours. */
  readonly keepsHours: boolean;
  /** Market time. */
  readonly clock: Clock;
}): () => void {
  const { weekday, fromHour, toHour, zone } = VENUE_B_MAINTENANCE;
  const words = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    hourCycle: 'h23',
  });
  return () => {
    if (!keepsHours) return;
    const nowMs = clock.nowMs();
    const parts = new Map(words.formatToParts(nowMs).map(({ type, value }) => [type, value]));
    const hour = Number(parts.get('hour'));
    if (parts.get('weekday') !== weekday || hour < fromHour || hour >= toHour) return;
    throw new AppError(
      'market_not_ready',
      `nothing is bought at this venue on Thursdays from ${fromHour} to ${toHour} o'clock in New York, while it clears; sales and redemptions go on`,
      { retryable: true, retryAfterMs: (toHour - hour) * HOUR_MS - (nowMs % HOUR_MS) },
    );
  };
}
