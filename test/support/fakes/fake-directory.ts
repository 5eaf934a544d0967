import type { Asset, MarketId } from '../../../src/domain/ids.ts';
import type { Market } from '../../../src/domain/market.ts';
import type { AssetPriceE8 } from '../../../src/domain/units.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { aMarket } from '../builders.ts';

/** Which rounds exist when, in memory. */
export interface FakeDirectory {
  round(asset: Asset, minutes: 5 | 15, startsAtMs: number): Promise<Market | null>;
  market(marketId: MarketId): Promise<Market | null>;
  /** Every question about a round: its start and when it was asked. */
  readonly asked: { readonly startsAtMs: number; readonly atMs: number }[];
  /** The venue lists a round only from this moment on. */
  hideUntil(startsAtMs: number, untilMs: number): void;
  /** From now on the venue states this price to beat. */
  stateStrike(startsAtMs: number, strike: AssetPriceE8): void;
  failing: boolean;
  /** Why markets are listed and not traded; null while they are. */
  notTradeable: string | null;
  twap: boolean;
}

/** Makes a directory in which every window of every asset is listed. */
export function createFakeDirectory(clock: Clock): FakeDirectory {
  const asked: { startsAtMs: number; atMs: number }[] = [];
  const hidden = new Map<number, number>();
  const strikes = new Map<number, AssetPriceE8>();
  const seen = new Map<
    MarketId,
    { readonly asset: Asset; readonly minutes: 5 | 15; readonly startsAtMs: number }
  >();
  const build = (asset: Asset, minutes: 5 | 15, startsAtMs: number): Market => {
    const market = aMarket(startsAtMs / 1_000 + minutes, {
      slug: `${asset.toLowerCase()}-updown-${minutes}m-${startsAtMs / 1_000}`,
      endsAtMs: startsAtMs + minutes * 60_000,
      ...(directory.notTradeable === null ? {} : { notTradeable: directory.notTradeable }),
      window: {
        asset,
        minutes,
        startsAtMs,
        endsAtMs: startsAtMs + minutes * 60_000,
        strike: strikes.get(startsAtMs) ?? null,
        twap: directory.twap,
      },
    });
    seen.set(market.marketId, { asset, minutes, startsAtMs });
    return market;
  };
  const directory: FakeDirectory = {
    asked,
    failing: false,
    notTradeable: null,
    twap: false,
    async round(asset, minutes, startsAtMs) {
      asked.push({ startsAtMs, atMs: clock.nowMs() });
      if (directory.failing) throw new AppError('venue_unavailable', '502', { retryable: true });
      return clock.nowMs() < (hidden.get(startsAtMs) ?? 0)
        ? null
        : build(asset, minutes, startsAtMs);
    },
    async market(marketId) {
      if (directory.failing) throw new AppError('venue_unavailable', '502', { retryable: true });
      const key = seen.get(marketId);
      return key === undefined ? null : build(key.asset, key.minutes, key.startsAtMs);
    },
    hideUntil(startsAtMs, untilMs) {
      hidden.set(startsAtMs, untilMs);
    },
    stateStrike(startsAtMs, strike) {
      strikes.set(startsAtMs, strike);
    },
  };
  return directory;
}
