import { describe, expect, it } from 'vitest';
import { screenListing } from '../../../src/domain/farming/screen.ts';
import { FARM_VENUE_A, FARM_VENUE_B, type FarmVenue } from '../../../src/domain/farming/venues.ts';
import { withWindow } from '../../../src/domain/farming/window.ts';
import { T0 } from '../../support/builders.ts';
import { aFarmMarket, aListing } from '../../support/worlds/farm-listings.ts';

const failed = (
  listing: Parameters<typeof screenListing>[0],
  venue: FarmVenue = FARM_VENUE_A,
): readonly string[] =>
  screenListing(listing, venue, T0)
    .criteria.filter(({ passed }) => !passed)
    .map(({ name }) => name);
const withMarket = (changes: Parameters<typeof aFarmMarket>[1]) =>
  aListing(aFarmMarket(1, changes));

describe('screening a listing', () => {
  it('passes a market that meets every filter, on the side that is near the band', () => {
    expect(screenListing(aListing(), FARM_VENUE_A, T0)).toMatchObject({ outcome: 1, passed: true });
    expect(
      screenListing(aListing(aFarmMarket(), { listedTicks: [9_600, 400] }), FARM_VENUE_A, T0),
    ).toMatchObject({ outcome: 0, passed: true });
  });

  it.each([
    ['volume at the threshold', withMarket({ volumeUsd: 1_000 }), ['volume']],
    ['volume above it', withMarket({ volumeUsd: 1_000.01 }), []],
    ['volume below it', withMarket({ volumeUsd: 999.99 }), ['volume']],
    ['liquidity at the threshold', withMarket({ liquidityUsd: 500 }), ['liquidity']],
    ['liquidity above it', withMarket({ liquidityUsd: 500.01 }), []],
    ['no stated liquidity', withMarket({ liquidityUsd: null }), ['liquidity']],
    ['liquidity below it', withMarket({ liquidityUsd: 499.99 }), ['liquidity']],
    ['an end in five minutes', withMarket({ endsAtMs: T0 + 300_000 }), []],
    ['an end a moment before that', withMarket({ endsAtMs: T0 + 299_999 }), ['time to the end']],
    ['an end in the past', withMarket({ endsAtMs: T0 - 1 }), ['time to the end']],
    ['no stated end', withMarket({ endsAtMs: 253_402_300_799_000 }), ['time to the end']],
    [
      'an end in ten months: there is no latest one',
      withMarket({ endsAtMs: T0 + 300 * 86_400_000 }),
      [],
    ],
    ['a closed market', withMarket({ closed: true }), ['market']],
    ['a market that takes no orders', withMarket({ acceptingOrders: false }), ['market']],
    [
      'a market that is not traded here',
      withMarket({ acceptingOrders: false, notTradeable: 'It is of another exchange.' }),
      ['market'],
    ],
    [
      'a crypto price',
      withMarket({ question: 'Will Bitcoin reach $200,000 this year?' }),
      ['category'],
    ],
    ['a sport', aListing(aFarmMarket(), { categories: ['sports'] }), ['category']],
    [
      'several faults at once',
      aListing(aFarmMarket(1, { volumeUsd: 0, liquidityUsd: 0 }), { isGame: true }),
      ['category', 'volume', 'liquidity'],
    ],
  ])('says what fails: %s', (_case, listing, expected) => {
    expect(failed(listing)).toEqual(expected);
  });

  it.each([
    ['a cent below the band, as the listing may be old', [9_400, 600], 0],
    ['more than that below it', [9_399, 601], null],
    ['a cent above it', [9_900, 100], 0],
    ['more than that above it', [9_901, 99], null],
    ['even odds', [5_000, 5_000], null],
  ] as const)('looks only at markets near the band: %s', (_case, listedTicks, outcome) => {
    expect(screenListing(aListing(aFarmMarket(), { listedTicks }), FARM_VENUE_A, T0).outcome).toBe(
      outcome,
    );
  });

  it('looks at no market that is decided, however wide the band of its user', () => {
    const wide = withWindow(FARM_VENUE_B, {
      probabilityMinimumTicks: 9_400,
      probabilityMaximumTicks: 9_950,
      endsWithinHours: 72,
    });
    const outcomeAt = (listedTicks: readonly [number, number]) =>
      screenListing(aListing(aFarmMarket(), { listedTicks }), wide, T0).outcome;
    expect([outcomeAt([9_999, 1]), outcomeAt([10_000, 0])]).toEqual([0, null]);
  });

  it('shows each value beside what is asked for', () => {
    const shown = (listing: Parameters<typeof screenListing>[0], venue: FarmVenue) =>
      screenListing(listing, venue, T0).criteria.map(({ name, value, threshold }) => [
        name,
        value,
        threshold,
      ]);
    expect(shown(aListing(), FARM_VENUE_A)).toEqual([
      ['category', 'neither crypto price nor sports', 'not crypto price, not sports'],
      ['market', 'takes orders', 'takes orders'],
      ['volume', '20000.00 USD', 'more than 1000 USD'],
      ['liquidity', '8000.00 USD', 'more than 500 USD'],
      ['time to the end', '48 h', 'at least 5 min, stated'],
    ]);
    expect(shown(aListing(), FARM_VENUE_B).at(-1)?.[2]).toBe('at least 5 min, at most 72 h');
    const sports = aListing(withMarket({ closed: true }).market, { categories: ['nba'] });
    expect(shown(sports, FARM_VENUE_A).slice(0, 2)).toEqual([
      ['category', 'sports (nba)', 'not crypto price, not sports'],
      ['market', 'closed', 'takes orders'],
    ]);
    const timeOf = (leftMs: number) =>
      shown(withMarket({ endsAtMs: T0 + leftMs }), FARM_VENUE_A).at(-1)?.[1];
    expect([299_999, 3_599_999, 3_600_000, 3_600_001].map(timeOf)).toEqual([
      '4.9 min',
      '59.9 min',
      '1 h',
      '1.01 h',
    ]);
    expect(timeOf(253_402_300_799_000 - T0)).toBe('none stated');
  });

  it('leaves a market alone of which its first buyer pays for the tokens', () => {
    const fresh = aListing(aFarmMarket(), { needsSetup: true });
    expect(screenListing(fresh, FARM_VENUE_A, T0).passed).toBe(false);
    expect(failed(fresh)).toEqual(['first buy']);
  });

  it('has nothing to say of a listing without prices', () => {
    expect(screenListing(aListing(aFarmMarket(), { listedTicks: null }), FARM_VENUE_A, T0)).toEqual(
      { outcome: null, criteria: [], passed: false },
    );
  });

  it('is the same for another venue with other thresholds: 94 to 98 percent, 72 hours', () => {
    const other: FarmVenue = {
      ...FARM_VENUE_A,
      filters: { ...FARM_VENUE_A.filters, probabilityMinimumTicks: 9_400, endsWithinHours: 72 },
    };
    expect(
      screenListing(aListing(aFarmMarket(), { listedTicks: [9_300, 700] }), other, T0).outcome,
    ).toBe(0);
    expect(failed(withMarket({ endsAtMs: T0 + 72 * 3_600_000 }), other)).toEqual([]);
    expect(failed(withMarket({ endsAtMs: T0 + 72 * 3_600_000 + 1 }), other)).toEqual([
      'time to the end',
    ]);
  });
});
