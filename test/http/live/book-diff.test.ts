import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { priceTicks, shareMicros } from '../../../src/domain/units.ts';
import type { BookLevel } from '../../../src/domain/book.ts';
import { diffBook } from '../../../src/http/live/book-diff.ts';
import { viewLevel, type LevelView } from '../../../src/http/views/book.ts';
import { aBook } from '../samples.ts';

const side = fc.dictionary(
  fc.integer({ min: 1, max: 40 }).map((tick) => String(tick * 100)),
  fc.integer({ min: 1, max: 5 }),
  { maxKeys: 20 },
);
const levels = (sizes: Record<string, number>, direction: 1 | -1) =>
  Object.entries(sizes)
    .map(([price, size]) => ({
      price: priceTicks(Number(price)),
      size: shareMicros(size * 1_000_000),
    }))
    .sort((a, b) => (a.price - b.price) * direction);
const shown = (all: readonly BookLevel[]): readonly LevelView[] => all.map(viewLevel);
const ordered = (all: readonly LevelView[]): readonly LevelView[] =>
  [...all].sort((a, b) => Number(a.price) - Number(b.price));
const apply = (before: readonly LevelView[], changes: readonly LevelView[]): readonly LevelView[] =>
  ordered(
    [...new Map([...before, ...changes].map((level) => [level.price, level])).values()].filter(
      ({ size }) => size !== '0',
    ),
  );

describe('diffBook', () => {
  it('turns one book into the other, whatever they hold, and names only what changed', () => {
    fc.assert(
      fc.property(side, side, side, side, (oldBids, oldAsks, newBids, newAsks) => {
        const before = aBook({ bids: levels(oldBids, -1), asks: levels(oldAsks, 1) });
        const after = aBook({ bids: levels(newBids, -1), asks: levels(newAsks, 1) });
        const { bids, asks } = diffBook(before, after);
        expect([apply(shown(before.bids), bids), apply(shown(before.asks), asks)]).toEqual([
          ordered(shown(after.bids)),
          ordered(shown(after.asks)),
        ]);
        const known = new Set(shown(before.bids).map((level) => JSON.stringify(level)));
        expect(bids.filter((level) => known.has(JSON.stringify(level)))).toEqual([]);
      }),
    );
  });

  it('says nothing of a side that did not change', () => {
    const book = aBook();
    expect(diffBook(book, aBook({ seq: 2 }))).toEqual({ bids: [], asks: [] });
    expect(diffBook(book, book)).toEqual({ bids: [], asks: [] });
  });
});
