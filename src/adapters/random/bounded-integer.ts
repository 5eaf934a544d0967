import { assert } from '../../domain/errors.ts';

const WORD = 2 ** 32;
const LARGEST_BOUND = 2 ** 53;

/**
 * Draws a whole number below `bound` from `word`, a source of unsigned 32-bit numbers. Draws that
 * would favour the low numbers are thrown away, so every number is equally likely.
 */
export function boundedInteger(bound: number, word: () => number): number {
  assert(
    Number.isInteger(bound) && bound >= 1 && bound <= LARGEST_BOUND,
    `a random bound from 1 to 2^53, not ${bound}`,
  );
  const isSmall = bound <= WORD;
  const span = isSmall ? WORD : LARGEST_BOUND;
  const fair = span - (span % bound);
  for (;;) {
    const drawn = isSmall ? word() : (word() >>> 11) * WORD + word();
    if (drawn < fair) return drawn % bound;
  }
}
