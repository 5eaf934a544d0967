import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAULTS } from '../../src/sandbox/models/faults.ts';
import { endpointRows, errorRows, settingNames } from './readme-tables.ts';
import { ROOT } from './source-files.ts';

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** Table rows of the section below a heading. */
function rowsOf(heading: string): readonly string[] {
  const section = readme.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| ---'));
}

describe('README', () => {
  it('lists every endpoint as the route table states it, and no other', () => {
    expect(rowsOf('Endpoints').slice(1)).toEqual(endpointRows());
  });

  it('lists every error code with its status and sentence, and no other', () => {
    expect(rowsOf('Errors').slice(1)).toEqual(errorRows());
  });

  it('explains every setting, and no other', () => {
    expect(
      rowsOf('Settings')
        .slice(1)
        .map((row) => /`(PREDICTD_\w+)`/.exec(row)?.[1]),
    ).toEqual(settingNames());
  });

  it('names only files that exist', () => {
    const named = [
      ...readme.matchAll(/`((?:src|machines|streams|config|test)\/[\w./-]+\.(?:ts|mjs|json))`/g),
    ].map((match) => match[1] ?? '');
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(named.length).toBeGreaterThan(10);
  });

  it('names only faults that the sandbox knows', () => {
    const named = [...readme.matchAll(/PREDICTD_SANDBOX_FAULTS=([\w,:-]+)/g)].flatMap((match) =>
      (match[1] ?? '').split(',').map((name) => name.replace(/:.*/, '')),
    );
    expect(named.filter((name) => !(name in FAULTS))).toEqual([]);
  });
});
