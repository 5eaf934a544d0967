import { assert, integer, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  heldBid,
  judgeStopLoss,
  STOP_READINGS_WITHIN_MS,
  stopTicks,
  withReading,
  type BidReading,
} from '../../../src/domain/farming/stop-loss.ts';

const ENTRY = { usdc: 4_850_000, shares: 5_000_000 };
/** Looks at these bids, five seconds apart from 0. */
const looked = (...bids: readonly number[]): readonly BidReading[] =>
  bids.reduce<readonly BidReading[]>(
    (looks, bidTicks, index) => withReading(looks, { bidTicks, atMs: index * 5_000 }),
    [],
  );

describe('the stop below an entry', () => {
  it('lies the stated share below the average price paid, rounded down to a tick', () => {
    expect(stopTicks(ENTRY, 100)).toBe(8_730);
    expect(stopTicks({ usdc: 4_800_000, shares: 5_000_000 }, 100)).toBe(8_640);
    expect(stopTicks({ usdc: 1_000_001, shares: 3_000_000 }, 25)).toBe(3_250);
  });

  it('is never above the entry less its share, and less than a tick and a rounding below it', () => {
    assert(
      property(
        record({
          price: integer({ min: 9_400, max: 9_900 }),
          shares: integer({ min: 1_000_000, max: 2_000_000_000 }),
          loss: integer({ min: 10, max: 500 }),
        }),
        ({ price, shares, loss }) => {
          const usdc = Math.floor((shares * price) / 10_000);
          const exact = (usdc / shares) * 10_000 * (1 - loss / 1_000);
          const stop = stopTicks({ usdc, shares }, loss);
          expect(stop).toBeLessThanOrEqual(exact + 1e-6);
          expect(stop).toBeGreaterThan(exact - 1.001);
        },
      ),
    );
  });
});

describe('safety rule 3: a position is closed when the price falls 10 percent from entry', () => {
  it('exits when three looks in a row find the bid at or below the stop', () => {
    expect(judgeStopLoss(1, 8_730, looked(8_730, 8_700, 8_730), 10_000)).toMatchObject({
      verdict: 'exit',
      outcome: 1,
    });
    expect(judgeStopLoss(1, 8_730, looked(8_730, 8_700, 8_731), 10_000)).toMatchObject({
      verdict: 'hold',
      outcome: 1,
    });
  });

  it('takes looks less than three seconds apart for one, by the better of their bids', () => {
    const first = [{ bidTicks: 8_730, atMs: 10_000 }];
    const then = (atMs: number, bidTicks: number) => withReading(first, { bidTicks, atMs });
    expect([then(12_999, 8_000), then(12_999, 8_730)].map((looks) => looks === first)).toEqual([
      true,
      true,
    ]);
    expect([then(12_999, 8_800), then(13_000, 8_000)]).toEqual([
      [{ bidTicks: 8_800, atMs: 10_000 }],
      [...first, { bidTicks: 8_000, atMs: 13_000 }],
    ]);
  });

  it('keeps the last three looks, and counts those of one minute, the first included', () => {
    expect(looked(1, 2, 3, 4).map(({ bidTicks }) => bidTicks)).toEqual([2, 3, 4]);
    const bids = [20_000, 25_000, 30_000].map((atMs) => ({ bidTicks: 7, atMs }));
    expect([heldBid(bids, 20_000 + STOP_READINGS_WITHIN_MS), heldBid(bids, 80_001)]).toEqual([
      7,
      null,
    ]);
  });

  it('says what was seen, and whether that passes the stop', () => {
    const criterionOf = (looks: readonly BidReading[]) =>
      judgeStopLoss(1, 8_730, looks, 10_000).criteria[0];
    expect([
      criterionOf([]),
      criterionOf(looked(8_730, 8_700)),
      criterionOf(looked(8_730, 8_700, 8_730)),
      criterionOf(looked(8_730, 8_700, 8_731)),
    ]).toMatchObject([
      { value: 'not seen', passed: false },
      { value: '0.873, 0.87', passed: false },
      { value: '0.873, 0.87, 0.873', passed: true },
      { value: '0.873, 0.87, 0.8731', passed: false },
    ]);
  });

  it('sells nothing on one flickering quote, before or between', () => {
    expect(judgeStopLoss(1, 8_730, looked(9_600, 5_000, 9_600), 10_000).verdict).toBe('hold');
    expect(judgeStopLoss(1, 8_730, looked(5_000), 0).verdict).toBe('hold');
    expect(judgeStopLoss(1, 8_730, looked(5_000, 5_000, 9_600, 5_000), 15_000).verdict).toBe(
      'hold',
    );
  });

  it('exits without any bid', () => {
    expect(judgeStopLoss(0, 8_730, looked(0, 0, 0), 10_000).verdict).toBe('exit');
  });

  it('counts looks that come in one moment as one, and the better bid for both', () => {
    const looks = [0, 500, 1_000, 2_999].reduce<readonly BidReading[]>(
      (known, atMs) => withReading(known, { bidTicks: 5_000, atMs }),
      [],
    );
    expect(looks).toEqual([{ bidTicks: 5_000, atMs: 0 }]);
    expect(withReading(looks, { bidTicks: 9_000, atMs: 1_000 })).toEqual([
      { bidTicks: 9_000, atMs: 0 },
    ]);
  });

  it('forgets looks that are too old to speak of the same fall', () => {
    const looks = looked(8_000, 8_000, 8_000);
    expect(heldBid(looks, 10_000)).toBe(8_000);
    expect(heldBid(looks, STOP_READINGS_WITHIN_MS + 1)).toBeNull();
    expect(
      withReading(looks, { bidTicks: 8_000, atMs: 10_000 + STOP_READINGS_WITHIN_MS }),
    ).toHaveLength(2);
  });

  it('holds without looks', () => {
    expect(judgeStopLoss(1, 8_730, [], 0)).toMatchObject({
      verdict: 'hold',
      criteria: [{ value: 'not seen', passed: false }],
    });
  });
});
