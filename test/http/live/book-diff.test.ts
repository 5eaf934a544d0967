import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { priceTicks, shareMicros } from '../../../src/domain/units.ts';
import { diffBook, wireLevels } from '../../../src/http/live/book-diff.ts';
import type { WireLevel } from '../../../src/http/live/book-diff.ts';
import { aBook } from '../samples.ts';

const side = fc.dictionary(fc.integer({ min: 1, max: 40 }).map((tick) => String(tick * 100)), fc.integer({ min: 1, max: 5 }), { maxKeys: 20 });
const levels = (sizes: Record<string, number>, direction: 1 | -1) =>
  Object.entries(sizes).map(([price, size]) => ({ price: priceTicks(Number(price)), size: shareMicros(size * 1_000_000) })).sort((a, b) => (a.price - b.price) * direction);
const apply = (before: readonly WireLevel[], changes: readonly WireLevel[]): readonly (readonly [string, string])[] => [...new Map([...before, ...changes])].filter(([, size]) => size !== '0').sort(([a], [b]) => Number(a) - Number(b));
const ordered = (all: readonly WireLevel[]) => [...all].sort(([a], [b]) => Number(a) - Number(b));

describe('diffBook', () => {
  it('turns one book into the other, whatever they hold, and names only what changed', () => {
    fc.assert(
      fc.property(side, side, side, side, (oldBids, oldAsks, newBids, newAsks) => {
        const before = aBook({ bids: levels(oldBids, -1), asks: levels(oldAsks, 1) });
        const after = aBook({ bids: levels(newBids, -1), asks: levels(newAsks, 1) });
        const { bids, asks } = diffBook(before, after);
        expect([apply(wireLevels(before.bids), bids), apply(wireLevels(before.asks), asks)]).toEqual([ordered(wireLevels(after.bids)), ordered(wireLevels(after.asks))]);
        const known = new Set(wireLevels(before.bids).map(String));
        expect(bids.filter((level) => known.has(String(level)))).toEqual([]);
      }),
    );
  });

  it('says nothing of a side that did not change', () => {
    const book = aBook();
    expect(diffBook(book, aBook({ seq: 2 }))).toEqual({ bids: [], asks: [] });
    expect(diffBook(book, book)).toEqual({ bids: [], asks: [] });
  });
});
