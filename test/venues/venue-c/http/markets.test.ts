import { describe, expect, it } from 'vitest';
import { aBook, aListing, MARKET_ID, TOKEN_ID } from '../../../http/samples.ts';
import { useApi } from '../../../http/use-api.ts';
import { viewVenueMarket } from '../../../../src/venues/venue-c/http/market-view.ts';
import { createDirectory } from '../../../../src/venues/venue-c/directory.ts';
import { pricesOf } from '../../../../src/services/listing-prices.ts';
import { aWire, aWirePool, POOL_ADDRESS } from '../wire.ts';

const api = await useApi();
const { token } = await api.signIn();
const get = (path: string) => api.request('GET', `/api/venue_c/${path}`, { token });

describe('markets of venue_c', () => {
  it('are listed with the tokens of both outcomes', async () => {
    const { status, body } = await get('markets/active?sort=volume&tag=crypto');
    expect(status).toBe(200);
    expect(body['data']).toMatchObject([
      {
        marketId: MARKET_ID,
        tradeType: 'clob',
        tokens: aListing().market.outcomes.map(({ tokenId }) => tokenId),
        address: null,
        positionIds: null,
      },
    ]);
  });

  it('are shown by their slug with both books, and none where nothing is on one', async () => {
    api.books.set(TOKEN_ID, aBook());
    const { status, body } = await get(`markets/${MARKET_ID}`);
    expect([status, body['tradeType']]).toEqual([200, 'clob']);
    expect(body['book']).toMatchObject({ yes: { tokenId: TOKEN_ID, trusted: true }, no: null });
    expect((await get('markets/nowhere')).status).toBe(404);
  });

  it('of pools are shown with contract, positions and price', async () => {
    const { listing, clock } = aWire({ '/markets/a-pool-1': aWirePool() });
    const found = await createDirectory({ listing, clock, payouts: async () => null }).listing(
      'a-pool-1',
    );
    if (found === null) return expect.unreachable();
    const prices = pricesOf(found, () => null, clock.nowMs());
    expect(viewVenueMarket({ listing: found, prices })).toMatchObject({
      tradeType: 'amm',
      address: POOL_ADDRESS,
      positionIds: ['71', '72'],
      tokens: null,
      acceptingOrders: false,
      outcomes: [{ quote: { probability: '0.4' } }, { quote: { probability: '0.6' } }],
    });
  });

  it.each(['status=FUNDED', 'series=x', 'tag=A%20B', 'limit=0'])(
    'are not listed by %s',
    async (query) => {
      expect((await get(`markets/active?${query}`)).status).toBe(400);
    },
  );
});
