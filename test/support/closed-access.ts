import type { BreakerState } from '../../src/domain/settlement-breaker.ts';
import { OPEN_ACCESS, type AccessState } from '../../src/domain/venue-access.ts';

/**
 * An access gate that has been shut as long as a breaker of settlements has been open, for the same
 * pause; open where that is not.
 */
export function accessLike({ openedAtMs, coolMs, probe }: BreakerState): AccessState {
  return openedAtMs === null
    ? OPEN_ACCESS
    : {
        kind: 'shut',
        sinceMs: openedAtMs,
        pausedAtMs: openedAtMs,
        pauseMs: coolMs,
        probe,
        appliesFromMs: openedAtMs,
        doubtMs: 0,
      };
}
