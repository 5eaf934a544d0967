import { describe, expect, it } from 'vitest';
import { viewMarket } from '../../../src/http/views/market.ts';
import { aMarket, aMarketListing } from '../../support/builders.ts';

const PRICES = [
  { quote: null, last: null },
  { quote: null, last: null },
] as const;

describe('a market in answers', () => {
  it.each([false, true])('says whether it is one of an event of which one pays: %s', (is) => {
    const listing = aMarketListing(undefined, { isOneOfEvent: is });
    expect(viewMarket({ listing, prices: PRICES }).negRisk).toBe(is);
  });

  it.each([
    [null, null],
    [0, '0.00'],
    [18_250.5, '18250.50'],
  ])('states its liquidity, and null where its venue states none: %s', (liquidityUsd, shown) => {
    const listing = aMarketListing(aMarket(1, { liquidityUsd }));
    expect(viewMarket({ listing, prices: PRICES }).liquidityUsd).toBe(shown);
  });
});
