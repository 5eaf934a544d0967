import type { BookLevel, BookView } from '../../domain/book.ts';
import { formatPrice } from '../../domain/units.ts';
import { viewLevel, type LevelView } from '../views/book.ts';

/** What changed between two views of one book: new sizes, and "0" for levels that are gone. */
export function diffBook(
  before: BookView,
  after: BookView,
): { readonly bids: readonly LevelView[]; readonly asks: readonly LevelView[] } {
  return {
    bids: diffSide(before.bids, after.bids, -1),
    asks: diffSide(before.asks, after.asks, 1),
  };
}

/**
 * Walks both sides at once; `direction` is 1 where prices rise from best to worst, −1 where they
 * fall.
 */
function diffSide(
  before: readonly BookLevel[],
  after: readonly BookLevel[],
  direction: 1 | -1,
): readonly LevelView[] {
  if (before === after) return [];
  const changes: LevelView[] = [];
  let left = 0;
  let right = 0;
  while (left < before.length || right < after.length) {
    const old = before[left];
    const fresh = after[right];
    const order =
      old === undefined ? 1 : fresh === undefined ? -1 : (old.price - fresh.price) * direction;
    if (order < 0 && old !== undefined) {
      changes.push({ price: formatPrice(old.price), size: '0' });
      left += 1;
      continue;
    }
    if (fresh !== undefined && (order > 0 || old?.size !== fresh.size))
      changes.push(viewLevel(fresh));
    if (order === 0) left += 1;
    right += 1;
  }
  return changes;
}
