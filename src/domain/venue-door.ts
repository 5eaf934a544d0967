import type { IntentId } from './ids.ts';
import type { BreakerLimits, BreakerState } from './settlement-breaker.ts';
import { CLOSED_BREAKER } from './settlement-breaker.ts';

/** How a venue met a submission: it looked at the order, whatever it made of it, or turned us away for where we are. */
export interface DoorAnswer {
  readonly intentId: IntentId;
  readonly isTurnedAway: boolean;
  readonly atMs: number;
}

/**
 * The breaker of a venue's door after one more answer. One refusal for where we are opens it, for the next order would meet the
 * same. While open only its probe counts, for the others left before: looked at, it closes the breaker; turned away, it doubles the pause.
 */
export function afterDoorAnswer(state: BreakerState, { intentId, isTurnedAway, atMs }: DoorAnswer, limits: Pick<BreakerLimits, 'coolFirstMs' | 'coolMaximumMs'>): BreakerState {
  if (state.openedAtMs === null) return isTurnedAway ? { counts: [], openedAtMs: atMs, coolMs: limits.coolFirstMs, probe: null } : state;
  if (state.probe?.intentId !== intentId) return state;
  return isTurnedAway ? { ...state, openedAtMs: atMs, coolMs: Math.min(state.coolMs * 2, limits.coolMaximumMs), probe: null } : CLOSED_BREAKER;
}
