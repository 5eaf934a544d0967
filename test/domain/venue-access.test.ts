import { array, assert, constantFrom, integer, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asId, type IntentId } from '../../src/domain/ids.ts';
import {
  afterAccessAnswer,
  afterAccessReading,
  accessAskAgainMs,
  accessClosedForMs,
  OPEN_ACCESS,
  withProbe,
  type AccessState,
  type ClosedAccess,
} from '../../src/domain/venue-access.ts';

const LIMITS = { coolFirstMs: 1_000, coolMaximumMs: 3_000, probeMs: 500, askEveryMs: 400 };
const [one, other] = [asId<IntentId>('int_1'), asId<IntentId>('int_2')];
const turnedAway = (intentId: IntentId, atMs: number) => ({ intentId, isTurnedAway: true, atMs });
const lookedAt = (intentId: IntentId, atMs: number) => ({ intentId, isTurnedAway: false, atMs });
const answered = (access: AccessState, answer: ReturnType<typeof turnedAway>) =>
  afterAccessAnswer(access, answer, LIMITS);
const reported = (access: AccessState, isBlocked: boolean, askedAtMs: number) =>
  afterAccessReading(access, { isBlocked, askedAtMs }, LIMITS);
const SHUT: ClosedAccess = {
  kind: 'shut',
  sinceMs: 0,
  pausedAtMs: 0,
  pauseMs: 1_000,
  probe: null,
  appliesFromMs: 0,
  doubtMs: 0,
};

describe('the access gate of a venue', () => {
  it('shuts at the first order that is turned away, and not at one that is looked at', () => {
    expect(answered(OPEN_ACCESS, turnedAway(one, 0))).toEqual(SHUT);
    expect(answered(OPEN_ACCESS, lookedAt(one, 0))).toBe(OPEN_ACCESS);
    expect([
      accessClosedForMs(SHUT, 400, LIMITS),
      accessClosedForMs(SHUT, 1_000, LIMITS),
      accessClosedForMs(OPEN_ACCESS, 0, LIMITS),
    ]).toEqual([600, 0, 0]);
  });

  it('follows no order but its probe: the others left before it shut', () => {
    expect(answered(SHUT, lookedAt(other, 10))).toBe(SHUT);
    expect(answered(SHUT, turnedAway(other, 10))).toBe(SHUT);
    const probing = withProbe(SHUT, one, 1_000);
    expect(answered(probing, turnedAway(other, 1_010))).toBe(probing);
    expect(accessClosedForMs(probing, 1_200, LIMITS)).toBe(300);
  });

  it('opens with a probe that is looked at, and doubles its pause, up to the longest, with each that is turned away', () => {
    expect(answered(withProbe(SHUT, one, 1_000), lookedAt(one, 1_010))).toBe(OPEN_ACCESS);
    const twice = answered(withProbe(SHUT, one, 1_000), turnedAway(one, 1_010));
    expect(twice).toEqual({ ...SHUT, pausedAtMs: 1_010, pauseMs: 2_000, appliesFromMs: 1_010 });
    expect(answered(withProbe(twice, other, 3_010), turnedAway(other, 3_020))).toMatchObject({
      sinceMs: 0,
      pauseMs: 3_000,
    });
  });

  it('opens by the statement of the venue that it takes orders, and stays open when the next one is looked at', () => {
    const promised = reported(SHUT, false, 500);
    expect(promised).toEqual({ kind: 'promised', doubtMs: 0 });
    expect([accessClosedForMs(promised, 500, LIMITS), withProbe(promised, one, 500)]).toEqual([
      0,
      promised,
    ]);
    expect(answered(promised, lookedAt(one, 510))).toBe(OPEN_ACCESS);
  });

  it('tries an order only after the longest pause while the venue says that it takes none', () => {
    const blocked = reported(SHUT, true, 500);
    expect([
      accessClosedForMs(blocked, 1_000, LIMITS),
      accessClosedForMs(blocked, 3_000, LIMITS),
    ]).toEqual([2_000, 0]);
    expect(reported(blocked, true, 600)).toBe(blocked);
    expect(reported(blocked, false, 700)).toEqual({ kind: 'promised', doubtMs: 0 });
  });

  it('is worth coming back to when the venue has been asked again and its word counts, or when an order is tried', () => {
    const blocked: ClosedAccess = { ...SHUT, pauseMs: 3_000 };
    expect([
      accessAskAgainMs(blocked, 500, LIMITS),
      accessAskAgainMs(blocked, 2_900, LIMITS),
    ]).toEqual([400, 100]);
    expect(accessAskAgainMs({ ...blocked, appliesFromMs: 1_000 }, 500, LIMITS)).toBe(900);
  });

  it('does not believe a word that was asked for before the last order was turned away', () => {
    const again = answered(withProbe(SHUT, one, 1_000), turnedAway(one, 1_010));
    expect(reported(again, false, 1_009)).toBe(again);
    expect(reported(again, false, 1_010).kind).toBe('promised');
  });

  it('puts the word in doubt, twice as long each time, when it was given and the next order turned away', () => {
    const first = answered(reported(SHUT, false, 500), turnedAway(one, 600));
    expect(first).toEqual({
      kind: 'shut',
      sinceMs: 600,
      pausedAtMs: 600,
      pauseMs: 1_000,
      probe: null,
      appliesFromMs: 1_600,
      doubtMs: 1_000,
    });
    expect(reported(first, false, 1_599)).toBe(first);
    const second = answered(reported(first, false, 1_600), turnedAway(other, 2_000));
    expect(second).toMatchObject({ appliesFromMs: 4_000, doubtMs: 2_000 });
    expect(answered(reported(second, false, 4_000), turnedAway(other, 5_000))).toMatchObject({
      appliesFromMs: 8_000,
      doubtMs: 3_000,
    });
    expect(answered(reported(first, false, 1_600), lookedAt(other, 2_000))).toBe(OPEN_ACCESS);
  });

  it('leaves an access gate alone that is not shut, whatever the venue says', () => {
    for (const access of [OPEN_ACCESS, reported(SHUT, false, 500)])
      expect([reported(access, true, 900), reported(access, false, 900)]).toEqual([access, access]);
  });

  it('never lets more than one order in a pause through to a venue that turns all away, whatever it says', () => {
    const happening = record({
      afterMs: integer({ min: 1, max: 700 }),
      says: constantFrom('blocked', 'open', 'nothing'),
    });
    assert(
      property(array(happening, { maxLength: 200 }), (happenings) => {
        let [access, nowMs, sent]: [AccessState, number, number] = [OPEN_ACCESS, 0, 0];
        for (const { afterMs, says } of happenings) {
          nowMs += afterMs;
          if (says !== 'nothing') access = reported(access, says === 'blocked', nowMs);
          if (accessClosedForMs(access, nowMs, LIMITS) > 0) continue;
          sent += 1;
          access = answered(withProbe(access, one, nowMs), turnedAway(one, nowMs));
        }
        // The word costs one order before it is in doubt.
        expect(sent).toBeLessThanOrEqual(2 + Math.ceil(nowMs / LIMITS.coolFirstMs));
      }),
    );
  });
});
