import { describe, expect, it } from 'vitest';
import { missingOfRounds, type DegradedCode } from '../../src/domain/degraded.ts';
import type { RoundView } from '../../src/domain/signal.ts';
import { aRoundView, aTop } from '../support/worlds/round-views.ts';

describe('what strategies have to do without', () => {
  it.each<[readonly DegradedCode[], Partial<RoundView>]>([
    [[], {}],
    [['oracle_stale'], { oracle: null }],
    [['exchange_stale'], { exchange: null }],
    [['feeds_disagree'], { oracle: null, exchange: null, areFeedsApart: true }],
    [['inference_stale'], { prediction: null }],
    [['book_untrusted'], { books: [null, aTop(2_800, 3_000)] }],
    [['book_untrusted'], { books: [aTop(2_800, 3_000), null] }],
    [['oracle_stale', 'exchange_stale'], { oracle: null, exchange: null }],
  ])('is %j', (codes, changes) => {
    expect(missingOfRounds([aRoundView(changes)])).toEqual(codes);
  });

  it('is what any of the rounds lacks, each named once, and a market where none is known', () => {
    expect(
      missingOfRounds([
        aRoundView({ books: [null, null] }),
        aRoundView({ oracle: null }),
        aRoundView({ oracle: null }),
      ]),
    ).toEqual(['oracle_stale', 'book_untrusted']);
    expect(missingOfRounds([])).toEqual(['market_unknown']);
  });
});
