import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';

/** What every sample is drawn by, so that a clone tests the same today and tomorrow. */
export const SAMPLE_SEED = 'predictd 1';

/** True under `npm run test:whole`: nothing is left to a sample. */
export const IS_WHOLE = process.env['TEST_SAMPLES'] === 'all';

/**
 * Returns `count` of the items in their order, the same ones each time, others for other names;
 * all of them under `npm run test:whole`.
 */
export function sampled<T>(name: string, items: readonly T[], count: number): readonly T[] {
  if (IS_WHOLE || count >= items.length) return items;
  const random = createSeededRandom(`${SAMPLE_SEED}:${name}`);
  const left = items.map((_, index) => index);
  const drawn = Array.from({ length: count }, () =>
    left.splice(random.integer(left.length), 1),
  ).flat();
  return drawn.sort((one, other) => one - other).flatMap((index) => items.slice(index, index + 1));
}

/** Returns how many runs to make: `few`, or `all` under `npm run test:whole`. */
export function runs(few: number, all: number): number {
  return IS_WHOLE ? all : few;
}
