import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { HEAP } from '../../config/limits/heap.ts';

const BOUND = new URL('../../dist/src/app/heap-growth.js', import.meta.url);

/**
 * Holds some objects, and lets many times as many grow old and be lost; prints what there was at
 * first and at most, MB: unbounded it is four times as much.
 */
const LIFE = `
  const { boundHeapGrowth } = await import(${JSON.stringify(BOUND.href)});
  boundHeapGrowth();
  const held = Array.from({ length: 1_000_000 }, (_, index) => ({ index, text: 'held ' + index }));
  const passing = new Array(300_000);
  const pass = (index) => void (passing[index % passing.length] = { index, text: 'passing ' + index });
  for (let index = 0; index < passing.length; index += 1) pass(index);
  globalThis.gc();
  const used = () => process.memoryUsage().heapUsed / 2 ** 20;
  const before = used();
  let most = 0;
  for (let index = 0; index < 10_000_000; index += 1) {
    pass(index);
    if (index % 10_000 === 0) most = Math.max(most, used());
  }
  console.log(JSON.stringify({ before, most, held: held.length }));
`;
/**
 * What is young lies beside it: two halves of 16 MB, and what of it grows old before the collection
 * that is due has begun.
 */
const YOUNG_MEGABYTES = 64;

it('collects a heap that has grown by its share over what is live', () => {
  const out = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', LIFE], {
    encoding: 'utf8',
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  });
  // printed by the life above
  const { before, most } = JSON.parse(out) as { readonly before: number; readonly most: number };
  expect(most).toBeLessThan(before * (1 + HEAP.growthPercent / 100) + YOUNG_MEGABYTES);
});
