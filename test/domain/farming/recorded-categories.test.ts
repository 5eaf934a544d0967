import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readListing } from '../../../src/venues/venue-a/scan.ts';
import { categoryOf, type FarmCategory } from '../../../src/domain/farming/category.ts';
import type { FarmListing } from '../../../src/domain/farming/listing.ts';
import { sharedData } from '../../support/recordings/shared-data.ts';

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
        (market.liquidityUsd ?? 0) > 500 &&
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
