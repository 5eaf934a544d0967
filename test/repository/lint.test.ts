import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './source-files.ts';

const FOLDERS = ['src', 'machines', 'streams', 'config', 'test'];

interface LintSettings {
  readonly overrides: readonly { readonly files: readonly string[] }[];
}

/** `a/{b,c}.ts` as `a/b.ts` and `a/c.ts`. */
function alternatives(pattern: string): readonly string[] {
  const braces = /\{([^{}]*)\}/.exec(pattern);
  if (braces === null) return [pattern];
  return (braces[1] ?? '')
    .split(',')
    .flatMap((part) => alternatives(pattern.replace(braces[0], part)));
}

/** What the linter takes a pattern to match; one without a slash matches in every folder. */
function matcher(pattern: string): RegExp {
  const anywhere = pattern.includes('/') ? pattern : `**/${pattern}`;
  const source = anywhere
    .split(/(\*\*\/?|\*)/)
    .map((part) => {
      if (part === '**/') return '(?:.*/)?';
      if (part === '**') return '.*';
      if (part === '*') return '[^/]*';
      return part.replace(/[.+?^$()|[\]\\]/g, '\\$&');
    })
    .join('');
  return new RegExp(`^${source}$`);
}

it('every pattern of the linter matches a file: a rule for a file that moved would hold no more', () => {
  const { overrides } = JSON.parse(
    readFileSync(join(ROOT, 'config/lint.json'), 'utf8'),
  ) as LintSettings; // the linter reads the same
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
      .filter((path) => !path.includes('node_modules')),
  );
  const patterns = overrides.flatMap(({ files }) => files).flatMap(alternatives);
  expect(patterns.length).toBeGreaterThan(10);
  expect(
    patterns.filter((pattern) => {
      const matches = matcher(pattern);
      return !paths.some((path) => matches.test(path));
    }),
  ).toEqual([]);
});
