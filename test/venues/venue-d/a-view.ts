import { NETWORK } from '../../../src/adapters/wire/transport.ts';
import { asId, type Address } from '../../../src/domain/ids.ts';
import { venueDProfile } from '../../../config/profiles/venue-d.ts';
import { venueD } from '../../../src/venues/venue-d/venue.ts';
import { createKeptMetrics } from '../../support/quiet.ts';
import { startViewedVenue, WALLET } from '../../sandbox/venues/venue-d/a-server.ts';

/** What the profiles open the venue with, at an address. */
export function settingsAt(viewRest: string, key?: string) {
  const environment = key === undefined ? {} : { PREDICTD_VENUE_D_KEY: key };
  return { endpoints: { viewRest }, ...venueDProfile.settings(environment, { runs: 'live' }) };
}

/** The view on the sandbox's server, on one virtual clock. */
export async function startView(key?: string) {
  const server = await startViewedVenue();
  const metrics = createKeptMetrics();
  const view = venueD.open(
    { transport: NETWORK, wallClock: server.clock, metrics },
    settingsAt(server.url, key),
  );
  return {
    server,
    metrics,
    ask: (wallet = WALLET, signal = new AbortController().signal) =>
      view.positions(asId<Address>(wallet), signal),
    async close() {
      await view.close();
      await server.close();
    },
  };
}
