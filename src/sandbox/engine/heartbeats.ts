import type { Clock, Timer } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import { uuidFrom } from './settlement.ts';

/**
 * Silence after which the orders of a key are cancelled: ten seconds and five of slack (venue_a.md
 * section 7.1).
 */
export const HEARTBEAT_SILENCE_MS = 15_000;

/** What a beat is answered with: the next id, or the id that was expected. */
type HeartbeatAnswer = { readonly valid: boolean; readonly heartbeatId: string };

/** The venue's dead-man switch, one per API key. */
export interface Heartbeats {
  beat(owner: string, heartbeatId: string): HeartbeatAnswer;
  /** Stops all timers. */
  close(): void;
}

/** Makes the switch: armed by a key's first beat, it calls `lost` when the beats stop. */
export function createHeartbeats(
  clock: Clock,
  random: Random,
  lost: (owner: string) => void,
): Heartbeats {
  const armed = new Map<string, { readonly expected: string; readonly timer: Timer }>();
  return {
    beat(owner, heartbeatId) {
      const current = armed.get(owner);
      if (current !== undefined && current.expected !== heartbeatId)
        return { valid: false, heartbeatId: current.expected };
      if (current === undefined && heartbeatId !== '') return { valid: false, heartbeatId: '' };
      current?.timer.cancel();
      const timer = clock.after(HEARTBEAT_SILENCE_MS, () => {
        armed.delete(owner);
        lost(owner);
      });
      const next = uuidFrom(random);
      armed.set(owner, { expected: next, timer });
      return { valid: true, heartbeatId: next };
    },
    close() {
      for (const { timer } of armed.values()) timer.cancel();
      armed.clear();
    },
  };
}
