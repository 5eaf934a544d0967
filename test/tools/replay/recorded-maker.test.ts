import { describe, expect, it } from 'vitest';
import type { RecordedBook } from '../../../src/tools/replay/recording.ts';
import { startRecordedMaker } from '../../../src/tools/replay/recorded-maker.ts';
import { aMarket, aVenue, START_MS, UP } from '../../sandbox/engine/a-venue.ts';

const level = (price: number, shares: number) => ({ price, size: shares * 1_000_000 });
const books: readonly RecordedBook[] = [
  { atMs: START_MS + 1_000, bids: [level(5_000, 100), level(4_900, 20)], asks: [level(5_100, 50)] },
  { atMs: START_MS + 2_000, bids: [level(5_000, 100)], asks: [level(5_100, 40), level(5_200, 3)] },
  { atMs: START_MS + 3_000, bids: [], asks: [] },
];

describe('the market maker that shows recorded books', () => {
  it('shows each book when its time has come, and leaves out what the venue would not take', async () => {
    const { exchange, clock } = aVenue();
    const maker = startRecordedMaker({ clock, exchange, market: aMarket(), books });
    const seen = [exchange.book(UP)];
    for (let second = 1; second <= 3; second += 1) {
      await clock.advanceTo(START_MS + second * 1_000);
      seen.push(exchange.book(UP));
    }
    expect(seen).toEqual([
      { bids: [], asks: [] },
      { bids: [level(5_000, 100), level(4_900, 20)], asks: [level(5_100, 50)] },
      { bids: [level(5_000, 100)], asks: [level(5_100, 40)] },
      { bids: [], asks: [] },
    ]);
    expect(maker.levelsLeftOut).toBe(1);
  });

  it('keeps what was taken from it until the next book, and then shows that', async () => {
    const { exchange, clock, take } = aVenue();
    startRecordedMaker({ clock, exchange, market: aMarket(), books });
    await clock.advanceTo(START_MS + 1_000);
    take({ maker: 'a', tokenId: UP, side: 'sell', price: 5_000, shares: 30 });
    expect(exchange.book(UP).bids).toEqual([level(5_000, 70), level(4_900, 20)]);
    await clock.advanceTo(START_MS + 2_000);
    expect(exchange.book(UP).bids).toEqual([level(5_000, 100)]);
  });
});
