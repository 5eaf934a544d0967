import { describe, expect, it } from 'vitest';
import type { IntentId } from '../../src/domain/ids.ts';
import { asId } from '../../src/domain/ids.ts';
import { CLOSED_BREAKER, shutForMs, withEntry } from '../../src/domain/settlement-breaker.ts';
import { afterDoorAnswer } from '../../src/domain/venue-door.ts';

const LIMITS = { coolFirstMs: 1_000, coolMaximumMs: 3_000, probeMs: 500 };
const [one, other] = [asId<IntentId>('int_1'), asId<IntentId>('int_2')];
const turnedAway = (intentId: IntentId, atMs: number) => ({ intentId, isTurnedAway: true, atMs });
const lookedAt = (intentId: IntentId, atMs: number) => ({ intentId, isTurnedAway: false, atMs });
const shut = afterDoorAnswer(CLOSED_BREAKER, turnedAway(one, 0), LIMITS);

describe('the door of a venue', () => {
  it('shuts at the first order that is turned away, and not at one that is looked at', () => {
    expect(shut).toEqual({ counts: [], openedAtMs: 0, coolMs: 1_000, probe: null });
    expect(afterDoorAnswer(CLOSED_BREAKER, lookedAt(one, 0), LIMITS)).toBe(CLOSED_BREAKER);
    expect([shutForMs(shut, 400, LIMITS), shutForMs(shut, 1_000, LIMITS)]).toEqual([600, 0]);
  });

  it('heeds nobody but its probe: the others left before it shut', () => {
    expect(afterDoorAnswer(shut, lookedAt(other, 10), LIMITS)).toBe(shut);
    expect(afterDoorAnswer(shut, turnedAway(other, 10), LIMITS)).toBe(shut);
    const probing = withEntry(shut, one, 1_000);
    expect(afterDoorAnswer(probing, turnedAway(other, 1_010), LIMITS)).toBe(probing);
    expect(shutForMs(probing, 1_200, LIMITS)).toBe(300);
  });

  it('opens with a probe that is looked at, and doubles its pause, up to the longest, with each that is turned away', () => {
    expect(afterDoorAnswer(withEntry(shut, one, 1_000), lookedAt(one, 1_010), LIMITS)).toBe(CLOSED_BREAKER);
    const twice = afterDoorAnswer(withEntry(shut, one, 1_000), turnedAway(one, 1_010), LIMITS);
    expect(twice).toEqual({ counts: [], openedAtMs: 1_010, coolMs: 2_000, probe: null });
    expect(afterDoorAnswer(withEntry(twice, other, 3_010), turnedAway(other, 3_020), LIMITS).coolMs).toBe(3_000);
  });
});
