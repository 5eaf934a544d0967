import { describe, expect, it } from 'vitest';
import type { LiveBook } from '../../../src/web/live/book.ts';
import { outcomeQuotes } from '../../../src/web/pages/markets/outcome-quotes.ts';

type Listed = Parameters<typeof outcomeQuotes>[0];

// of a market these fields alone are read
const MARKET = {
  outcomes: [
    { side: 'yes', quote: { bid: '0.4', ask: '0.42' } },
    { side: 'no', quote: { bid: '0.58', ask: '0.6' } },
  ],
} as unknown as Listed;

function aBook(bids: readonly string[], asks: readonly string[]): LiveBook {
  const levels = (prices: readonly string[]) => prices.map((price) => ({ price, size: '5' }));
  return { marketId: 'm', venueAtMs: 1, distrust: null, bids: levels(bids), asks: levels(asks) };
}

describe('the prices on the buttons of the outcomes', () => {
  it('are those of the live books, and no longer the listing’s', () => {
    const books = { yes: aBook(['0.5', '0.49'], ['0.52']), no: aBook(['0.48'], ['0.5']) };
    expect(outcomeQuotes(MARKET, books, false)).toEqual({
      yes: { bid: '0.5', ask: '0.52' },
      no: { bid: '0.48', ask: '0.5' },
    });
  });

  it('are of one book where it serves both outcomes', () => {
    const books = { yes: aBook(['0.5', '0.49'], ['0.52', '0.53']), no: null };
    expect(outcomeQuotes(MARKET, books, true)).toEqual({
      yes: { bid: '0.5', ask: '0.52' },
      no: { bid: '0.48', ask: '0.5' },
    });
  });

  it('are the listing’s until a book has come, and unknown where a side of it is empty', () => {
    const books = { yes: aBook([], ['0.52']), no: null };
    expect(outcomeQuotes(MARKET, books, false)).toEqual({
      yes: { bid: null, ask: '0.52' },
      no: { bid: '0.58', ask: '0.6' },
    });
    expect(outcomeQuotes({ outcomes: [] }, { yes: null, no: null }, false).yes.ask).toBeNull();
  });
});
