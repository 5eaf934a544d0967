import { describe, expect, it } from 'vitest';
import { API } from '../../config/limits/api.ts';
import { createLiveDocument } from '../../src/http/live-examples.ts';
import type { ApiServices } from '../../src/http/services.ts';
import type { VenueApi } from '../../src/http/venue-api.ts';
import { VENUE_APIS } from '../../src/app/route-table.ts';
import { VENUE_A } from '../support/venue-ids.ts';

/** Venues whose first market is the one named, or that do not answer. */
function servicesOf(first: { marketId: string | null }) {
  const list = async () => {
    if (first.marketId === null) throw new Error('away');
    const market = (marketId: string, acceptingOrders: boolean) => ({
      listing: { market: { marketId, acceptingOrders } },
    });
    return { data: [market('ended', false), market(first.marketId, true)], nextCursor: null };
  };
  // only the list of markets is asked for
  return { browsing: () => ({ markets: { list } }) } as unknown as Pick<ApiServices, 'browsing'>;
}

const venues = VENUE_APIS.filter(({ venue }) => venue === VENUE_A);
const make = (shown: readonly VenueApi[]) => ({ shown: shown.map(({ examples }) => examples) });

describe('the examples of the document', () => {
  it('name a market that takes orders, and stay one document while it is there', async () => {
    const first = { marketId: '0x01' as string | null };
    const document = createLiveDocument(venues, make);
    const before = await document(servicesOf(first), 0);
    expect(before.shown).toMatchObject([
      { marketId: '0x01', OrderRequest: { marketId: '0x01', side: 'yes' } },
    ]);
    expect(await document(servicesOf(first), API.exampleMarketsKeptMs)).toBe(before);
    first.marketId = '0x02';
    expect(await document(servicesOf(first), API.exampleMarketsKeptMs + 1)).toBe(before);
  });

  it('name another market once it is looked after again, and keep it where a venue is away', async () => {
    const first = { marketId: '0x01' as string | null };
    const document = createLiveDocument(venues, make);
    await document(servicesOf(first), 0);
    first.marketId = '0x02';
    await document(servicesOf(first), API.exampleMarketsKeptMs);
    await new Promise(setImmediate);
    const after = await document(servicesOf(first), API.exampleMarketsKeptMs + 1);
    expect(after.shown).toMatchObject([{ OrderRequest: { marketId: '0x02' } }]);
    first.marketId = null;
    expect(await document(servicesOf(first), 2 * API.exampleMarketsKeptMs + 1)).toBe(after);
  });

  it('are those written down where no venue answers at first', async () => {
    const document = createLiveDocument(venues, make);
    const { shown } = await document(servicesOf({ marketId: null }), 0);
    expect(shown).toMatchObject([{ marketId: venues[0]?.exampleMarketId }]);
  });
});
