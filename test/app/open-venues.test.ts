import { describe, expect, it } from 'vitest';
import { VENUE_OPENING } from '../../config/limits.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { openVenues } from '../../src/app/open-venues.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { VenueId } from '../../src/domain/ids.ts';
import type { Venue } from '../../src/ports/venue.ts';
import type { VenueParts, VenueRow } from '../../src/venues/contract.ts';
import { T0 } from '../support/builders.ts';
import { createKeptLog } from '../support/quiet.ts';
import { VENUE_A, VENUE_B } from '../support/venue-ids.ts';

function aRow(id: VenueId, open: () => Promise<Partial<Venue>>): VenueRow {
  return {
    id,
    cashAccount: 'usdc:base',
    api: null,
    open: async () => ({ ...(await open()), id }) as Venue,
  };
}

const WELL = aRow(VENUE_A, async () => ({}));
const WRONG = aRow(VENUE_B, () =>
  Promise.reject(new AppError('config_invalid', 'its settings are wrong')),
);

function start(...rows: readonly VenueRow[]) {
  const [wallClock, log] = [createVirtualClock(T0), createKeptLog()];
  // the rows of these tests read nothing they are lent
  const parts = {} as VenueParts;
  return { wallClock, log, opened: openVenues({ rows, parts, settings: {}, wallClock, log }) };
}

describe('opening the venues', () => {
  it('goes on without one that fails, and says why it is closed', async () => {
    const { opened, log, wallClock } = start(WRONG, WELL);
    const { venues, closedVenues } = await opened;
    expect([venues.map(({ id }) => id), closedVenues]).toEqual([
      ['venue_a'],
      [{ id: 'venue_b', cashAccount: 'usdc:base', reason: 'its settings are wrong' }],
    ]);
    expect([log.lines.map(({ event }) => event), wallClock.pending]).toEqual([
      ['venue.not_opened'],
      0,
    ]);
  });

  it('waits for one that hangs no longer than it may, and closes it should it open after all', async () => {
    let isClosed = false;
    let open: (venue: Partial<Venue>) => void = () => undefined;
    const slow = aRow(VENUE_B, () => new Promise((resolve) => (open = resolve)));
    const { opened, wallClock } = start(WELL, slow);
    await wallClock.advance(VENUE_OPENING.timeoutMs);
    const { venues, closedVenues } = await opened;
    expect([venues.length, closedVenues.map(({ reason }) => reason)]).toEqual([
      1,
      ['venue_b did not open in time'],
    ]);
    open({ close: async () => void (isClosed = true) });
    await wallClock.settle();
    expect(isClosed).toBe(true);
  });

  it('ends the start where none opens', async () => {
    await expect(start(WRONG).opened).rejects.toMatchObject({ code: 'config_invalid' });
  });
});
