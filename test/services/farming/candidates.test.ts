import { describe, expect, it } from 'vitest';
import { FARMING } from '../../../config/limits/farming.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { FarmListing } from '../../../src/domain/farming/listing.ts';
import { FARM_VENUE_A } from '../../../src/domain/farming/venues.ts';
import type { ScanQuery } from '../../../src/ports/market-scan.ts';
import { createCandidates, type ScreenedOut } from '../../../src/services/farming/candidates.ts';
import { T0 } from '../../support/builders.ts';
import { aFarmMarket, aListing } from '../../support/worlds/farm-listings.ts';
import { createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

function made(
  listings: FarmListing[],
  options: { readonly pageSize?: number; readonly endless?: boolean } = {},
) {
  const clock = createVirtualClock(T0);
  const asked: ScanQuery[] = [];
  const screenedOut: ScreenedOut[] = [];
  const log = createKeptLog();
  const state = { error: null as Error | null, scans: 0 };
  const size = options.pageSize ?? 100;
  const candidates = createCandidates({
    venue: () => FARM_VENUE_A,
    clock,
    log,
    metrics: createKeptMetrics(),
    scan: {
      async page(query) {
        asked.push(query);
        if (state.error !== null) throw state.error;
        const from = Number(query.cursor ?? 0);
        const data = listings.slice(from, from + size);
        return {
          data,
          nextCursor:
            options.endless === true || from + size < listings.length ? String(from + size) : null,
        };
      },
    },
    onScreenedOut: (out) => screenedOut.push(out),
    onScanned: () => void (state.scans += 1),
  });
  return { clock, candidates, asked, screenedOut, log, state };
}

const ids = (list: readonly { readonly listing: FarmListing }[]) =>
  list.map(({ listing }) => Number(listing.market.listingId));

describe('candidates', () => {
  it('are found by one scan for all, page by page, those that end first in front, each once', async () => {
    const soon = aListing(aFarmMarket(3, { endsAtMs: T0 + 3_600_000 }));
    const { clock, candidates, asked } = made(
      [aListing(aFarmMarket(1)), aListing(aFarmMarket(2)), soon, aListing(aFarmMarket(1))],
      { pageSize: 2 },
    );
    candidates.want(true);
    candidates.want(true);
    await clock.advance(10);
    expect(ids(candidates.current())).toEqual([3, 1, 2]);
    expect(asked.map(({ cursor }) => cursor)).toEqual([null, '2']);
    expect(asked[0]).toMatchObject({
      volumeAtLeastUsd: 500,
      liquidityAtLeastUsd: 250,
      endsAfterMs: T0,
      endsBeforeMs: null,
    });
  });

  it('are looked for again at the stated interval, and no more when no agent needs them', async () => {
    const { clock, candidates, state } = made([aListing()]);
    candidates.want(true);
    await clock.advance(FARMING.scanIntervalMs * 3 + 10);
    expect(state.scans).toBe(4);
    candidates.want(false);
    await clock.advance(FARMING.scanIntervalMs * 3);
    expect([state.scans, clock.pending]).toEqual([4, 0]);
  });

  it('L8: stay through a failed scan, which is soon repeated, and are no facts any more when scans go on failing', async () => {
    const { clock, candidates, state, asked } = made([aListing()]);
    candidates.want(true);
    await clock.advance(10);
    state.error = new AppError('venue_unavailable', '502', { retryable: true });
    await clock.advance(FARMING.scanIntervalMs);
    expect(candidates.current()).toHaveLength(1);
    const before = asked.length;
    await clock.advance(FARMING.scanRetryFirstMs);
    expect(asked.length).toBe(before + 1);
    await clock.advance(FARMING.listingAgeMaximumMs);
    expect(candidates.current()).toEqual([]);
    state.error = null;
    await clock.advance(FARMING.scanRetryMaximumMs);
    expect(candidates.current()).toHaveLength(1);
  });

  it('are asked for again seconds after a failed scan, and then less and less often, up to once a minute', async () => {
    const { clock, candidates, state, asked } = made([aListing()]);
    state.error = new AppError('venue_unavailable', '502', { retryable: true });
    candidates.want(true);
    const seen: number[] = [];
    for (const seconds of [0, 5, 15, 35, 75, 135, 195]) {
      await clock.advance(T0 + seconds * 1_000 + 10 - clock.nowMs());
      seen.push(asked.length);
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7]);
    state.error = null;
    await clock.advance(FARMING.scanRetryMaximumMs);
    expect(candidates.current()).toHaveLength(1);
    await clock.advance(FARMING.scanIntervalMs - 20);
    expect(asked).toHaveLength(8);
  });

  it('survive unexpected failures, and say so', async () => {
    const { clock, candidates, state, log } = made([aListing()]);
    state.error = new Error('bug');
    candidates.want(true);
    await clock.advance(10);
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    state.error = null;
    await clock.advance(FARMING.scanRetryFirstMs);
    expect(candidates.current()).toHaveLength(1);
  });

  it('come from a bounded number of pages, however many the venue gives', async () => {
    const { clock, candidates, asked, log } = made([aListing()], { endless: true });
    candidates.want(true);
    await clock.advance(10);
    expect(asked).toHaveLength(FARMING.scanPagesMaximum);
    expect(log.lines).toMatchObject([{ event: 'farming.scanned', fields: { isCut: true } }]);
  });

  it('leave those near the band that fail a filter to be reported once a reason, and a bounded number in one scan', async () => {
    const poor = Array.from({ length: 60 }, (_, index) =>
      aListing(aFarmMarket(index + 1, { volumeUsd: 600 })),
    );
    const far = aListing(aFarmMarket(99), { listedTicks: [5_000, 5_000] });
    const { clock, candidates, screenedOut } = made([...poor, far]);
    candidates.want(true);
    await clock.advance(10);
    expect(screenedOut).toHaveLength(FARMING.notesPerScanMaximum);
    await clock.advance(FARMING.scanIntervalMs * 3);
    expect(ids(screenedOut).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 60 }, (_, index) => index + 1),
    );
  });
});
