import { describe, expect, it } from 'vitest';
import { viewMarket } from '../../../src/http/views/market.ts';
import { aMarketListing } from '../../support/builders.ts';

const PRICES = [
  { quote: null, last: null },
  { quote: null, last: null },
] as const;

describe('a market in answers', () => {
  it.each([false, true])('says whether it is one of an event of which one pays: %s', (is) => {
    const listing = aMarketListing(undefined, { isOneOfEvent: is });
    expect(viewMarket({ listing, prices: PRICES }).negRisk).toBe(is);
  });
});
