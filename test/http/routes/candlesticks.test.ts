import { describe, expect, it } from 'vitest';
import { candleSpan, type CandleBounds } from '../../../src/http/routes/candlesticks.ts';
import type { MarketTime } from '../../../src/ports/market-time.ts';

const NOW_MS = Date.UTC(2026, 10, 28);
const BOUNDS: CandleBounds = { periods: ['60'], maximum: 100, default: 24 };
const HOUR_MS = 3_600_000;
/** Ten times as fast as the wall, from this moment on. */
const FAST: MarketTime = {
  speed: 10,
  toWallMs: (atMs) => NOW_MS + (atMs - NOW_MS) / 10,
  toMarketMs: (atMs) => NOW_MS + (atMs - NOW_MS) * 10,
};
const spanOf = (span: { fromAtMs?: number; toAtMs?: number }) =>
  candleSpan({ periodMinutes: 60, ...span }, { marketTime: FAST, wallNowMs: NOW_MS }, BOUNDS);

describe('a span of prices over time', () => {
  it.each([[0], [NOW_MS / 2], [NOW_MS - NOW_MS / 10]])(
    'that ends before 1970 on a fast market clock is refused at its end: %i',
    (toAtMs) => {
      for (const from of [{}, { fromAtMs: toAtMs - 1_000 }])
        expect(() => spanOf({ ...from, toAtMs })).toThrow(
          expect.objectContaining({
            code: 'invalid_request',
            fields: [expect.objectContaining({ path: '/query/toAtMs' })],
          }),
        );
    },
  );

  it('that begins before 1970 there begins with it', () => {
    const toAtMs = FAST.toWallMs(HOUR_MS);
    expect([
      spanOf({ toAtMs }),
      spanOf({ toAtMs, fromAtMs: FAST.toWallMs(-HOUR_MS) }),
    ]).toMatchObject([
      { fromMs: 0, toMs: HOUR_MS },
      { fromMs: 0, toMs: HOUR_MS },
    ]);
  });
});
