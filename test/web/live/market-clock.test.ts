import { expect, it } from 'vitest';
import { sandboxTime, timeLeft } from '../../../src/web/format/time.ts';
import { daemonNowMs, marketClockOf, marketNowMs } from '../../../src/web/live/market-clock.ts';

const CLOCK = marketClockOf({ wallAtMs: 50_000, marketAtMs: 900_000, speed: 10 }, 40_000, 42_000);

it('the market clock runs on from where it was read, as fast as it was said to', () => {
  expect(daemonNowMs(CLOCK, 41_000)).toBe(50_000);
  expect(marketNowMs(CLOCK, 50_000)).toBe(900_000);
  expect(marketNowMs(CLOCK, 53_000)).toBe(930_000);
});

it('what is left is of the clock that the page shows, by the second in its last hour', () => {
  expect([timeLeft(30_000), timeLeft(3_599_000), timeLeft(7_200_000)]).toEqual([
    '0:30',
    '59:59',
    '2 h',
  ]);
});

it('the one clock is explained beside that of the sandbox’s markets', () => {
  const text = sandboxTime(CLOCK, 50_000);
  expect(text).toContain('10 times as fast');
  expect(text).toContain('five minutes is over in 30 s');
});
