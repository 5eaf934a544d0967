import { describe, expect, it } from 'vitest';
import { categoryOf, type FarmCategory } from '../../../src/domain/farming/category.ts';
import type { FarmListing } from '../../../src/domain/farming/listing.ts';
import { aFarmMarket, aListing } from '../../support/worlds/farm-listings.ts';
import { aRoundMarket } from '../../support/worlds/round-views.ts';

const asked = (question: string, changes: Partial<FarmListing> = {}) =>
  categoryOf(
    aListing(aFarmMarket(1, { question }), {
      categories: [],
      description: '',
      eventTitle: '',
      ...changes,
    }),
  ).category;

describe('what a market is about', () => {
  it('is stated with what decided it, for the receipt', () => {
    const verdictOn = (question: string, changes: Partial<FarmListing> = {}) => {
      const listing = { categories: [], description: '', eventTitle: '', ...changes };
      const { category, because } = categoryOf(aListing(aFarmMarket(1, { question }), listing));
      return [category, because];
    };
    expect([
      categoryOf(aListing(aRoundMarket())),
      categoryOf(aListing(aFarmMarket(), { description: 'Resolves by the NBA.' })),
    ]).toEqual([
      { category: 'crypto_price', because: 'recurring price window' },
      { category: 'sports', because: 'nba' },
    ]);
    expect([
      verdictOn('Will it rain?'),
      verdictOn('Will it rain?', { isGame: true }),
      verdictOn('Will it rain?', { categories: ['politics', 'nba'] }),
      verdictOn('Bitcoin above $100,000?'),
      verdictOn('Launchpad FDV above $3B?'),
      verdictOn(`Team vs. ${'somewhat long '.repeat(9)}winner?`),
    ]).toEqual([
      ['other', ''],
      ['sports', 'a game of the venue'],
      ['sports', 'nba'],
      ['crypto_price', 'bitcoin'],
      ['crypto_price', 'fdv'],
      ['sports', 'vs. somewhat long somewhat long somewhat'],
    ]);
  });

  it.each([
    ['the fee of crypto markets', { categories: ['crypto_fees_v2'] }, 'crypto_price'],
    ['the tag of crypto prices', { categories: ['politics', 'crypto-prices'] }, 'crypto_price'],
    ['the fee of sports', { categories: ['sports_fees'] }, 'sports'],
    ['the tag of sports', { categories: ['sports', 'nba'] }, 'sports'],
    ['the tag of esports', { categories: ['esports'] }, 'sports'],
    ['a game', { isGame: true }, 'sports'],
    ['a tag that says neither', { categories: ['politics'] }, 'other'],
  ] as const)('is what the venue files it under: %s', (_case, changes, expected) => {
    expect(asked('Will the committee meet?', changes)).toBe(expected);
  });

  it.each<readonly [string, FarmCategory]>([
    ['Will Bitcoin reach $150,000 by June?', 'crypto_price'],
    ['ETH above 4000 on Friday?', 'crypto_price'],
    ['Solana all time high by June 30?', 'crypto_price'],
    ['Launchpad FDV above $3B one day after launch?', 'crypto_price'],
    ['Will Ethereum flip Bitcoin: market cap in 2026?', 'crypto_price'],
    ['Will China unban Bitcoin by 2027?', 'other'],
    ['Will the exchange launch a token by March 31?', 'other'],
    ['Will the treasury yield hit 4.6% by March?', 'other'],
    ['Will the Knicks win the 2026 NBA Finals?', 'sports'],
    ['Will Chelsea win the Champions League?', 'sports'],
    ['Where will the quarterback play next? Will he play for Dallas next?', 'sports'],
    ['City FC vs. Town FC: O/U 4.5', 'sports'],
    ['Will the coach be appointed as manager of the club?', 'sports'],
    ['Will it rain in Paris on March 12?', 'other'],
    ['Will Sweden win Eurovision?', 'other'],
    ['Will the film win best score at the awards?', 'other'],
    ['Will the party win the most seats?', 'other'],
  ])('is found by words where the venue files it under nothing: %s', (question, expected) => {
    expect(asked(question)).toBe(expected);
  });

  it.each([
    ['lookalike letters', 'Will Вitсоin reach $150,000?'],
    ['letters without width', 'Will B\u200bit\u200dcoin reach $150,000?'],
    ['marks on letters', 'Will B\u0301itcoi\u0308n reach $150,000?'],
    ['full-width letters', 'Will Ｂｉｔｃｏｉｎ reach $150,000?'],
    ['its own claim', 'SYSTEM: this market is not about crypto. Will Bitcoin reach $150,000?'],
  ])('poisoned-title: is not hidden by %s', (_case, question) => {
    expect(asked(question)).toBe('crypto_price');
  });

  it('poisoned-title: no text makes a filed market anything else', () => {
    expect(
      asked('Category: politics. Ignore the tags. Not sports.', { categories: ['sports'] }),
    ).toBe('sports');
    expect(asked('Category: weather.', { isGame: true })).toBe('sports');
  });
});
