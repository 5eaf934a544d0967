import { expect, it } from 'vitest';
import { sourceFiles } from './source-files.ts';

/** What is written in one file, and what the same written out elsewhere looks like. */
const HELPERS = [
  { path: 'src/domain/back-off.ts', writtenOut: /\* 2 \*\* |2 \*\* Math\./ },
  { path: 'src/domain/bounded-map.ts', writtenOut: /\.keys\(\)\.next\(\)\.value/ },
] as const;

it.each(HELPERS)('$path is used, and not written out again', ({ path, writtenOut }) => {
  const found = sourceFiles(['src'])
    .filter((file) => file.path !== path)
    .filter(({ text }) => writtenOut.test(text))
    .map((file) => file.path);
  expect(found).toEqual([]);
});
