import { exitJudge } from '../../../src/domain/strategy/exit.ts';
import { strategyTable } from '../../../src/domain/strategy/strategy-row.ts';
import { STRATEGIES } from '../../../src/domain/strategy/table.ts';

/**
 * The product's strategies with exits that believe the signal half: those of the product hold to
 * the end, and what agents do about a sale is tried with these.
 */
export const SELLING_STRATEGIES = strategyTable(
  STRATEGIES.rows.map((row) => ({ ...row, judgeExit: exitJudge({ signalWeightPercent: 50 }) })),
);
