import { assert, dictionary, integer, property } from 'fast-check';
import { expect, it } from 'vitest';
import {
  eachLevel,
  flatLevels,
  levelChanges,
  levelsOf,
} from '../../../src/adapters/feed-link/levels.ts';
import { BookFold } from '../../../src/domain/book-fold.ts';
import type { BookLevel } from '../../../src/domain/book.ts';
import { asId, type TokenId } from '../../../src/domain/ids.ts';
import { aLevel } from '../../support/builders.ts';

/** A side of a book: sizes by price, best first. */
const side = (name: 'bid' | 'ask') =>
  dictionary(integer({ min: 1, max: 9_999 }).map(String), integer({ min: 1, max: 9 }), {
    maxKeys: 30,
  }).map((sizes) =>
    Object.entries(sizes)
      .map(([price, size]) => aLevel(Number(price), size))
      .sort((one, other) => (name === 'bid' ? other.price - one.price : one.price - other.price)),
  );

/** The levels of a side after changes of it. */
function changed(
  name: 'bid' | 'ask',
  from: readonly BookLevel[],
  changes: readonly number[],
): readonly BookLevel[] {
  const fold = new BookFold(asId<TokenId>('1'));
  for (const { price, size } of from) fold.setLevel(name, price, size);
  eachLevel(changes, (price, size) => fold.setLevel(name, price, size));
  return name === 'bid' ? fold.view().bids : fold.view().asks;
}

it.each(['bid', 'ask'] as const)(
  'changes of a side make the next one of it, and say nothing of what stays: %s',
  (name) => {
    assert(
      property(side(name), side(name), (from, to) => {
        const changes = levelChanges(from, to, name);
        expect(changed(name, from, changes)).toEqual(to);
        eachLevel(changes, (price, size) =>
          expect(from.find((level) => level.price === price)?.size).not.toBe(size),
        );
      }),
    );
  },
);

it('levels are read as they were carried', () => {
  assert(
    property(side('bid'), (levels) => {
      expect(levelsOf(flatLevels(levels))).toEqual(levels);
    }),
  );
});
