import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundedInteger } from '../../../src/adapters/random/bounded-integer.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { createSystemRandom } from '../../../src/adapters/random/system-random.ts';

const SOURCES = [
  ['seeded', createSeededRandom('x')],
  ['system', createSystemRandom()],
] as const;

describe.each(SOURCES)('the %s source', (_, random) => {
  it('draws whole numbers from 0 up to the bound, whatever the bound', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (bound) => {
        const drawn = random.integer(bound);
        expect(Number.isSafeInteger(drawn) && drawn >= 0 && drawn < bound).toBe(true);
      }),
    );
    expect(random.integer(1)).toBe(0);
    expect(random.integer(2 ** 53)).toBeLessThan(2 ** 53);
  });

  it('draws every number of a small range about equally often', () => {
    const counts = Array.from({ length: 7 }, () => 0);
    for (let draw = 0; draw < 70_000; draw += 1) {
      const drawn = random.integer(7);
      counts[drawn] = (counts[drawn] ?? 0) + 1;
    }
    // Eight standard deviations of 10 000 ± 93: a fair source misses this once in 10^14 runs.
    counts.forEach((count) => expect(Math.abs(count - 10_000)).toBeLessThan(750));
  });

  it('gives as many bytes as asked for, not all the same', () => {
    const bytes = random.bytes(64);
    expect(bytes).toHaveLength(64);
    expect(new Set(bytes).size).toBeGreaterThan(16);
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 53 + 2])('refuses the bound %s', (bound) => {
    expect(() => random.integer(bound)).toThrow('random bound');
  });
});

describe('the seeded source', () => {
  const firstDraws = (seed: string | number) => {
    const random = createSeededRandom(seed);
    return Array.from({ length: 5 }, () => random.integer(1_000_000));
  };

  it('L10: repeats its draws for the same seed', () => {
    expect(firstDraws('run-7')).toEqual(firstDraws('run-7'));
    expect(firstDraws(42)).toEqual([...firstDraws('42')]);
  });

  it('gives unrelated draws for close seeds', () => {
    expect(firstDraws(1)).not.toEqual(firstDraws(2));
    expect(firstDraws('run:makers')).not.toEqual(firstDraws('run:prices'));
  });
});

it('throws away draws that would favour low numbers', () => {
  const words = [2 ** 32 - 1, 5];
  expect(boundedInteger(3, () => words.shift() ?? 0)).toBe(5 % 3);
  expect(words).toEqual([]);
});
