import { describe, expect, it } from 'vitest';
import { calibrationOut, viewCalibration } from '../../../src/http/views/calibration.ts';

describe('the calibration of a signal, in answers', () => {
  it('has ranges with entries alone, with the interval of what came and the mean distance', () => {
    const view = viewCalibration({
      entered: 6,
      entries: 5,
      forecasts: [
        { probability: 0.72, happened: true },
        { probability: 0.78, happened: false },
        { probability: 1, happened: true },
      ],
    });
    expect(calibrationOut.parse(view)).toEqual({
      entered: 6,
      entries: 5,
      ended: 3,
      ranges: [
        {
          from: '0.7000',
          to: '0.8000',
          count: 2,
          stated: '0.7500',
          won: '0.5000',
          low: '0.0945',
          high: '0.9055',
        },
        {
          from: '0.9000',
          to: '1.0000',
          count: 1,
          stated: '1.0000',
          won: '1.0000',
          low: '0.2065',
          high: '1.0000',
        },
      ],
      error: '0.1667',
    });
  });

  it('has neither ranges nor an error before a market has ended', () => {
    expect(viewCalibration({ entered: 3, entries: 2, forecasts: [] })).toEqual({
      entered: 3,
      entries: 2,
      ended: 0,
      ranges: [],
      error: null,
    });
  });
});
