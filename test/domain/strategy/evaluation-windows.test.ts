import { array, assert, constantFrom, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { STALENESS } from '../../../config/limits/market-data.ts';
import type { OutcomeIndex } from '../../../src/domain/market.ts';
import type { HeldRun } from '../../../src/domain/signal.ts';
import {
  EVALUATION_GAP_MAXIMUM_MS,
  EVALUATION_WINDOW_MS,
  foldRun,
  windowsHeld,
} from '../../../src/domain/strategy/evaluation-windows.ts';
import { inferenceStrike } from '../../../src/domain/strategy/inference-strike.ts';
import type { RoundJudge } from '../../../src/domain/strategy/round-judge.ts';
import { T0 } from '../../support/builders.ts';
import {
  aDownView,
  aPrediction,
  aPrice,
  aRoundView,
  observed,
} from '../../support/worlds/round-views.ts';

const ROUND = { startsAtMs: T0 };

/** Folds views given as [ms from the start of the round, direction held]. */
function runOf(...views: readonly (readonly [number, OutcomeIndex | null])[]): HeldRun | null {
  return views.reduce<HeldRun | null>(
    (run, [atMs, held]) => foldRun(run, { atMs: T0 + atMs }, held),
    null,
  );
}

/** Views a second apart, all holding for Up. */
const every = (fromMs: number, untilMs: number) =>
  Array.from(
    { length: Math.floor((untilMs - fromMs) / 1_000) + 1 },
    (_, index) => [fromMs + index * 1_000, 0] as const,
  );

describe('evaluation windows', () => {
  it('count when they lie whole inside an unbroken run: from their start, to their end', () => {
    expect(windowsHeld(runOf(...every(0, 9_000)), ROUND)).toBe(0);
    expect(windowsHeld(runOf(...every(0, 10_000)), ROUND)).toBe(1);
    expect(windowsHeld(runOf(...every(0, 30_000)), ROUND)).toBe(3);
    expect(windowsHeld(runOf(...every(1_000, 30_000)), ROUND)).toBe(2);
    expect(windowsHeld(runOf(...every(1_000, 40_000)), ROUND)).toBe(3);
  });

  it.each([
    ['the conditions fail once', [[15_500, null]]],
    ['the direction changes', [[15_500, 1]]],
  ] as const)('are counted anew when %s', (_case, between) => {
    expect(
      windowsHeld(runOf(...every(0, 15_000), ...between, ...every(16_000, 40_000)), ROUND),
    ).toBe(2);
  });

  it('lie 10 s apart and bear no gap beyond the age at which a price is absent', () => {
    expect([EVALUATION_WINDOW_MS, EVALUATION_GAP_MAXIMUM_MS]).toEqual([
      10_000,
      STALENESS.exchangeMs,
    ]);
  });

  it('are counted anew after a gap, which begins one step beyond the age at which a price is absent', () => {
    const last = 15_000 + EVALUATION_GAP_MAXIMUM_MS;
    expect(windowsHeld(runOf(...every(0, 15_000), ...every(last, 40_000)), ROUND)).toBe(4);
    expect(windowsHeld(runOf(...every(0, 15_000), ...every(last + 1, 40_001)), ROUND)).toBe(1);
  });

  it('do not change for a view seen twice or one from the past', () => {
    const run = runOf(...every(0, 20_000));
    expect(foldRun(run, { atMs: T0 + 20_000 }, 0)).toEqual(run);
    expect(foldRun(run, { atMs: T0 + 12_000 }, null)).toBe(run);
  });

  it('are none after a view without the conditions, though one of the same moment had them', () => {
    expect(foldRun(runOf(...every(0, 20_000)), { atMs: T0 + 20_000 }, null)).toBeNull();
  });

  it('never count more than the time that was watched', () => {
    assert(
      property(
        array(
          constantFrom<readonly [number, OutcomeIndex | null]>(
            [500, 0],
            [1_000, 0],
            [4_999, 0],
            [6_000, 0],
            [1_000, 1],
            [1_000, null],
          ),
          { minLength: 1, maxLength: 120 },
        ),
        integer({ min: 0, max: 20_000 }),
        (steps, startMs) => {
          let run: HeldRun | null = null;
          let atMs = startMs;
          for (const [step, held] of steps) {
            atMs += step;
            run = foldRun(run, { atMs: T0 + atMs }, held);
            expect(windowsHeld(run, ROUND) * EVALUATION_WINDOW_MS).toBeLessThanOrEqual(
              run === null ? 0 : run.untilMs - run.fromMs,
            );
            expect(run?.direction ?? null).toBe(held);
          }
        },
      ),
    );
  });
});

describe('the inference-network strike', () => {
  const view = (second: number) => aRoundView({ atMs: T0 + second * 1_000, volatility: 0.00001 });
  const shown = (judge: RoundJudge, from: number, until: number): RoundJudge => {
    let seen = judge;
    for (let second = from; second <= until; second += 1) seen = seen.after(view(second));
    return seen;
  };

  it('enters when its conditions have held through three whole windows, and one view before that not yet', () => {
    const judge = shown(inferenceStrike(), 0, 28);
    expect(judge.judge(view(29)).criteria.at(-1)).toEqual({
      name: 'evaluation windows in a row',
      value: '2',
      threshold: 'at least 3 of 10 s',
      passed: false,
    });
    expect(judge.after(view(29)).judge(view(30))).toMatchObject({ verdict: 'enter', outcome: 0 });
  });

  it('L9: begins to count anew after a restart, which leaves a fresh judge', () => {
    expect(shown(inferenceStrike(), 0, 60).judge(view(61)).verdict).toBe('enter');
    expect(shown(inferenceStrike(), 61, 99).judge(view(99)).verdict).toBe('skip');
    expect(shown(inferenceStrike(), 61, 99).judge(view(100)).verdict).toBe('enter');
  });

  it('counts for one direction at a time', () => {
    const turned = aDownView({ atMs: T0 + 40_000, volatility: 0.00001 });
    expect(shown(inferenceStrike(), 0, 39).judge(turned).criteria.at(-1)?.value).toBe('0');
  });

  it.each([
    ['has no oracle price (L8)', { oracle: null }],
    ['is too weak', { volatility: 0.0001 }],
    ['has exchange and oracle apart', { exchange: observed(aPrice(70_500)) }],
    ['has the network against it', { prediction: observed(aPrediction(70_000)) }],
  ])('begins to count anew after a view that %s', (_case, changes) => {
    const broken = shown(inferenceStrike(), 0, 39).after(
      aRoundView({ volatility: 0.00001, ...changes, atMs: T0 + 40_000 }),
    );
    expect(broken.judge(view(41)).criteria.at(-1)?.value).toBe('0');
  });

  it('L10: is a value: judging and seeing leave it as it was', () => {
    const judge = shown(inferenceStrike(), 0, 30);
    const first = judge.judge(view(31));
    judge.after(aRoundView({ atMs: T0 + 31_000, oracle: null }));
    expect(judge.judge(view(31))).toEqual(first);
  });
});
