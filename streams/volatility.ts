import { distinctUntilChanged, filter, map, scan, startWith, type Observable } from 'rxjs';
import { FEEDS } from '../config/limits/market-data.ts';
import type { Observed } from '../src/domain/signal.ts';
import type { AssetPriceE8 } from '../src/domain/units.ts';
import {
  foldVolatility,
  NO_VOLATILITY,
  volatilityOf,
  type VolatilitySettings,
  type VolatilityState,
} from '../src/domain/volatility.ts';
import { shareLatest } from './share-latest.ts';

const SETTINGS: VolatilitySettings = {
  halfLifeSeconds: FEEDS.volatilityHalfLifeSeconds,
  floor: FEEDS.volatilityFloorBillionths / 1_000_000_000,
  minimumReturns: FEEDS.volatilityMinimumReturns,
  gapSeconds: FEEDS.volatilityGapSeconds,
};

/**
 * Estimates the standard deviation of log returns per square root of a second from live prices;
 * null until enough were seen.
 */
export function volatilityFrom(
  prices: Observable<Observed<AssetPriceE8> | null>,
): Observable<number | null> {
  return prices.pipe(
    filter((price) => price !== null),
    scan(
      (state: VolatilityState, { value, sourceAtMs }): VolatilityState =>
        foldVolatility(state, value, sourceAtMs, SETTINGS),
      NO_VOLATILITY,
    ),
    distinctUntilChanged(),
    map((state) => volatilityOf(state, SETTINGS)),
    startWith(null),
    shareLatest(),
  );
}
