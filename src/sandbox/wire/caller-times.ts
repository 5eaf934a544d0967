import type { Clock } from '../../ports/clock.ts';
import type { MarketTime } from '../../ports/market-time.ts';

/** A clock a caller may go by. */
export interface CallerTime {
  nowMs(): number;
  /** Market time when that clock shows `atMs`; both in ms. */
  toMarketMs(atMs: number): number;
}

/** The wall's clock beside the markets'. */
export interface WallTime {
  readonly clock: Clock;
  readonly marketTime: MarketTime;
}

/**
 * Returns the clocks that callers may go by: the markets' own first, then the wall's where it is
 * another.
 */
export function callerTimes(market: Clock, wall: WallTime | null): readonly CallerTime[] {
  const own: CallerTime = { nowMs: () => market.nowMs(), toMarketMs: (atMs) => atMs };
  if (wall === null) return [own];
  return [
    own,
    { nowMs: () => wall.clock.nowMs(), toMarketMs: (atMs) => wall.marketTime.toMarketMs(atMs) },
  ];
}

/**
 * Finds the clock whose time a stamp is nearest to, within `skewMs` of it; null when it is far from
 * all of them.
 */
export function timeOfStamp(
  stampMs: number,
  times: readonly CallerTime[],
  skewMs: number,
): CallerTime | null {
  const near = times
    .map((time) => ({ time, gapMs: Math.abs(stampMs - time.nowMs()) }))
    .filter(({ gapMs }) => gapMs <= skewMs);
  return near.sort((a, b) => a.gapMs - b.gapMs)[0]?.time ?? null;
}
