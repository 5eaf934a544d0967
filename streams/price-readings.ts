import {
  catchError,
  defer,
  filter,
  map,
  NEVER,
  share,
  type Observable,
  type SchedulerLike,
} from 'rxjs';
import { FEEDS } from '../config/limits/market-data.ts';
import type { Asset } from '../src/domain/ids.ts';
import type { Observed } from '../src/domain/signal.ts';
import type { AssetPriceE8 } from '../src/domain/units.ts';
import type { PriceFeed, PriceTick, TwapSeconds } from '../src/ports/price-feed.ts';
import type { Random } from '../src/ports/random.ts';
import { fromSource } from './from-source.ts';
import { reconnect } from './reconnect.ts';

/** What price streams tell their surroundings: for metrics and the log. */
export interface PriceReport {
  /** A source was lost and is tried again. */
  reconnecting?(
    source: PriceFeed['name'],
    failure: { readonly cause: unknown; readonly attempt: number; readonly waitMs: number },
  ): void;
  /** The first word after that. */
  reconnected?(source: PriceFeed['name']): void;
  /** A source failed in a way that trying again cannot mend: it stays absent. */
  failed?(source: PriceFeed['name'], cause: unknown): void;
  /** A price was not believed. */
  dropped?(source: PriceFeed['name'], reason: 'future'): void;
}

/** What price streams depend on. */
export interface PriceDeps {
  readonly random: Random;
  readonly scheduler: SchedulerLike;
  readonly report: PriceReport;
}

/**
 * A price with its source. Readings of one connection have no hole between them that the source did
 * not have.
 */
export interface PriceReading extends Observed<AssetPriceE8> {
  readonly asset: Asset;
  readonly twapSeconds: TwapSeconds;
  readonly source: PriceFeed['name'];
  /** Counts the connections of this source. */
  readonly connection: number;
}

/**
 * Gives the readings of one source for all its assets over one upstream, whoever reads: reconnected
 * for ever, never failing. The upstream starts with the first reader and ends with the last.
 */
export function priceReadings(
  feed: PriceFeed,
  assets: readonly Asset[],
  { random, scheduler, report }: PriceDeps,
): Observable<PriceReading> {
  let connection = 0;
  return defer(() => {
    connection += 1;
    const current = connection;
    return fromSource<PriceTick>((listener) => feed.watch(assets, listener)).pipe(
      map(
        (tick): PriceReading => ({
          asset: tick.asset,
          twapSeconds: tick.twapSeconds,
          value: tick.price,
          sourceAtMs: tick.sourceAtMs,
          receivedAtMs: scheduler.now(),
          source: feed.name,
          connection: current,
        }),
      ),
    );
  }).pipe(
    reconnect({
      backoff: {
        firstMs: FEEDS.reconnectFirstMs,
        maximumMs: FEEDS.reconnectMaximumMs,
        healthyAfterMs: FEEDS.reconnectHealthyAfterMs,
      },
      random,
      scheduler,
      onReconnect: (failure) => report.reconnecting?.(feed.name, failure),
      onReconnected: () => report.reconnected?.(feed.name),
    }),
    catchError((cause: unknown) => {
      report.failed?.(feed.name, cause);
      return NEVER;
    }),
    filter((reading) => {
      // A stamp ahead of our clock would stay fresh for longer than it may.
      const isBelievable = reading.sourceAtMs - reading.receivedAtMs <= FEEDS.futureMaximumMs;
      if (!isBelievable) report.dropped?.(feed.name, 'future');
      return isBelievable;
    }),
    share(),
  );
}
