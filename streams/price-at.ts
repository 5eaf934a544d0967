import {
  concatMap,
  defer,
  EMPTY,
  filter,
  from,
  map,
  of,
  pairwise,
  range,
  startWith,
  take,
  timer,
  catchError,
  type Observable,
} from 'rxjs';
import { FEEDS } from '../config/limits/market-data.ts';
import type { Asset } from '../src/domain/ids.ts';
import type { PriceFeed, PriceTick, TwapSeconds } from '../src/ports/price-feed.ts';
import type { PriceDeps, PriceReading } from './price-readings.ts';

/** A moment of one price. */
export interface PriceMoment {
  readonly asset: Asset;
  readonly twapSeconds: TwapSeconds;
  readonly atMs: number;
}

/**
 * Gives the first live reading at or after the moment, once, when it is sure to be the first:
 * stamped with that very moment, or following a reading of the same connection from just before it.
 */
export function firstReadingAt(
  readings: Observable<PriceReading>,
  moment: PriceMoment,
): Observable<PriceReading> {
  return readings.pipe(
    filter((reading) => isOf(reading, moment)),
    startWith(null),
    pairwise(),
    map(([before, reading]) =>
      reading !== null && isFirst(before, reading, moment.atMs) ? reading : null,
    ),
    filter((reading) => reading !== null),
    take(1),
  );
}

/**
 * Gives the newest live reading at or before the moment, once, when the one after it has come and
 * it was young enough.
 */
export function lastReadingBefore(
  readings: Observable<PriceReading>,
  moment: PriceMoment,
): Observable<PriceReading> {
  return readings.pipe(
    filter((reading) => isOf(reading, moment)),
    pairwise(),
    map(([before, after]) =>
      before.sourceAtMs <= moment.atMs &&
      after.sourceAtMs > moment.atMs &&
      before.connection === after.connection &&
      moment.atMs - before.sourceAtMs <= FEEDS.startPriceAgeMs
        ? before
        : null,
    ),
    filter((reading) => reading !== null),
    take(1),
  );
}

/**
 * Asks the source's history for the moment, beginning `FEEDS.repairDelayMs` after it so that live
 * readings come first, and again after doubling waits. Gives one tick, or ends without one when the
 * history has none.
 */
export function repairedAt(
  feed: PriceFeed,
  { asset, twapSeconds, atMs }: PriceMoment,
  { scheduler }: PriceDeps,
): Observable<PriceTick> {
  const ask = defer(() => from(feed.priceAt(asset, atMs, twapSeconds))).pipe(
    catchError(() => of(null)),
  );
  return range(0, FEEDS.repairsMaximum).pipe(
    concatMap((attempt) => {
      const waitMs =
        attempt === 0
          ? atMs + FEEDS.repairDelayMs - scheduler.now()
          : Math.min(FEEDS.repairFirstMs * 2 ** (attempt - 1), FEEDS.repairMaximumMs);
      return timer(Math.max(0, waitMs), scheduler).pipe(concatMap(() => ask));
    }),
    concatMap((tick) => (tick === null ? EMPTY : of(tick))),
    take(1),
  );
}

function isOf(reading: PriceReading, moment: PriceMoment): boolean {
  return reading.asset === moment.asset && reading.twapSeconds === moment.twapSeconds;
}

function isFirst(before: PriceReading | null, reading: PriceReading, atMs: number): boolean {
  if (reading.sourceAtMs === atMs) return true;
  if (reading.sourceAtMs < atMs || before === null || before.sourceAtMs >= atMs) return false;
  return (
    before.connection === reading.connection &&
    reading.sourceAtMs - before.sourceAtMs <= FEEDS.reportStepMs
  );
}
