import { AppError } from '../domain/errors.ts';
import type { Asset } from '../domain/ids.ts';
import type { Catalogue, RoundDirectory } from '../ports/catalogue.ts';
import type { Clock } from '../ports/clock.ts';
import type { Inference } from '../ports/inference.ts';
import type { MarketScan } from '../ports/market-scan.ts';
import type { PriceFeed } from '../ports/price-feed.ts';
import type { Random } from '../ports/random.ts';
import type { RiskAssessor } from '../ports/risk-assessor.ts';
import type { BookSource } from '../ports/venue-books.ts';

/** What a feed reads for all its readers. */
export interface FeedSources {
  /** By the names of `protocol.ts`; what is absent is refused. */
  readonly prices: ReadonlyMap<string, PriceFeed>;
  readonly inference: Inference;
  /** By venue. */
  readonly books: ReadonlyMap<string, BookSource>;
  /** Markets as agents discover them, by venue. */
  readonly catalogues: ReadonlyMap<string, Catalogue>;
  /** By venue, where there are recurring rounds. */
  readonly rounds: ReadonlyMap<string, RoundDirectory>;
  /** By venue, where its markets are farmed. */
  readonly scans: ReadonlyMap<string, MarketScan>;
  /** Null where none is set up. */
  readonly assessor: RiskAssessor | null;
  /** All whose prices are followed. */
  readonly assets: readonly Asset[];
  /** Market time. */
  readonly clock: Clock;
  readonly random: Random;
  /** How long an answer of the inference network is good for all who ask. */
  readonly inferenceKeptMs: number;
}

/** A source of prices is read or not by the settings of the feed: asking again changes nothing. */
export function unreadPrices(source: string): AppError {
  return new AppError('not_found', `this feed does not read the prices of ${source}`);
}

/** A venue that did not open is there again after the next start of the feed. */
export function unreadVenue(what: string, venue: string): AppError {
  return new AppError('venue_unavailable', `this feed does not read the ${what} of ${venue}`, {
    retryable: true,
  });
}
