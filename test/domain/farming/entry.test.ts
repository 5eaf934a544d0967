import { describe, expect, it } from 'vitest';
import type { Assessment } from '../../../src/domain/farming/assessment.ts';
import {
  entryPriceMaximum,
  judgeFarmEntry,
  type FarmView,
} from '../../../src/domain/farming/entry.ts';
import { FARM_VENUE_A } from '../../../src/domain/farming/venues.ts';
import { aLevel, T0 } from '../../support/builders.ts';
import { aFarmMarket } from '../../support/worlds/farm-listings.ts';

const ALLOWED: Assessment = { kind: 'allowed', reason: 'nothing unusual' };
const NONE: Assessment = { kind: 'none', gap: 'missing' };

function aView(bid: number | null, ask: number | null, changes: Partial<FarmView> = {}): FarmView {
  const side = (ticks: number | null) => (ticks === null ? null : aLevel(ticks, 100));
  return {
    market: aFarmMarket(),
    outcome: 1,
    listedAtMs: T0,
    atMs: T0,
    book: { value: { bid: side(bid), ask: side(ask) }, sourceAtMs: T0, receivedAtMs: T0 },
    assessment: ALLOWED,
    ...changes,
  };
}

/** The verdict and the criteria that fail. */
function judged(view: FarmView): readonly string[] {
  const { verdict, criteria } = judgeFarmEntry(FARM_VENUE_A, view);
  return [verdict, ...criteria.filter(({ passed }) => !passed).map(({ name }) => name)];
}

describe('judging a candidate for entry', () => {
  it.each([
    ['the middle at the lower end', aView(9_400, 9_600), ['enter']],
    ['the middle half a tick below it', aView(9_400, 9_599), ['skip', 'probability']],
    ['the middle inside', aView(9_600, 9_700), ['enter']],
    ['the middle and the ask at the upper end', aView(9_800, 9_800), ['enter']],
    ['the ask above the upper end', aView(9_700, 9_801), ['skip', 'ask']],
    ['the middle above it', aView(9_799, 9_802), ['skip', 'probability', 'ask']],
    ['a spread of two cents', aView(9_500, 9_700), ['enter']],
    ['a wider one', aView(9_499, 9_700), ['skip', 'spread']],
    ['no offer', aView(9_700, null), ['skip', 'book']],
    ['no bid', aView(null, 9_700), ['skip', 'book']],
    ['L8: no trusted book', aView(9_600, 9_700, { book: null }), ['skip', 'book']],
    [
      'volume that has fallen short',
      aView(9_600, 9_700, { market: aFarmMarket(1, { volumeUsd: 1_000 }) }),
      ['skip', 'volume'],
    ],
    [
      'an end that has come near',
      aView(9_600, 9_700, { market: aFarmMarket(1, { endsAtMs: T0 + 60_000 }) }),
      ['skip', 'time to the end'],
    ],
    [
      'an assessor that is being asked',
      aView(9_600, 9_700, { assessment: null }),
      ['skip', 'risk assessment'],
    ],
    [
      'an assessor that blocks',
      aView(9_600, 9_700, { assessment: { kind: 'blocked', reason: 'disputed rules' } }),
      ['skip', 'risk assessment'],
    ],
  ])('with %s', (_case, view, expected) => {
    expect(judged(view)).toEqual(expected);
  });

  it.each([
    ['inside the strict band', aView(9_600, 9_700), ['enter']],
    ['at its lower end', aView(9_550, 9_650), ['enter']],
    ['half a tick below it', aView(9_550, 9_649), ['skip', 'probability']],
    ['with an ask at its upper end', aView(9_650, 9_750), ['enter']],
    ['with an ask above it', aView(9_651, 9_751), ['skip', 'ask']],
    ['with a spread wider than a cent', aView(9_599, 9_700), ['skip', 'spread']],
    [
      'with volume at the strict threshold',
      aView(9_600, 9_700, { market: aFarmMarket(1, { volumeUsd: 5_000 }) }),
      ['skip', 'volume'],
    ],
    [
      'with volume above it',
      aView(9_600, 9_700, { market: aFarmMarket(1, { volumeUsd: 5_000.01 }) }),
      ['enter'],
    ],
    [
      'with liquidity at the strict threshold',
      aView(9_600, 9_700, { market: aFarmMarket(1, { liquidityUsd: 2_500 }) }),
      ['skip', 'liquidity'],
    ],
    [
      'with an end in two weeks',
      aView(9_600, 9_700, { market: aFarmMarket(1, { endsAtMs: T0 + 14 * 86_400_000 }) }),
      ['enter'],
    ],
    [
      'with a later end',
      aView(9_600, 9_700, { market: aFarmMarket(1, { endsAtMs: T0 + 14 * 86_400_000 + 1 }) }),
      ['skip', 'time to the end'],
    ],
  ])('holds the strict filters without an assessment: %s', (_case, view, expected) => {
    expect(judged({ ...view, assessment: NONE })).toEqual(expected);
  });

  it.each(['missing', 'late', 'refused', 'nonsense', 'unreachable', 'resting'] as const)(
    'says why the strict filters hold: %s',
    (gap) => {
      const { criteria } = judgeFarmEntry(
        FARM_VENUE_A,
        aView(9_600, 9_700, { assessment: { kind: 'none', gap } }),
      );
      expect(criteria[0]).toMatchObject({
        name: 'risk assessment',
        passed: true,
        value: expect.stringContaining('the strict filters hold') as string,
      });
      expect(criteria[1]).toMatchObject({
        name: 'probability',
        threshold: '96 % to 97.5 % (strict)',
      });
    },
  );

  it('lets no verdict widen a filter: what the strict filters take, the usual ones take too', () => {
    for (let bid = 9_300; bid <= 9_700; bid += 10) {
      for (const spread of [0, 50, 100, 150, 200, 250]) {
        const view = aView(bid, bid + spread);
        if (judged({ ...view, assessment: NONE })[0] === 'enter')
          expect(judged(view)).toEqual(['enter']);
      }
    }
  });

  it.each([
    [aView(null, 9_700), 'no bid'],
    [aView(9_600, null), 'no ask'],
  ])('says which side of the book is empty, and what the assessor says', (view, value) => {
    expect(judgeFarmEntry(FARM_VENUE_A, view).criteria).toEqual([
      {
        name: 'risk assessment',
        value: 'allowed: nothing unusual',
        threshold: 'not blocked',
        passed: true,
      },
      { name: 'book', value, threshold: 'bid and ask', passed: false },
    ]);
  });

  it('says by which band an assessed market was judged', () => {
    const { criteria, reason } = judgeFarmEntry(FARM_VENUE_A, aView(9_401, 9_600));
    expect(criteria[1]).toEqual({
      name: 'probability',
      value: '95.005 %',
      threshold: '95 % to 98 %',
      passed: true,
    });
    expect(reason).toBe('All 7 criteria are met.');
  });

  it('pays no more than the band it was judged by', () => {
    expect([
      entryPriceMaximum(FARM_VENUE_A, ALLOWED),
      entryPriceMaximum(FARM_VENUE_A, NONE),
    ]).toEqual([9_800, 9_750]);
  });
});
