import { z } from 'zod';
import { usdcMicros } from '../../domain/units.ts';
import type { VenueAccounts } from '../../ports/venue.ts';
import { venueRow } from '../contract.ts';
import { regionGate } from '../region-gate.ts';
import { createVenueClient } from './client.ts';
import { createDirectory } from './directory.ts';
import { beginCounts } from './figures.ts';
import { VENUE_C_ID } from './id.ts';
import { createListing, createPlaces } from './listing.ts';

const address = (setting: string) => z.url(`set ${setting}: an address`);
const contract = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'an address of chain 8453');

/** Base addresses without trailing slashes (venue_c.md section 1). */
const endpoints = z.object({
  poolRest: address('PREDICTD_VENUE_C_REST_URL'),
  poolSocket: address('PREDICTD_VENUE_C_SOCKET_URL'),
  /** Where the login provider gives identity tokens; null where no account can be opened. */
  poolIdentityUrl: z.url().nullable(),
  /** Test money; null where money is real. */
  poolEndowmentUrl: z.url().nullable(),
});

/** With the chain's facts (venue_c.md section 5). */
const settings = z.strictObject({
  endpoints,
  usdc: contract,
  conditionalTokens: contract,
  /** What orders may be signed for. */
  exchanges: z.array(contract).min(1),
  /** Where this service serves people, and where the venue does not: countries by ISO 3166. */
  region: z.string().nullable(),
  restrictedRegions: z.array(z.string()),
});

/** Of a venue where nothing is traded: it has no accounts, and no money of anybody. */
const NO_ACCOUNTS: VenueAccounts = {
  open: () => Promise.resolve(),
  deposits: () => Promise.resolve([]),
  collateral: () => Promise.resolve(usdcMicros(0)),
};

/** venue_c. */
export const venueC = venueRow({
  id: VENUE_C_ID,
  cashAccount: 'usdc:base',
  settings,
  async open({ transport, clock, wallClock, metrics }, given) {
    beginCounts(metrics);
    const client = createVenueClient({
      url: given.endpoints.poolRest,
      transport,
      clock,
      wallClock,
      metrics,
    });
    const places = createPlaces();
    const inLane = (lane: 'trading' | 'discovery' | 'browsing') => {
      const reader = client.inLane(lane);
      const listing = createListing({ client: reader, contracts: given, metrics, places });
      return { directory: createDirectory({ listing, clock }) };
    };
    const [trading, discovery, browsing] = [
      inLane('trading'),
      inLane('discovery'),
      inLane('browsing'),
    ];
    return {
      catalogue: trading.directory,
      discovery: discovery.directory,
      browsing: {
        directory: browsing.directory,
        books: { snapshot: () => Promise.resolve(null) },
        candles: null,
      },
      rounds: null,
      books: null,
      prices: null,
      accounts: NO_ACCOUNTS,
      mechanisms: {},
      assertRegionAllowsBuys: regionGate(given),
      scan: null,
      access: null,
      redemption: null,
      identity: null,
      faucet: null,
      close: () => client.close(),
    };
  },
});
