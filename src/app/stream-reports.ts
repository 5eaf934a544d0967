import type { Asset, TokenId, VenueId } from '../domain/ids.ts';
import { AppError } from '../domain/errors.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { BookReport } from '../../streams/book.ts';
import type { PriceReport } from '../../streams/price-readings.ts';
import type { RoundViewReport } from '../../streams/round-view.ts';

/** Where streams report problems: the log for people, metrics for alerts. */
export interface StreamReports {
  /** Of one venue's books. */
  books(venue: VenueId): BookReport;
  readonly prices: PriceReport;
  readonly rounds: RoundViewReport;
  roundFailed(asset: Asset, minutes: 5 | 15, cause: unknown): void;
  predictionFailed(asset: Asset, horizon: string, cause: unknown): void;
}

/** Makes the reports. */
export function streamReports({
  log,
  metrics,
}: {
  readonly log: Log;
  readonly metrics: Metrics;
}): StreamReports {
  return {
    books: (venue) => ({
      reconnecting({ cause, attempt, waitMs }) {
        metrics.count('reconnects_total', { source: 'venue_books' });
        log.warn({ venue, cause: textOf(cause), attempt, waitMs }, 'books.reconnecting');
      },
      reconnected: () => log.info({ venue }, 'books.reconnected'),
      incident(incident, tokenId: TokenId) {
        metrics.count('book_incidents_total', { venue, incident });
        log.debug({ venue, incident, tokenId }, 'book.incident');
      },
      failed: (cause) => log.error({ venue, cause: textOf(cause) }, 'books.failed'),
    }),
    prices: {
      reconnecting(source, { cause, attempt, waitMs }) {
        metrics.count('reconnects_total', { source });
        log.warn({ source, cause: textOf(cause), attempt, waitMs }, 'feed.reconnecting');
      },
      reconnected: (source) => log.info({ source }, 'feed.reconnected'),
      failed: (source, cause) => log.error({ source, cause: textOf(cause) }, 'feed.failed'),
      dropped: (source, reason) => metrics.count('feed_dropped_total', { feed: source, reason }),
    },
    rounds: {
      strikeContradicted({ slug, window: { asset } }, finding) {
        metrics.count('strike_contradictions_total', { asset });
        log.warn(
          { slug, captured: finding.captured, stated: finding.stated },
          'strike.contradicted',
        );
      },
      feedsApart: ({ slug }, areApart) => log.warn({ slug, areApart }, 'feeds.apart'),
      booksRefused: ({ slug }, cause) => log.error({ slug, cause: textOf(cause) }, 'books.refused'),
    },
    roundFailed: (asset, minutes, cause) =>
      log.warn({ asset, minutes, cause: textOf(cause) }, 'rounds.failed'),
    predictionFailed: (asset, horizon, cause) =>
      log.warn({ asset, horizon, cause: textOf(cause) }, 'inference.failed'),
  };
}

function textOf(cause: unknown): string {
  return cause instanceof AppError ? `${cause.code}: ${cause.message}` : String(cause);
}
