import type { Decision } from '../agent.ts';
import type { HeldRun, JudgedView } from '../signal.ts';

/**
 * Judges the views of one round. A judge is a value: what it remembers of earlier views is inside
 * it and never changes, so the same judge and the same view always give the same decision (L10).
 * Who shows it views in their order of time keeps the judge that `after` gives; it is not stored,
 * so after a restart a strategy that counts begins to count anew.
 */
export interface RoundJudge {
  /** What it remembers, to make it again by (`judgeFor`); absent or null where nothing. */
  readonly memory?: HeldRun | null;
  judge(view: JudgedView): Decision;
  /** The judge that has seen this view as well; itself when there is nothing to remember. */
  after(view: JudgedView): RoundJudge;
}

/** A judge that looks at each view by itself. */
export function byEachView(judge: (view: JudgedView) => Decision): RoundJudge {
  const round: RoundJudge = { judge, after: () => round };
  return round;
}
