import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asId, type IntentId } from '../../src/domain/ids.ts';
import {
  afterSettlement,
  CLOSED_BREAKER,
  shutForMs,
  withEntry,
  type BreakerLimits,
  type BreakerState,
} from '../../src/domain/settlement-breaker.ts';

const LIMITS: BreakerLimits = {
  windowMs: 600_000,
  stepMs: 60_000,
  failures: 3,
  shareMicros: 500_000,
  coolFirstMs: 60_000,
  coolMaximumMs: 240_000,
  probeMs: 180_000,
};
const id = (name: string) => asId<IntentId>(`int_${name}`);
const failed = (state: BreakerState, atMs: number, name = 'x') =>
  afterSettlement(state, { intentId: id(name), hasFailed: true, atMs }, LIMITS);
const settled = (state: BreakerState, atMs: number, name = 'x') =>
  afterSettlement(state, { intentId: id(name), hasFailed: false, atMs }, LIMITS);
const broken = failed(failed(failed(CLOSED_BREAKER, 1_000), 2_000), 3_000);

describe('the settlement breaker', () => {
  it('opens at the last failure it takes, and not before', () => {
    const nearly = failed(failed(CLOSED_BREAKER, 1_000), 2_000);
    expect(nearly.openedAtMs).toBeNull();
    expect(failed(nearly, 3_000)).toEqual({
      counts: [],
      openedAtMs: 3_000,
      coolMs: 60_000,
      probe: null,
    });
  });

  it('stays closed while as many as it takes are few among all', () => {
    let state = CLOSED_BREAKER;
    for (let index = 0; index < 4; index += 1) state = settled(state, index);
    expect(failed(failed(failed(state, 5), 6), 7).openedAtMs).toBeNull();
    expect(failed(failed(failed(failed(state, 5), 6), 7), 8).openedAtMs).toBe(8);
  });

  it('forgets what is older than its window', () => {
    const two = failed(failed(CLOSED_BREAKER, 1_000), 2_000);
    expect(failed(two, 600_000).openedAtMs).toBeNull();
    expect(failed(two, 599_999).openedAtMs).toBe(599_999);
  });

  it('lets one entry through after the pause, and a second only when the first has shown nothing for long', () => {
    expect([
      shutForMs(CLOSED_BREAKER, 0, LIMITS),
      shutForMs(broken, 3_000, LIMITS),
      shutForMs(broken, 62_999, LIMITS),
      shutForMs(broken, 63_000, LIMITS),
    ]).toEqual([0, 60_000, 1, 0]);
    const probing = withEntry(broken, id('probe'), 63_000);
    expect([shutForMs(probing, 63_000, LIMITS), shutForMs(probing, 243_000, LIMITS)]).toEqual([
      180_000, 0,
    ]);
    expect(withEntry(CLOSED_BREAKER, id('any'), 1)).toBe(CLOSED_BREAKER);
  });

  it('closes with a clean sheet when its probe settles, whatever trades of before say', () => {
    const probing = withEntry(broken, id('probe'), 63_000);
    expect(failed(settled(probing, 64_000, 'old'), 65_000, 'old')).toEqual(probing);
    expect(failed(settled(broken, 4_000, 'old'), 5_000, 'old')).toEqual(broken);
    expect(settled(probing, 66_000, 'probe')).toEqual(CLOSED_BREAKER);
  });

  it('doubles its pause with each probe that fails, up to a bound', () => {
    let state = broken;
    const pauses: number[] = [];
    for (let round = 1; round <= 4; round += 1) {
      state = failed(
        withEntry(state, id('probe'), round * 1_000_000),
        round * 1_000_000 + 1,
        'probe',
      );
      pauses.push(state.coolMs);
    }
    expect(pauses).toEqual([120_000, 240_000, 240_000, 240_000]);
  });

  it('keeps a bounded memory and never opens without enough failures in its window', () => {
    const step = fc.record({
      hasFailed: fc.boolean(),
      afterMs: fc.integer({ min: 0, max: 200_000 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        let state = CLOSED_BREAKER;
        let atMs = 0;
        const failures: number[] = [];
        for (const { hasFailed, afterMs } of steps) {
          atMs += afterMs;
          if (hasFailed) failures.push(atMs);
          state = afterSettlement(state, { intentId: id('x'), hasFailed, atMs }, LIMITS);
          expect(state.counts.length).toBeLessThanOrEqual(11);
          if (state.openedAtMs === null) continue;
          expect(
            failures.filter((failedAtMs) => failedAtMs > atMs - LIMITS.windowMs - LIMITS.stepMs)
              .length,
          ).toBeGreaterThanOrEqual(LIMITS.failures);
          return;
        }
      }),
    );
  });
});
