import type { BookLevel } from '../../domain/book.ts';
import { priceTicks, shareMicros } from '../../domain/units.ts';

/** Returns levels as they are carried: prices and sizes in turns. */
export function flatLevels(levels: readonly BookLevel[]): number[] {
  return levels.flatMap(({ price, size }) => [price, size]);
}

/** Reads levels that were carried. */
export function levelsOf(flat: readonly number[]): BookLevel[] {
  const levels: BookLevel[] = [];
  eachLevel(flat, (price, size) =>
    levels.push({ price: priceTicks(price), size: shareMicros(size) }),
  );
  return levels;
}

/** Calls `each` with every price and size that was carried. */
export function eachLevel(
  flat: readonly number[],
  each: (price: number, size: number) => void,
): void {
  for (let at = 0; at + 1 < flat.length; at += 2) each(flat[at] ?? 0, flat[at + 1] ?? 0);
}

/**
 * Returns what turns one side of a book into another one, as it is carried: the new size of each
 * price that has another one, 0 where it is left. Both sides come best first.
 */
export function levelChanges(
  from: readonly BookLevel[],
  to: readonly BookLevel[],
  side: 'bid' | 'ask',
): number[] {
  const changes: number[] = [];
  const isBefore = (one: number, other: number): boolean =>
    side === 'bid' ? one > other : one < other;
  let at = 0;
  for (const { price, size } of to) {
    for (; at < from.length; at += 1) {
      const old = from[at];
      if (old === undefined || !isBefore(old.price, price)) break;
      changes.push(old.price, 0);
    }
    const old = from[at];
    if (old?.price !== price) changes.push(price, size);
    else {
      at += 1;
      if (old.size !== size) changes.push(price, size);
    }
  }
  for (const { price } of from.slice(at)) changes.push(price, 0);
  return changes;
}
