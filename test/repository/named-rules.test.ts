import { expect, it } from 'vitest';
import { sourceFiles } from './source-files.ts';

const titles = sourceFiles(['test']).flatMap((file) =>
  file.text
    .split('\n')
    .filter(
      (line) =>
        /\b(?:it|describe)(?:\.each)?\b/.test(line) ||
        /^\s*\]\)?\(['"`]/.test(line) ||
        /\]\)\(/.test(line),
    ),
);

it('each law of the design is named by a test', () => {
  const laws = Array.from({ length: 12 }, (_, index) => `L${index + 1}`);
  expect(
    laws.filter((law) => !titles.some((title) => new RegExp(`['"\`(, ]${law}[:,]`).test(title))),
  ).toEqual([]);
});

it('each safety rule of the farming agent is named by a test', () => {
  expect(
    [1, 2, 3, 4].filter((rule) => !titles.some((title) => title.includes(`safety rule ${rule}:`))),
  ).toEqual([]);
});
