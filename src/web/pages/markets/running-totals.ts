import { sumOf } from '../../format/money.ts';
import type { Level } from '../../live/book.ts';

/** Returns the shares of a book's side up to each of its first `rows` levels, all decimals kept. */
export function runningTotals(levels: readonly Level[], rows: number): readonly string[] {
  let total: string | null = '0';
  return levels.slice(0, rows).map(({ size }) => {
    total = sumOf([total, size]);
    return total ?? '0';
  });
}
