import { expect, it } from 'vitest';
import { todayName } from '../../../src/web/pages/home/today-name.ts';

const SAME = { speed: 1, skewMs: 0, aheadMs: 0, readAtMs: 0 };
const HOUR_MS = 3_600_000;
/** Where UTC and this device's time differ, so do the days. */
const atLocal = (hours: number, minutes = 0) => new Date(2026, 10, 29, hours, minutes).getTime();
const utcAhead = (atMs: number) => new Date(atMs).getTimezoneOffset() * 60_000;

it('names the day of results, and when it began where that is not the device’s own', () => {
  const nowMs = atLocal(23, 9);
  const own = { ...SAME, aheadMs: -utcAhead(nowMs), readAtMs: nowMs };
  expect(todayName(own, nowMs)).toBe('Today');
  const sinceOne = { ...own, aheadMs: own.aheadMs - HOUR_MS };
  expect(todayName(sinceOne, nowMs)).toBe('Today, since 01:00');
});

it('names the day of a sandbox, which lasts as much less as its markets run faster', () => {
  const nowMs = atLocal(23, 9);
  const midnight = Math.ceil(nowMs / 86_400_000) * 86_400_000;
  // its markets' day is two hours old, which is ten minutes of the wall's at twelve times
  const clock = { ...SAME, speed: 12, readAtMs: nowMs, aheadMs: midnight + 2 * HOUR_MS - nowMs };
  expect(todayName(clock, nowMs)).toBe('Today, since 22:59');
});
