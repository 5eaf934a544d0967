import { describe, expect, it } from 'vitest';
import { areMirrored, haveSameLevels } from '../../src/domain/book-trust.ts';
import { aLevel } from '../support/builders.ts';

describe('areMirrored', () => {
  it('holds when a bid for one is an ask for the other at one minus its price, empty sides included', () => {
    expect(
      areMirrored({ bestBid: 4_800, bestAsk: 5_000 }, { bestBid: 5_000, bestAsk: 5_200 }),
    ).toBe(true);
    expect(areMirrored({ bestBid: 0, bestAsk: 5_000 }, { bestBid: 5_000, bestAsk: 0 })).toBe(true);
    expect(areMirrored({ bestBid: 0, bestAsk: 0 }, { bestBid: 0, bestAsk: 0 })).toBe(true);
    expect(
      areMirrored({ bestBid: 4_800, bestAsk: 5_000 }, { bestBid: 5_000, bestAsk: 5_100 }),
    ).toBe(false);
    expect(areMirrored({ bestBid: 4_800, bestAsk: 0 }, { bestBid: 5_000, bestAsk: 5_200 })).toBe(
      false,
    );
  });
});

describe('haveSameLevels', () => {
  it('compares prices and sizes of both sides, in any order', () => {
    const book = { bids: [aLevel(4_800, 1), aLevel(4_700, 2)], asks: [aLevel(5_000, 3)] };
    expect(
      haveSameLevels(book, {
        bids: [aLevel(4_700, 2), aLevel(4_800, 1)],
        asks: [aLevel(5_000, 3)],
      }),
    ).toBe(true);
    expect(haveSameLevels(book, { ...book, asks: [aLevel(5_000, 4)] })).toBe(false);
    expect(haveSameLevels(book, { ...book, bids: [aLevel(4_800, 1)] })).toBe(false);
    expect(haveSameLevels(book, { ...book, asks: [...book.asks, aLevel(5_100, 1)] })).toBe(false);
    expect(haveSameLevels(book, { ...book, bids: [aLevel(4_800, 1), aLevel(4_800, 1)] })).toBe(
      false,
    );
    expect(haveSameLevels(book, { ...book, bids: [aLevel(4_800, 1), aLevel(4_600, 2)] })).toBe(
      false,
    );
  });
});
