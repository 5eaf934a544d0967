import type { OutcomeIndex } from '../market.ts';
import type { HeldRun, JudgedView } from '../signal.ts';
import { EVALUATION_WINDOW_MS, foldRun, windowsHeld } from './evaluation-windows.ts';
import { fiveMinSignal } from './five-min-signal.ts';
import { FIVE_MIN_LIMIT_WINDOW } from './limit-60.ts';
import type { RoundJudge } from './round-judge.ts';
import { enterWhenAll, percentOf, windowCriterion } from './terms.ts';

/** Signal strength needed for entry: 80 percent (spec.md, BTC 5-minute strategies). */
const INFERENCE_STRIKE_STRENGTH_MINIMUM = 0.8;
/** Evaluation windows in a row through which the conditions have to hold (same place). */
const INFERENCE_STRIKE_WINDOWS = 3;

/** The rule of `inferenceStrike` for people. */
export const INFERENCE_STRIKE_RULE = `Buys the side to which the exchange price has moved since the round began, when its signal strength has been ${percentOf(INFERENCE_STRIKE_STRENGTH_MINIMUM, 'down')} or more and the prediction has pointed the same way through ${INFERENCE_STRIKE_WINDOWS} evaluation windows of ${EVALUATION_WINDOW_MS / 1_000} s in a row.`;

/**
 * Judges a BTC 5-minute round by the spec's inference-network strike: bids 60 cents for the
 * direction of the exchange move when its signal strength is at least 80 percent and the inference
 * network agrees, both without a break through three whole evaluation windows, and now. `run` is
 * the stretch so far; a fresh judge has none. Words: `terms.ts`.
 */
export function inferenceStrike(run: HeldRun | null = null): RoundJudge {
  return {
    memory: run,
    judge(view) {
      const signal = fiveMinSignal(view, FIVE_MIN_LIMIT_WINDOW, INFERENCE_STRIKE_STRENGTH_MINIMUM);
      if (signal.kind === 'none') return signal.decision;
      const windows = windowsHeld(foldRun(run, view, heldFor(view)), view);
      return enterWhenAll(signal.direction, [
        windowCriterion(view, FIVE_MIN_LIMIT_WINDOW),
        ...signal.criteria,
        {
          name: 'evaluation windows in a row',
          value: String(windows),
          threshold: `at least ${INFERENCE_STRIKE_WINDOWS} of ${EVALUATION_WINDOW_MS / 1_000} s`,
          passed: windows >= INFERENCE_STRIKE_WINDOWS,
        },
      ]);
    },
    after: (view) => inferenceStrike(foldRun(run, view, heldFor(view))),
  };
}

/**
 * Direction the strike's conditions hold for in this view; null when one fails or is unknown.
 */
function heldFor(view: JudgedView): OutcomeIndex | null {
  const signal = fiveMinSignal(view, FIVE_MIN_LIMIT_WINDOW, INFERENCE_STRIKE_STRENGTH_MINIMUM);
  return signal.kind === 'signal' && signal.criteria.every(({ passed }) => passed)
    ? signal.direction
    : null;
}
