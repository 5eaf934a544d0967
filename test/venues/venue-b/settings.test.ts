import { describe, expect, it } from 'vitest';
import { venueSettings } from '../../../config/profiles/venues.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { openVenues } from '../../../src/app/open-venues.ts';
import type { Venue } from '../../../src/ports/venue.ts';
import type { VenueParts, VenueRow } from '../../../src/venues/contract.ts';
import { venueB } from '../../../src/venues/venue-b/venue.ts';
import { T0 } from '../../support/builders.ts';
import { createKeptLog } from '../../support/quiet.ts';
import { VENUE_A } from '../../support/venue-ids.ts';

/** Where `live` finds it. */
const ADDRESSES = {
  metadataUrl: 'https://prediction-markets-api.dflow.net',
  metadataSocketUrl: 'wss://prediction-markets-api.dflow.net/api/v1/ws',
  tradeUrl: 'https://quote-api.dflow.net',
  proofUrl: 'https://proof.dflow.net',
  proofPageUrl: 'https://dflow.net/proof',
  endowmentUrl: null,
};

/** Another venue, which opens whatever this one lacks. */
const OTHER: VenueRow = {
  id: VENUE_A,
  cashAccount: 'usdc:safe',
  api: null,
  open: async () => ({ id: VENUE_A }) as Venue,
};

async function opened() {
  const settings = venueSettings({}, { runs: 'live' })({ venues: { venue_b: ADDRESSES } });
  return openVenues({
    rows: [OTHER, venueB],
    // nothing is asked for before the settings are right
    parts: {} as VenueParts,
    settings,
    wallClock: createVirtualClock(T0),
    log: createKeptLog(),
  });
}

describe('venue_b in `live`', () => {
  it('stays closed without its key, beside others that open, and says what to set', async () => {
    const { venues, closedVenues } = await opened();
    expect([venues.map(({ id }) => id), closedVenues.map(({ id }) => id)]).toEqual([
      ['venue_a'],
      ['venue_b'],
    ]);
    expect(closedVenues[0]?.reason).toContain(
      'set PREDICTD_VENUE_B_KEY: the key that the venue gave',
    );
  });
});
