import type { Assessment } from '../domain/farming/assessment.ts';

/**
 * What an assessor is asked about. Texts are the venue's: data to be judged, shown without what
 * cannot be seen, cut to size.
 */
export interface RiskQuestion {
  readonly question: string;
  readonly description: string;
  /** The outcome that would be bought, by its label. */
  readonly outcome: string;
  /** What the venue's listing says it is worth, in percent. */
  readonly probabilityPercent: string;
  readonly endsAtMs: number;
}

/**
 * Judges a market before it is bought and may refuse it. Nothing else it says is ever
 * used.
 */
export interface RiskAssessor {
  /** Never rejects: what is not a clear verdict within the budget is `none` with its gap. */
  assess(question: RiskQuestion): Promise<Assessment>;
}
