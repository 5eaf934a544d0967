import { describe, expect, it } from 'vitest';
import { FARM_VENUE_A, FARM_VENUE_B, farmVenueOf } from '../../../src/domain/farming/venues.ts';
import { withWindow, withWindows } from '../../../src/domain/farming/window.ts';

const window = (low: number, high: number, hours: number) => ({
  probabilityMinimumTicks: low,
  probabilityMaximumTicks: high,
  endsWithinHours: hours,
});

describe('the window of a user', () => {
  it('takes the place of the row’s, and the strict one stays as much stricter as the row says', () => {
    expect(withWindow(FARM_VENUE_B, window(9_000, 9_900, 24))).toEqual({
      ...FARM_VENUE_B,
      filters: { ...FARM_VENUE_B.filters, ...window(9_000, 9_900, 24) },
      strictFilters: { ...FARM_VENUE_B.strictFilters, ...window(9_100, 9_850, 24) },
    });
  });

  it('ends no later than the strict row, if that has an end', () => {
    const asked = window(9_000, 9_900, 100);
    expect(withWindow(FARM_VENUE_B, asked).strictFilters.endsWithinHours).toBe(48);
    const strictFilters = { ...FARM_VENUE_B.strictFilters, endsWithinHours: null };
    expect(
      withWindow({ ...FARM_VENUE_B, strictFilters }, asked).strictFilters.endsWithinHours,
    ).toBe(100);
  });

  it('leaves the row as it is without one', () => {
    expect(withWindow(FARM_VENUE_A, undefined)).toBe(FARM_VENUE_A);
    expect(withWindows(FARM_VENUE_A, [])).toBe(FARM_VENUE_A);
  });

  it('of many is the narrowest that holds all of them', () => {
    expect(
      withWindows(FARM_VENUE_B, [
        window(9_300, 9_600, 12),
        window(9_200, 9_500, 30),
        window(9_400, 9_700, 24),
      ]),
    ).toEqual(withWindow(FARM_VENUE_B, window(9_200, 9_700, 30)));
  });
});

it('has the rows of the agents that farm, and of no other', () => {
  expect([
    farmVenueOf('venue_a_farming'),
    farmVenueOf('venue_b_farming'),
    farmVenueOf('btc_5min'),
  ]).toEqual([FARM_VENUE_A, FARM_VENUE_B, null]);
});
