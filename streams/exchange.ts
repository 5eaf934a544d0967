import { filter, map, merge, take, type Observable } from 'rxjs';
import { STALENESS } from '../config/limits/market-data.ts';
import type { Asset } from '../src/domain/ids.ts';
import type { Observed } from '../src/domain/signal.ts';
import type { AssetPriceE8 } from '../src/domain/units.ts';
import type { PriceFeed } from '../src/ports/price-feed.ts';
import { lastReadingBefore, repairedAt } from './price-at.ts';
import { priceReadings, type PriceDeps } from './price-readings.ts';
import { shareLatest } from './share-latest.ts';
import { freshOrNull } from './staleness.ts';

export interface ExchangeOptions extends PriceDeps {
  readonly feed: PriceFeed;
  readonly assets: readonly Asset[];
}

/** The exchange's spot prices. */
export interface ExchangePrices {
  /** The newest fresh price, null without one (L8). Never fails, never ends. */
  price(asset: Asset): Observable<Observed<AssetPriceE8> | null>;
  /**
   * The price at a moment, once: the newest reading before it, else the source's history. Nothing
   * comes when neither knows it.
   */
  priceAt(asset: Asset, atMs: number): Observable<AssetPriceE8>;
}

/** Makes the exchange's streams over one upstream, which runs while it has readers. */
export function createExchange(options: ExchangeOptions): ExchangePrices {
  const { feed, assets, scheduler } = options;
  const readings = priceReadings(feed, assets, options);
  const prices = new Map(
    assets.map((asset) => [
      asset,
      readings.pipe(
        filter((reading) => reading.asset === asset),
        map(
          ({ value, sourceAtMs, receivedAtMs }): Observed<AssetPriceE8> => ({
            value,
            sourceAtMs,
            receivedAtMs,
          }),
        ),
        freshOrNull({
          limitMs: STALENESS.exchangeMs,
          atMs: ({ sourceAtMs }) => sourceAtMs,
          scheduler,
        }),
        shareLatest(),
      ),
    ]),
  );
  return {
    price(asset) {
      const known = prices.get(asset);
      if (known === undefined) throw new Error(`no exchange price is watched for ${asset}`);
      return known;
    },
    priceAt(asset, atMs) {
      const moment = { asset, twapSeconds: null, atMs };
      return merge(
        lastReadingBefore(readings, moment).pipe(map(({ value }) => value)),
        repairedAt(feed, moment, options).pipe(map(({ price }) => price)),
      ).pipe(take(1));
    },
  };
}
