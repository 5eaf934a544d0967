import { type MarketClock, marketNowMs } from '../live/market-clock.ts';

/** Writes how long ago or ahead something is: `now`, `12 s`, `4 min`, `3 h`, `2 d`. */
export function duration(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1_000);
  if (seconds < 1) return 'now';
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** Clocks of pages are so far behind the daemon's at most: they move on once a second. */
const BEHIND_MS = 2_000;

/** Writes a moment against now: `12 s ago`, `in 4 min`; what only just happened is never ahead. */
export function relative(atMs: number, nowMs: number): string {
  const aheadMs = atMs - nowMs;
  const text = duration(aheadMs);
  if (text === 'now' || (aheadMs > 0 && aheadMs < BEHIND_MS)) return 'now';
  return atMs <= nowMs ? `${text} ago` : `in ${text}`;
}

/** Writes what is left as `m:ss`; never below zero. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Writes what is left until a market ends: by the second in its last hour. */
export function timeLeft(ms: number): string {
  return ms < 3_600_000 ? countdown(ms) : duration(ms);
}

/** Explains the one clock of the page beside that of a sandbox's markets. */
export function sandboxTime(market: MarketClock, nowMs: number): string {
  const { speed } = market;
  const lasts = duration(300_000 / speed);
  return `All times and countdowns here go by this one clock. The sandbox’s markets run ${speed} times as fast: what its venue calls five minutes is over in ${lasts}. Times inside a market’s own name are of the markets’ clock, which shows ${exactMoment(marketNowMs(market, nowMs))} now.`;
}

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const withSeconds = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

/** Writes a moment of the wall clock: the time today, with the day otherwise. */
export function moment(atMs: number, nowMs: number): string {
  const isToday = new Date(atMs).toDateString() === new Date(nowMs).toDateString();
  return isToday ? clock.format(atMs) : `${day.format(atMs)} ${clock.format(atMs)}`;
}

/** Writes a moment at the axis of a chart: the time, or the day where one begins. */
export function axisMoment(atMs: number, kind: 'day' | 'time' | 'seconds'): string {
  return { day, time: clock, seconds: withSeconds }[kind].format(atMs);
}

/** Writes a moment to the second. */
export function exactMoment(atMs: number): string {
  return `${day.format(atMs)} ${withSeconds.format(atMs)}`;
}
