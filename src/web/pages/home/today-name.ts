import { moment } from '../../format/time.ts';
import { type MarketClock, marketNowMs } from '../../live/market-clock.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/**
 * Names the day that results of today are of: it begins at midnight UTC of the market clock, which
 * is said where this device's day did not begin then.
 */
export function todayName(clock: MarketClock, nowMs: number): string {
  const lastedMs = (marketNowMs(clock, nowMs) % DAY_MS) / clock.speed;
  const beganAtMs = Math.round((nowMs - lastedMs) / MINUTE_MS) * MINUTE_MS;
  const isOwnDay = beganAtMs === new Date(nowMs).setHours(0, 0, 0, 0);
  return isOwnDay ? 'Today' : `Today, since ${moment(beganAtMs, nowMs)}`;
}
