import { describe, expect, it } from 'vitest';
import { AGENT } from '../../../config/limits.ts';
import type { FieldError } from '../../../src/domain/errors.ts';
import {
  defaultFarmSettings,
  readFarmSettings,
  viewFarmSettings,
  type FarmSettings,
} from '../../../src/domain/farming/settings.ts';
import { FARM_VENUE_A, FARM_VENUE_B } from '../../../src/domain/farming/venues.ts';

const RANGES = AGENT.farming;
const ofA = defaultFarmSettings(RANGES, FARM_VENUE_A);
const ofB = defaultFarmSettings(RANGES, FARM_VENUE_B);

/** What is taken, as people read it, and what is said against the rest. */
function read(patch: Readonly<Record<string, unknown>>, current: FarmSettings) {
  const faults: FieldError[] = [];
  const settings = readFarmSettings(patch, current, RANGES, faults);
  return {
    view: viewFarmSettings(settings),
    faults: faults.map(({ path, message }) => `${path} ${message}`),
  };
}

describe('farming settings', () => {
  it.each([
    [
      'of a row with a bound of exposure',
      ofA,
      { maxOpenPositions: 7, maxTotalExposure: '250.5', stopLossPercent: '12.5' },
    ],
    [
      'of a row with a window and a bound of losses',
      ofB,
      {
        maxOpenPositions: 1,
        maxDailyLoss: '33.000001',
        minProbabilityPercent: '90',
        maxProbabilityPercent: '97.25',
        maxHoursToExpiry: 5,
        stopLossPercent: '5',
      },
    ],
  ])('%s are taken as they are sent, and nothing else is', (_what, current, patch) => {
    expect(read({ ...patch, maxTotalExposure2: 1 }, current)).toEqual({ view: patch, faults: [] });
    expect(read({}, current)).toEqual({ view: viewFarmSettings(current), faults: [] });
  });

  it('of a row do not get what only another row has', () => {
    const others = { maxDailyLoss: 5, minProbabilityPercent: 90, maxHoursToExpiry: 5 };
    expect(read(others, ofA).view).toEqual(viewFarmSettings(ofA));
    expect(read({ maxTotalExposure: 5 }, ofB).view).toEqual(viewFarmSettings(ofB));
  });

  it.each<[string, FarmSettings, least: string, most: string, less: string, more: string]>([
    ['maxOpenPositions', ofA, '1', `${RANGES.openPositionsMaximum}`, '0', '101'],
    ['maxTotalExposure', ofA, '1', `${RANGES.totalExposureMaximumUsd}`, '0.999999', '10000.01'],
    ['maxDailyLoss', ofB, '1', `${RANGES.dailyLossMaximumUsd}`, '0.999999', '10000.01'],
    ['maxHoursToExpiry', ofB, '1', `${RANGES.endsWithinHoursMaximum}`, '0', '721'],
    ['stopLossPercent', ofA, '1', '50', '0.9', '50.1'],
  ])('hold %s to its range, both ends included', (name, current, least, most, less, more) => {
    for (const value of [least, most])
      expect(String(Reflect.get(read({ [name]: value }, current).view, name))).toBe(value);
    for (const value of [less, more, 'x', null]) {
      const { view, faults } = read({ [name]: value }, current);
      expect(view).toEqual(viewFarmSettings(current));
      expect(faults).toEqual([expect.stringContaining(`/${name} must be a`)]);
      expect(faults[0]).toMatch(new RegExp(`from ${least} to ${most}(?!\\d)`));
    }
  });

  it('hold a window to its order, and name the end that was sent', () => {
    expect(read({ minProbabilityPercent: 98.01 }, ofB).faults).toEqual([
      '/minProbabilityPercent must be at most maxProbabilityPercent, which is 98 here',
    ]);
    expect(read({ maxProbabilityPercent: 93.99 }, ofB).faults).toEqual([
      '/maxProbabilityPercent must be at least minProbabilityPercent, which is 94 here',
    ]);
    expect(
      read({ minProbabilityPercent: 98.5, maxProbabilityPercent: 'x' }, ofB).faults,
    ).toHaveLength(1);
  });
});
