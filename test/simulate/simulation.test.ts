import { describe, expect, it } from 'vitest';
import { simulate } from './simulation.ts';

/** Fixed seeds: `npm run simulate` goes on from here. */
const SEEDS = [1, 2, 3];

describe('a simulated day', () => {
  it.each(SEEDS)('L1 to L9: leaves nothing to find, through its faults and power cuts (seed %i)', async (seed) => {
    const { findings, lives, orders, fills } = await simulate(seed, 1);
    expect(findings).toEqual({});
    expect([lives > 1, orders > 20, fills > 10]).toEqual([true, true, true]);
  });

  it('L10: leaves the same journal when it is lived again, and another one from another seed', async () => {
    const hashes: string[] = [];
    for (const seed of [4, 4, 5]) hashes.push((await simulate(seed, 1)).hash);
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).not.toBe(hashes[0]);
  });
});
