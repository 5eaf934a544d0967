import type { MarketId } from '../../domain/ids.ts';
import type { Table } from '../../ports/store.ts';

/** A verdict of the assessor, believed for ASSESSOR.keptMs. */
export interface StoredAssessment {
  readonly verdict: 'allowed' | 'blocked';
  readonly reason: string;
  readonly atMs: number;
}

/** Verdicts: [marketId, outcome]. */
export const ASSESSMENTS: Table<StoredAssessment> = { name: 'farm_assessments' };
/** Verdicts by age, for pruning: [atMs, marketId, outcome]. */
export const ASSESSMENT_AGES: Table<{ readonly marketId: MarketId }> = {
  name: 'farm_assessment_ages',
};
