import { BoundedMap } from '../../domain/bounded-map.ts';
import { backOffMs } from '../../domain/back-off.ts';
import { FARMING } from '../../../config/limits/farming.ts';
import type { Criterion } from '../../domain/agent.ts';
import { AppError } from '../../domain/errors.ts';
import type { FarmListing } from '../../domain/farming/listing.ts';
import { screenListing } from '../../domain/farming/screen.ts';
import type { FarmVenue } from '../../domain/farming/venues.ts';
import type { MarketId } from '../../domain/ids.ts';
import type { OutcomeIndex } from '../../domain/market.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Timer } from '../../ports/clock.ts';
import type { MarketScan } from '../../ports/market-scan.ts';

/** A market that passed the screening of a scan. */
export interface FarmCandidate {
  readonly listing: FarmListing;
  readonly outcome: OutcomeIndex;
  readonly listedAtMs: number;
}

/** A market near the band that did not pass. */
export interface ScreenedOut {
  readonly listing: FarmListing;
  readonly criteria: readonly Criterion[];
  readonly atMs: number;
}

/** Markets worth judging, found again and again; one scan serves all users. */
export interface Candidates {
  /**
   * Those of the newest scan, the ones that end first in front; empty when it is too old to be a
   * fact (L8).
   */
  current(): readonly FarmCandidate[];
  /** Scans while wanted; the first scan begins at once. Setting it again changes nothing. */
  want(isWanted: boolean): void;
}

/** Makes the scan of a venue. */
export function createCandidates(
  deps: Pick<Runtime, 'clock' | 'log' | 'metrics'> & {
    /** What is looked for now. */
    readonly venue: () => FarmVenue;
    readonly scan: MarketScan;
    /**
     * Called with markets near the band that are left out, those whose reason is new first, at most
     * FARMING.notesPerScanMaximum a scan.
     */
    readonly onScreenedOut: (market: ScreenedOut) => void;
    /** A scan has ended well. */
    readonly onScanned: () => void;
  },
): Candidates {
  const { clock, log, metrics, venue, scan, onScreenedOut, onScanned } = deps;
  const { agentId } = venue();
  const noted = new BoundedMap<MarketId, string>(FARMING.notedMarketsMaximum);
  let found: readonly FarmCandidate[] = [];
  let foundAtMs = Number.NEGATIVE_INFINITY;
  let timer: Timer | null = null;
  /**
   * Grows with every change of mind, so that a scan that is under way knows it is not wanted any
   * more.
   */
  let epoch = 0;
  let isWanted = false;

  async function run(mine: number, failures: number): Promise<void> {
    let failed = 0;
    try {
      const result = await scanAll(venue(), scan, { clock, isWanted: () => epoch === mine });
      if (result === null) return;
      found = result.candidates;
      foundAtMs = clock.nowMs();
      metrics.gauge('farm_candidates_open', found.length, { agent: agentId });
      noteAll(result.screenedOut);
      log.info({ agentId, ...result.counts, candidates: found.length }, 'farming.scanned');
      onScanned();
    } catch (error) {
      failed = failures + 1;
      metrics.count('farm_scans_failed_total', { agent: agentId });
      if (error instanceof AppError)
        log.info({ agentId, code: error.code, message: error.message }, 'farming.scan_failed');
      else log.error({ agentId, error }, 'farming.scan_failed');
    }
    if (epoch === mine) timer = clock.after(waitAfter(failed), () => void run(mine, failed));
  }

  function noteAll(screenedOut: readonly ScreenedOut[]): void {
    let notes = 0;
    for (const out of screenedOut) {
      const { marketId } = out.listing.market;
      const why = out.criteria.find(({ passed }) => !passed)?.name ?? '';
      if (noted.get(marketId) === why || notes >= FARMING.notesPerScanMaximum) continue;
      notes += 1;
      noted.set(marketId, why);
      onScreenedOut(out);
    }
  }

  return {
    current: () => (clock.nowMs() - foundAtMs <= FARMING.listingAgeMaximumMs ? found : []),
    want(wanted) {
      if (wanted === isWanted) return;
      isWanted = wanted;
      epoch += 1;
      timer?.cancel();
      timer = null;
      if (wanted) void run(epoch, 0);
    },
  };
}

/** Milliseconds to the next scan after so many in a row that failed. */
function waitAfter(failures: number): number {
  if (failures === 0) return FARMING.scanIntervalMs;
  return backOffMs(failures - 1, {
    firstMs: FARMING.scanRetryFirstMs,
    maximumMs: FARMING.scanRetryMaximumMs,
  });
}

interface ScanResult {
  readonly candidates: readonly FarmCandidate[];
  readonly screenedOut: readonly ScreenedOut[];
  readonly counts: { readonly pages: number; readonly listings: number; readonly isCut: boolean };
}

/**
 * Reads every page; null when it is not wanted any more. A market met twice, since pages move while
 * they are read, counts once.
 */
async function scanAll(
  row: FarmVenue,
  scan: MarketScan,
  { clock, isWanted }: Pick<Runtime, 'clock'> & { readonly isWanted: () => boolean },
): Promise<ScanResult | null> {
  const { filters } = row;
  const candidates = new Map<MarketId, FarmCandidate>();
  const screenedOut = new Map<MarketId, ScreenedOut>();
  let cursor: string | null = null;
  let listings = 0;
  for (let pages = 1; ; pages += 1) {
    const atMs = clock.nowMs();
    const endsBeforeMs =
      filters.endsWithinHours === null ? null : atMs + filters.endsWithinHours * 3_600_000;
    // A market that lacks volume or liquidity is asked for too where it is near enough to be
    // reported of.
    const page = await scan.page({
      volumeAtLeastUsd: filters.volumeAboveUsd / 2,
      liquidityAtLeastUsd: filters.liquidityAboveUsd / 2,
      endsAfterMs: atMs,
      endsBeforeMs,
      cursor,
    });
    if (!isWanted()) return null;
    for (const listing of page.data) {
      listings += 1;
      const { outcome, passed, criteria } = screenListing(listing, row, atMs);
      if (outcome === null) continue;
      const { marketId } = listing.market;
      if (passed) candidates.set(marketId, { listing, outcome, listedAtMs: atMs });
      else screenedOut.set(marketId, { listing, criteria, atMs });
    }
    cursor = page.nextCursor;
    if (cursor === null || pages >= FARMING.scanPagesMaximum) {
      return {
        candidates: [...candidates.values()].sort(endsFirst).slice(0, FARMING.candidatesMaximum),
        screenedOut: [...screenedOut.values()],
        counts: { pages, listings, isCut: cursor !== null },
      };
    }
  }
}

function endsFirst(one: FarmCandidate, other: FarmCandidate): number {
  const [a, b] = [one.listing.market, other.listing.market];
  return a.endsAtMs - b.endsAtMs || (a.marketId < b.marketId ? -1 : 1);
}
