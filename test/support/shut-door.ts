import type { BreakerState } from '../../src/domain/settlement-breaker.ts';
import { OPEN_DOOR, type DoorState } from '../../src/domain/venue-door.ts';

/** A door that has been shut as long as a breaker of settlements has been open, for the same pause; open where that is not. */
export function doorLike({ openedAtMs, coolMs, probe }: BreakerState): DoorState {
  return openedAtMs === null
    ? OPEN_DOOR
    : {
        kind: 'shut',
        sinceMs: openedAtMs,
        pausedAtMs: openedAtMs,
        pauseMs: coolMs,
        probe,
        heedsFromMs: openedAtMs,
        doubtMs: 0,
      };
}
