import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BookView } from '../../../src/domain/book.ts';
import { priceTicks, shareMicros } from '../../../src/domain/units.ts';
import { diffBook } from '../../../src/http/live/book-diff.ts';
import { viewLevel } from '../../../src/http/views/book.ts';
import {
  bestOf,
  foldBook,
  isSameBest,
  type LiveBook,
  mirrored,
} from '../../../src/web/live/book.ts';

const BOOK: LiveBook = {
  marketId: 'm',
  venueAtMs: 1,
  distrust: null,
  bids: [
    { price: '0.48', size: '10' },
    { price: '0.47', size: '5' },
  ],
  asks: [{ price: '0.5', size: '7' }],
};

describe('a book on a page', () => {
  it('takes new sizes, keeps the others, and drops levels of size zero', () => {
    expect(
      foldBook(BOOK, {
        venueAtMs: 2,
        bids: [
          { price: '0.47', size: '0' },
          { price: '0.49', size: '1' },
        ],
        asks: [{ price: '0.51', size: '3' }],
      }),
    ).toEqual({
      marketId: 'm',
      venueAtMs: 2,
      distrust: null,
      bids: [
        { price: '0.49', size: '1' },
        { price: '0.48', size: '10' },
      ],
      asks: [
        { price: '0.5', size: '7' },
        { price: '0.51', size: '3' },
      ],
    });
  });

  it('is mirrored to the other outcome: a bid at 48 cents is an ask at 52', () => {
    expect(mirrored(BOOK)).toEqual({
      ...BOOK,
      bids: [{ price: '0.5', size: '7' }],
      asks: [
        { price: '0.52', size: '10' },
        { price: '0.53', size: '5' },
      ],
    });
  });

  it('has other best prices only where the first level of a side has another price', () => {
    const best = bestOf(BOOK);
    expect(best.bids).toEqual([{ price: '0.48', size: '10' }]);
    expect(isSameBest(best, bestOf(foldBook(BOOK, { bids: [{ price: '0.48', size: '9' }] })))).toBe(
      true,
    );
    expect(isSameBest(best, bestOf(foldBook(BOOK, { asks: [{ price: '0.49', size: '1' }] })))).toBe(
      false,
    );
    expect(isSameBest(best, { ...best, asks: [] })).toBe(false);
    expect(isSameBest(best, null)).toBe(false);
    expect(isSameBest(null, null)).toBe(true);
  });

  it('is, folded with the difference of two states of the daemon, the second state', () => {
    const levels = fc.uniqueArray(
      fc.record({ price: fc.integer({ min: 1, max: 99 }), size: fc.integer({ min: 1, max: 50 }) }),
      { selector: ({ price }) => price, maxLength: 12 },
    );
    const side = (of: readonly { price: number; size: number }[], order: 1 | -1) =>
      of
        .toSorted((a, b) => order * (a.price - b.price))
        .map(({ price, size }) => ({
          price: priceTicks(price * 100),
          size: shareMicros(size * 1_000_000),
        }));
    const bookOf = (bids: Parameters<typeof side>[0], asks: Parameters<typeof side>[0]) =>
      // the difference reads nothing else of a book
      ({ bids: side(bids, -1), asks: side(asks, 1) }) as unknown as BookView;
    fc.assert(
      fc.property(levels, levels, levels, levels, (bids, asks, nextBids, nextAsks) => {
        const before = bookOf(bids, asks);
        const after = bookOf(nextBids, nextAsks);
        const shown = (book: BookView) => ({
          bids: book.bids.map(viewLevel),
          asks: book.asks.map(viewLevel),
        });
        expect(foldBook({ ...BOOK, ...shown(before) }, diffBook(before, after))).toMatchObject(
          shown(after),
        );
      }),
    );
  });
});
