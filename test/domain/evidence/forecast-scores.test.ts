import { assert, double, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  brierOf,
  LOG_LOSS_MARGIN,
  logLossOf,
  meanScore,
} from '../../../src/domain/evidence/forecast-scores.ts';

describe('scores of forecasts', () => {
  it('give an even chance 0.25 and ln 2, whatever comes', () => {
    for (const happened of [true, false]) {
      expect(brierOf({ probability: 0.5, happened })).toBe(0.25);
      expect(logLossOf({ probability: 0.5, happened })).toBe(Math.LN2);
    }
  });

  it('give the worked example of G. Brier, 1950: 0.7 and rain is 0.09, 0.3 and rain is 0.49', () => {
    expect(brierOf({ probability: 0.7, happened: true })).toBeCloseTo(0.09, 12);
    expect(brierOf({ probability: 0.3, happened: true })).toBeCloseTo(0.49, 12);
  });

  it('bound what a sure and wrong forecast costs', () => {
    for (const happened of [true, false])
      expect(logLossOf({ probability: happened ? 0 : 1, happened })).toBeCloseTo(
        -Math.log(LOG_LOSS_MARGIN),
        12,
      );
    expect(logLossOf({ probability: 0.8, happened: true })).toBe(-Math.log(0.8));
  });

  it('are proper: no forecaster gains by stating something else than what he believes', () => {
    const chance = double({ min: 0.02, max: 0.98, noNaN: true });
    assert(
      property(chance, chance, (truth, stated) => {
        for (const score of [brierOf, logLossOf]) {
          const expected = (probability: number): number =>
            truth * score({ probability, happened: true }) +
            (1 - truth) * score({ probability, happened: false });
          expect(expected(stated)).toBeGreaterThanOrEqual(expected(truth) - 1e-12);
        }
      }),
    );
  });

  it('have a mean over forecasts, and none over nothing', () => {
    expect(
      meanScore(
        [
          { probability: 1, happened: true },
          { probability: 0.5, happened: true },
        ],
        brierOf,
      ),
    ).toBe(0.125);
    expect(meanScore([], brierOf)).toBeNull();
  });
});
