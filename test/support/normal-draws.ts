import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';

/** Draws of the standard normal distribution by a seed (G. Box and M. Muller, 1958). */
export function normalDraws(seed: string): () => number {
  const random = createSeededRandom(seed);
  const word = 2 ** 32;
  return () =>
    Math.sqrt(-2 * Math.log((random.integer(word) + 1) / word)) *
    Math.cos((2 * Math.PI * random.integer(word)) / word);
}
