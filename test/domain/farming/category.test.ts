import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readListing } from '../../../src/venues/venue-a/scan.ts';
import { categoryOf } from '../../../src/domain/farming/category.ts';
import type { FarmCategory } from '../../../src/domain/farming/category.ts';
import type { FarmListing } from '../../../src/domain/farming/listing.ts';
import { sharedData } from '../../support/recordings/shared-data.ts';
import { aFarmMarket, aListing } from '../../support/worlds/farm-listings.ts';

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
  ])('is told by words where the venue files it under nothing: %s', (question, expected) => {
    expect(asked(question)).toBe(expected);
  });

  it.each([
    ['look-alike letters', 'Will Вitсоin reach $150,000?'],
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

const recorded = sharedData('data/venue_a-active-markets/raw-2026-03-11T2030Z.jsonl.gz');

describe.skipIf(recorded === null)('on every recorded market in the band (shared data)', () => {
  const rows = () =>
    gunzipSync(readFileSync(recorded ?? ''))
      .toString('utf8')
      .trim()
      .split('\n')
      // the recording's own shape, see its README
      .map((line): unknown => (JSON.parse(line) as { market: unknown }).market);
  const listings = () =>
    rows()
      .map(readListing)
      .filter((listing): listing is FarmListing => listing !== null && listing !== 'unreadable');

  it('leaves out 118 sports and 60 crypto price markets of 605, as reading them manually does, but for one basket of crypto prices', () => {
    const inBand = listings().filter(
      ({ market, listedTicks }) =>
        market.volumeUsd > 1_000 &&
        market.liquidityUsd > 500 &&
        (listedTicks ?? []).some((ticks) => ticks >= 9_500 && ticks <= 9_800),
    );
    const count = (category: FarmCategory) =>
      inBand.filter((listing) => categoryOf(listing).category === category).length;
    expect([inBand.length, count('sports'), count('crypto_price'), count('other')]).toEqual([
      605, 118, 60, 427,
    ]);
  });

  it('calls every game sports and every recurring price series a crypto price', () => {
    const all = listings();
    expect(
      all
        .filter(({ isGame }) => isGame)
        .map((listing) => categoryOf(listing).category)
        .filter((category) => category !== 'sports'),
    ).toEqual([]);
    const prices = all.filter(({ categories }) =>
      categories.some((name) =>
        /^(btc|bitcoin|eth|ethereum|sol|solana|xrp|hyperliquid)-.*(up-or-down|hit-price|multi-strikes|neg-risk)/.test(
          name,
        ),
      ),
    );
    expect(prices.length).toBeGreaterThan(50);
    expect(
      prices
        .filter((listing) => categoryOf(listing).category !== 'crypto_price')
        .map(({ market }) => market.question),
    ).toEqual([]);
  });
});
