import type { FarmListing } from '../domain/farming/listing.ts';
import type { Page } from './catalogue.ts';

/**
 * Which markets a scan asks a venue for. The venue may take these as hints: whoever reads the
 * answer checks them again.
 */
export interface ScanQuery {
  readonly volumeAtLeastUsd: number;
  readonly liquidityAtLeastUsd: number;
  /** Markets that end between these moments, epoch ms. */
  readonly endsAfterMs: number;
  readonly endsBeforeMs: number | null;
  /** `nextCursor` of the page before; null for the first. */
  readonly cursor: string | null;
}

/** All open markets of a venue, page by page. */
export interface MarketScan {
  /**
   * One page of at most 100 listings; a listing that cannot be read is left out and counted.
   * Errors: `venue_unavailable`, `rate_limited` (retryable), `venue_protocol`, `invalid_request`
   * for a cursor that has gone stale.
   */
  page(query: ScanQuery): Promise<Page<FarmListing>>;
}
