import { describe, expect, it } from 'vitest';
import { calibrationError, reliabilityBins } from '../../../src/domain/evidence/reliability.ts';

const said = (probability: number, happened: boolean) => ({ probability, happened });

describe('a reliability diagram', () => {
  it('sorts forecasts into ranges, the last one with its end', () => {
    const bins = reliabilityBins(
      [said(0, false), said(0.05, false), said(0.55, true), said(0.55, false), said(1, true)],
      10,
    );
    expect(
      bins.map(({ from, to, count, stated, observed }) => [
        from,
        to,
        count,
        stated,
        observed.estimate,
      ]),
    ).toEqual([
      [0, 0.1, 2, 0.025, 0],
      [0.5, 0.6, 2, 0.55, 0.5],
      [0.9, 1, 1, 1, 1],
    ]);
  });

  it('comes to the mean distance of stated and observed, weighted by forecasts', () => {
    const bins = reliabilityBins(
      [said(0.25, true), said(0.25, false), said(0.75, true), said(0.75, true)],
      2,
    );
    expect(calibrationError(bins)).toBeCloseTo(0.25, 12);
    expect(calibrationError([])).toBeNull();
  });

  it('refuses what is no probability', () => {
    expect(() => reliabilityBins([said(-0.1, true)], 10)).toThrow(RangeError);
    expect(() => reliabilityBins([said(Number.NaN, true)], 10)).toThrow(RangeError);
  });
});
