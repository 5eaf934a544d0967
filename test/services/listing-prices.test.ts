import { describe, expect, it } from 'vitest';
import { LISTING } from '../../config/limits/listing.ts';
import type { TokenId } from '../../src/domain/ids.ts';
import type { StatedPrices } from '../../src/domain/market-listing.ts';
import { priceTicks } from '../../src/domain/units.ts';
import { pricesOf, type TrustedTop } from '../../src/services/listing-prices.ts';
import { aLevel, aMarket, aMarketListing, aTokenId, T0 } from '../support/builders.ts';

const STATED: StatedPrices = {
  bid: priceTicks(4_100),
  ask: priceTicks(4_400),
  last: priceTicks(4_000),
  probabilityE5: 42_500,
  statedAtMs: T0,
};
const listing = aMarketListing(aMarket(), { prices: STATED });
const noBook: TrustedTop = () => null;
const bookOf =
  (tokenId: TokenId, bid: number | null, ask: number | null): TrustedTop =>
  (asked) =>
    asked === tokenId
      ? {
          value: {
            bid: bid === null ? null : aLevel(bid, 10),
            ask: ask === null ? null : aLevel(ask, 10),
          },
          sourceAtMs: T0,
          receivedAtMs: T0 + 59_000,
        }
      : null;

describe('prices of a listed market', () => {
  it('are the listing’s own with their age, the second outcome’s the mirror of the first’s', () => {
    expect(pricesOf(listing, noBook, T0 + 60_000)).toEqual([
      {
        quote: { bid: 4_100, ask: 4_400, probabilityE5: 42_500, source: 'listing', ageMs: 60_000 },
        last: { price: 4_000, ageMs: 60_000 },
      },
      {
        quote: { bid: 5_600, ask: 5_900, probabilityE5: 57_500, source: 'listing', ageMs: 60_000 },
        last: { price: 6_000, ageMs: 60_000 },
      },
    ]);
  });

  it('are those of a trusted live book where there is one, each outcome by its own', () => {
    const [first, second] = pricesOf(listing, bookOf(aTokenId(1, 1), 5_500, 5_701), T0 + 60_000);
    expect(first.quote?.source).toBe('listing');
    expect(second.quote).toEqual({
      bid: 5_500,
      ask: 5_701,
      probabilityE5: 56_005,
      source: 'book',
      ageMs: 1_000,
    });
  });

  it.each([
    ['a wide book', 1_000, 9_000],
    ['a book without bids', null, 4_400],
    ['a book without asks', 4_100, null],
  ])('say no chance from %s', (_what, bid, ask) => {
    expect(pricesOf(listing, bookOf(aTokenId(1, 0), bid, ask), T0 + 60_000)[0].quote).toEqual({
      bid,
      ask,
      probabilityE5: null,
      source: 'book',
      ageMs: 1_000,
    });
  });

  it('are unknown once the listing’s are stale, and where it states none', () => {
    const unknown = [
      { quote: null, last: null },
      { quote: null, last: null },
    ];
    expect(pricesOf(listing, noBook, T0 + LISTING.pricesShownMs)[0].quote).not.toBeNull();
    expect(pricesOf(listing, noBook, T0 + LISTING.pricesShownMs + 1)).toEqual(unknown);
    expect(pricesOf(aMarketListing(aMarket()), noBook, T0)).toEqual(unknown);
    expect(
      pricesOf(
        aMarketListing(aMarket(), {
          prices: { ...STATED, bid: null, ask: null, last: null, probabilityE5: null },
        }),
        noBook,
        T0,
      ),
    ).toEqual(unknown);
  });

  it('are none once the market is closed, whatever is still in a book', () => {
    expect(
      pricesOf(
        aMarketListing(aMarket(1, { closed: true }), { prices: STATED }),
        bookOf(aTokenId(1, 0), 4_000, 4_100),
        T0,
      ),
    ).toEqual([
      { quote: null, last: null },
      { quote: null, last: null },
    ]);
  });
});
