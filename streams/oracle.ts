import {
  combineLatest,
  delayWhen,
  distinctUntilChanged,
  filter,
  map,
  merge,
  of,
  scan,
  take,
  timer,
  type Observable,
} from 'rxjs';
import { FEEDS, STALENESS } from '../config/limits/market-data.ts';
import type { Asset } from '../src/domain/ids.ts';
import { addSecond, minuteAverage, type SecondPrices } from '../src/domain/price-average.ts';
import type { Observed } from '../src/domain/signal.ts';
import type { AssetPriceE8 } from '../src/domain/units.ts';
import type { PriceFeed, TwapSeconds } from '../src/ports/price-feed.ts';
import { firstReadingAt, repairedAt, type PriceMoment } from './price-at.ts';
import { priceReadings, type PriceDeps, type PriceReading } from './price-readings.ts';
import { shareLatest } from './share-latest.ts';
import { advancing, freshOrNull } from './staleness.ts';

/**
 * A settlement-aligned price. `estimate` is our own average of spot reports, where no average is
 * published to us.
 */
export interface OracleReading extends Observed<AssetPriceE8> {
  readonly source: 'oracle' | 'venue_oracle' | 'estimate';
}

export interface OracleOptions extends PriceDeps {
  /** The oracle itself; null without a key to it. */
  readonly primary: PriceFeed | null;
  /** The venue's mirror of it. */
  readonly fallback: PriceFeed | null;
  readonly assets: readonly Asset[];
}

/** The settlement-aligned prices. */
export interface Oracle {
  /**
   * The newest fresh price of the best source, null without one (L8). Never fails, never
   * ends.
   */
  price(asset: Asset, twapSeconds: TwapSeconds): Observable<OracleReading | null>;
  /**
   * The first report at or after a moment, once: the price to beat of a window that starts there.
   * Nothing comes when no source knows it.
   */
  capture(moment: PriceMoment): Observable<OracleReading>;
}

/**
 * Makes the oracle's streams: every source has one upstream for all readers, which runs while
 * it has readers.
 */
export function createOracle(options: OracleOptions): Oracle {
  const { primary, fallback, assets, scheduler } = options;
  const sources = [
    { feed: primary, limitMs: STALENESS.oracleMs },
    { feed: fallback, limitMs: STALENESS.venueOracleMs },
  ].flatMap(({ feed, limitMs }) =>
    feed === null ? [] : [{ feed, limitMs, readings: priceReadings(feed, assets, options) }],
  );
  const prices = new Map<string, Observable<OracleReading | null>>();

  const published = (
    asset: Asset,
    twapSeconds: TwapSeconds,
  ): readonly Observable<OracleReading | null>[] =>
    sources.map(({ limitMs, readings }) =>
      readings.pipe(
        filter((reading) => reading.asset === asset && reading.twapSeconds === twapSeconds),
        advancing(),
        map(toOracleReading),
        freshOrNull({ limitMs, atMs: ({ sourceAtMs }) => sourceAtMs, scheduler }),
      ),
    );
  const price = (asset: Asset, twapSeconds: TwapSeconds): Observable<OracleReading | null> => {
    const key = `${asset} ${twapSeconds}`;
    const known = prices.get(key);
    if (known !== undefined) return known;
    const ranked =
      twapSeconds === null
        ? published(asset, null)
        : [...published(asset, twapSeconds), estimate(price(asset, null), options)];
    const made = (
      ranked.length === 0
        ? of(null)
        : combineLatest(ranked).pipe(
            map((readings) => readings.find((reading) => reading !== null) ?? null),
          )
    ).pipe(distinctUntilChanged(), shareLatest());
    prices.set(key, made);
    return made;
  };
  return {
    price,
    capture: (moment) =>
      merge(
        ...sources.map(({ feed, readings }, rank) => {
          const live = firstReadingAt(readings, moment).pipe(map(toOracleReading));
          const repaired = repairedAt(feed, moment, options).pipe(
            map(
              (tick): OracleReading => ({
                value: tick.price,
                sourceAtMs: tick.sourceAtMs,
                receivedAtMs: scheduler.now(),
                source: nameOf(feed.name),
              }),
            ),
          );
          const found = merge(live, repaired).pipe(take(1));
          // The mirror may be first with the same report; the oracle itself gets some time to
          // be the one believed.
          return rank === 0
            ? found
            : found.pipe(
                delayWhen(() =>
                  timer(
                    Math.max(0, moment.atMs + FEEDS.captureGraceMs - scheduler.now()),
                    scheduler,
                  ),
                ),
              );
        }),
      ).pipe(take(1)),
  };
}

/** Our own average of the last minute's spot reports, one a second. */
function estimate(
  spot: Observable<OracleReading | null>,
  { scheduler }: PriceDeps,
): Observable<OracleReading | null> {
  interface Averaging {
    readonly seconds: SecondPrices;
    readonly newest: OracleReading | null;
  }
  const nothing: Averaging = { seconds: [], newest: null };
  return spot.pipe(
    scan(
      (state: Averaging, reading): Averaging =>
        reading === null
          ? { ...state, newest: null }
          : {
              seconds: addSecond(state.seconds, reading.value, reading.sourceAtMs),
              newest: reading,
            },
      nothing,
    ),
    map(({ seconds, newest }): OracleReading | null => {
      if (newest === null) return null;
      const value = minuteAverage(seconds);
      return value === null
        ? null
        : {
            value,
            sourceAtMs: newest.sourceAtMs,
            receivedAtMs: scheduler.now(),
            source: 'estimate',
          };
    }),
  );
}

function toOracleReading({ value, sourceAtMs, receivedAtMs, source }: PriceReading): OracleReading {
  return { value, sourceAtMs, receivedAtMs, source: nameOf(source) };
}

function nameOf(source: PriceFeed['name']): 'oracle' | 'venue_oracle' {
  return source === 'oracle' ? 'oracle' : 'venue_oracle';
}
