import { expect, it } from 'vitest';
import { relative } from '../../../src/web/format/time.ts';

it.each([
  [-4_000, '4 s ago'],
  [-400, 'now'],
  [1_000, 'now'],
  [1_900, 'now'],
  [3_000, 'in 3 s'],
  [240_000, 'in 4 min'],
])('a moment %s ms after the page’s clock', (ms, text) => {
  expect(relative(1_000_000 + ms, 1_000_000)).toBe(text);
});
