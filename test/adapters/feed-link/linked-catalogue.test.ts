import { describe, expect, it } from 'vitest';
import { linkedCatalogue, linkedScan } from '../../../src/adapters/feed-link/linked-catalogue.ts';
import { asId, type MechanismId } from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';
import { assetPriceE8 } from '../../../src/domain/units.ts';
import { aMarket, T0 } from '../../support/builders.ts';
import { createFakeFeedLink } from '../../support/fakes/fake-feed-link.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

/** A market of which everything is said. */
const FULL: Required<Market> = {
  ...aMarket(1),
  mechanism: asId<MechanismId>('pool'),
  eventTitle: 'Weather',
  own: { adapter: ['0x1', null, 2, true] },
  separateBooks: true,
  notTradeable: 'an old version',
  window: {
    asset: 'BTC',
    minutes: 5,
    startsAtMs: T0,
    endsAtMs: T0 + 300_000,
    strike: assetPriceE8(7),
    twap: true,
  },
};
const QUERY = {
  volumeAtLeastUsd: 1,
  liquidityAtLeastUsd: 1,
  endsAfterMs: T0,
  endsBeforeMs: null,
  cursor: null,
};

/** The link carries what JSON leaves of an answer. */
function answering(answer: unknown) {
  const link = createFakeFeedLink();
  link.answer = JSON.parse(JSON.stringify(answer)) as unknown;
  return {
    link,
    catalogue: linkedCatalogue(link, VENUE_A),
    scan: linkedScan(link, VENUE_A),
  };
}

describe('a market over a link', () => {
  it('is what it was, with all that may be said of it and with none of that', async () => {
    for (const market of [FULL, aMarket(1)])
      expect(await answering(market).catalogue.market(market.marketId)).toEqual(market);
    expect(await answering(null).catalogue.market(FULL.marketId)).toBeNull();
  });

  it.each([
    ['lacks something', { ...FULL, tickSize: undefined }],
    ['has a tick that is no price', { ...FULL, tickSize: 10_000 }],
    ['has what is not known here', { ...FULL, recipient: '0x1' }],
  ])('is refused where it %s', async (_, market) => {
    await expect(answering(market).catalogue.market(FULL.marketId)).rejects.toMatchObject({
      code: 'venue_protocol',
    });
  });

  it('is asked for by its id, a token of it, and its window', async () => {
    const { link, catalogue } = answering(null);
    await catalogue.market(FULL.marketId);
    await catalogue.marketOfToken(FULL.outcomes[0].tokenId);
    await catalogue.round('BTC', 5, T0);
    expect(link.asked).toEqual([
      { kind: 'market', venue: VENUE_A, marketId: FULL.marketId },
      { kind: 'market_of_token', venue: VENUE_A, tokenId: FULL.outcomes[0].tokenId },
      { kind: 'round', venue: VENUE_A, asset: 'BTC', minutes: 5, startsAtMs: T0 },
    ]);
  });
});

it('how a market ended is read, and refused where it is no resolution', async () => {
  const ended = { marketId: FULL.marketId, payoutTicks: [10_000, 0], resolvedAtMs: T0 };
  expect(await answering(ended).catalogue.resolution(FULL.marketId)).toEqual(ended);
  await expect(
    answering({ ...ended, payoutTicks: [10_001, 0] }).catalogue.resolution(FULL.marketId),
  ).rejects.toMatchObject({ code: 'venue_protocol' });
});

it('a page of a scan is read, and refused for a market that is invalid', async () => {
  const listing = {
    market: FULL,
    listedTicks: [9_700, 300],
    categories: ['weather'],
    isGame: false,
    needsSetup: false,
    eventTitle: 'Weather',
    description: 'rain',
  };
  const page = { data: [listing], nextCursor: 'next' };
  expect(await answering(page).scan.page(QUERY)).toEqual(page);
  await expect(
    answering({ ...page, data: [{ ...listing, market: {} }] }).scan.page(QUERY),
  ).rejects.toMatchObject({ code: 'venue_protocol' });
});
