import type { OutcomeIndex } from '../market.ts';
import type { HeldRun, JudgedView } from '../signal.ts';

/**
 * Length of an evaluation window: 10 s, so that each holds ten reports of the settlement feed (one
 * a second), and three of them are a tenth of a 5-minute round: long enough that one jump of the
 * price does not pass for a signal.
 */
export const EVALUATION_WINDOW_MS = 10_000;
/**
 * After a longer silence between two views it is unknown whether the conditions held: the age at
 * which a price is absent (feeds.md section 5).
 */
export const EVALUATION_GAP_MAXIMUM_MS = 5_000;

/**
 * Takes one more view into the run: `held` is the direction its conditions hold for, null when they
 * do not. Another direction, a view without the conditions, and a gap end the run; a view from
 * before its newest one changes nothing.
 */
export function foldRun(
  run: HeldRun | null,
  view: Pick<JudgedView, 'atMs'>,
  held: OutcomeIndex | null,
): HeldRun | null {
  if (run !== null && view.atMs < run.untilMs) return run;
  if (held === null) return null;
  const goesOn =
    run !== null && run.direction === held && view.atMs - run.untilMs <= EVALUATION_GAP_MAXIMUM_MS;
  return { direction: held, fromMs: goesOn ? run.fromMs : view.atMs, untilMs: view.atMs };
}

/**
 * Evaluation windows that lie whole inside the run. They follow one another from the start of the
 * round.
 */
export function windowsHeld(
  run: HeldRun | null,
  { startsAtMs }: Pick<JudgedView, 'startsAtMs'>,
): number {
  if (run === null) return 0;
  const first = Math.ceil((run.fromMs - startsAtMs) / EVALUATION_WINDOW_MS);
  return Math.max(0, Math.floor((run.untilMs - startsAtMs) / EVALUATION_WINDOW_MS) - first);
}
