import { RESEARCH } from '../../../config/limits/research.ts';
import { logLossOf, meanScore } from '../../domain/evidence/forecast-scores.ts';
import { probabilityUp } from '../../domain/probability.ts';
import type { ForecastRow } from './forecasts.ts';
import type { Scores } from './score-forecasts.ts';
import { scoresOf } from './score-forecasts.ts';
import type { Split } from './split.ts';

/** What one number, chosen in sample, would change out of sample. */
export interface Recalibration {
  /** Factor on the estimated volatility that had the smallest log loss in sample, in percent: 100 changes nothing. */
  readonly stretchPercent: number;
  /** Out of sample, as it is and with the factor. */
  readonly plain: Scores;
  readonly stretched: Scores;
}

/** Chooses the factor in sample and scores it out of sample; null where either part is empty. */
export function recalibrationOf(rows: readonly ForecastRow[], split: Split, label: string): Recalibration | null {
  const asked = rows.filter(({ question }) => question !== null);
  const inSample = asked.filter(({ startsAtMs }) => split.partOf(startsAtMs) === 'in sample');
  const outOfSample = asked.filter(({ startsAtMs }) => split.partOf(startsAtMs) === 'out of sample');
  let best = { stretchPercent: 100, loss: Infinity };
  for (let stretchPercent = RESEARCH.stretchFromPercent; stretchPercent <= RESEARCH.stretchToPercent; stretchPercent += RESEARCH.stretchStepPercent) {
    const loss = meanScore(inSample.map((row) => ({ probability: stretchedBy(row, stretchPercent), happened: row.happened })), logLossOf) ?? Infinity;
    if (loss < best.loss) best = { stretchPercent, loss };
  }
  const plain = scoresOf(outOfSample, ({ ours }) => ours, `${label} plain`);
  const stretched = scoresOf(outOfSample, (row) => stretchedBy(row, best.stretchPercent), `${label} stretched`);
  return inSample.length === 0 || plain === null || stretched === null ? null : { stretchPercent: best.stretchPercent, plain, stretched };
}

function stretchedBy({ question }: ForecastRow, percent: number): number {
  return question === null ? 0.5 : probabilityUp({ ...question, volatility: (question.volatility * percent) / 100 });
}
