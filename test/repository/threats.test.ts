import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './source-files.ts';

const readme = readFileSync(join(ROOT, 'test/security/README.md'), 'utf8');
const section = readme.split('\n## Threats\n')[1]?.split('\n## ')[0] ?? '';
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| --- '))
  .slice(1);

interface Named {
  readonly file: string;
  readonly title: string;
}

function testsOf(row: string): readonly Named[] {
  return [...row.matchAll(/`(test\/[\w./-]+\.test\.ts)` “([^”]+)”/g)].map(
    ([, file = '', title = '']) => ({ file, title }),
  );
}

/** Titles stand in the source as they read, but for quotes that are escaped there. */
function isThere({ file, title }: Named): boolean {
  const path = join(ROOT, file);
  return existsSync(path) && readFileSync(path, 'utf8').replaceAll("\\'", "'").includes(title);
}

describe('the threat table in test/security/README.md', () => {
  it('says of everybody who they are, what they hold and what they can do, and names a test of what stops the rest', () => {
    expect(rows.length).toBeGreaterThan(15);
    expect(
      rows.filter((row) => row.split(' | ').length !== 4 || testsOf(row).length === 0),
    ).toEqual([]);
  });

  it('names only tests there are', () => {
    expect(rows.flatMap(testsOf).filter((named) => !isThere(named))).toEqual([]);
  });
});
