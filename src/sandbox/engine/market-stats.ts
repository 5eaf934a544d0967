import { SANDBOX } from '../../../config/limits/sandbox.ts';
import { MICROS_PER_UNIT, TICKS_PER_USD } from '../../domain/units.ts';
import type { MarketId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Exchange, ExchangeMarket } from './exchange-types.ts';

/** Figures of a market as listings show them; USD. */
export interface MarketFigures {
  readonly volumeUsd: number;
  readonly volume24hUsd: number;
  readonly liquidityUsd: number;
  /** Prices of the first outcome, 0 to 1; null where a side is empty or nothing was traded. */
  readonly bestBid: number | null;
  readonly bestAsk: number | null;
  readonly lastPrice: number | null;
  /** When they were taken, epoch ms. */
  readonly takenAtMs: number;
}

/** Reads figures of markets. */
export interface MarketStats {
  figures(market: ExchangeMarket): MarketFigures;
  stop(): void;
}

const HOUR_MS = 3_600_000;
const HOURS = 24;

interface Volume {
  total: number;
  /** USD by hour of the epoch; the newest 24 are kept. */
  readonly hours: Map<number, number>;
}

/**
 * Counts what is traded. Figures are taken at most once in `cacheMs`, for listings are never fresh.
 */
export function startMarketStats(clock: Clock, exchange: Exchange, cacheMs: number): MarketStats {
  const volumes = new Map<MarketId, Volume>();
  const taken = new Map<MarketId, { readonly atMs: number; readonly figures: MarketFigures }>();
  const stop = exchange.subscribe((event) => {
    if (event.kind !== 'trade' || event.trade.status !== 'MATCHED') return;
    const { marketId, shares, price } = event.trade;
    const volume = volumes.get(marketId) ?? { total: 0, hours: new Map<number, number>() };
    const usd = ((shares / MICROS_PER_UNIT) * price) / TICKS_PER_USD;
    const hour = Math.floor(clock.nowMs() / HOUR_MS);
    volume.total += usd;
    volume.hours.set(hour, (volume.hours.get(hour) ?? 0) + usd);
    for (const old of volume.hours.keys()) if (old <= hour - HOURS) volume.hours.delete(old);
    keepNewest(volumes, marketId, volume);
  });

  function take(market: ExchangeMarket): MarketFigures {
    const { bids, asks } = exchange.book(market.tokens[0]);
    const volume = volumes.get(market.marketId);
    const lastPrice = exchange.lastTradePrice(market.tokens[0]);
    const usd = (levels: typeof bids, own: (price: number) => number) =>
      levels.reduce(
        (sum, { price, size }) => sum + (size / MICROS_PER_UNIT) * (own(price) / TICKS_PER_USD),
        0,
      );
    return {
      volumeUsd: volume?.total ?? 0,
      volume24hUsd: [...(volume?.hours.values() ?? [])].reduce((sum, value) => sum + value, 0),
      liquidityUsd: usd(bids, (price) => price) + usd(asks, (price) => TICKS_PER_USD - price),
      bestBid: bids[0] === undefined ? null : bids[0].price / TICKS_PER_USD,
      bestAsk: asks[0] === undefined ? null : asks[0].price / TICKS_PER_USD,
      lastPrice: lastPrice === null ? null : lastPrice / TICKS_PER_USD,
      takenAtMs: clock.nowMs(),
    };
  }

  return {
    figures(market) {
      const known = taken.get(market.marketId);
      if (known !== undefined && clock.nowMs() - known.atMs < cacheMs) return known.figures;
      const figures = take(market);
      keepNewest(taken, market.marketId, { atMs: clock.nowMs(), figures });
      return figures;
    },
    stop,
  };
}

/** Sets a value; the markets that came first make room. */
function keepNewest<Value>(map: Map<MarketId, Value>, marketId: MarketId, value: Value): void {
  map.set(marketId, value);
  if (map.size <= SANDBOX.roundsKept) return;
  for (const first of map.keys()) {
    map.delete(first);
    return;
  }
}
