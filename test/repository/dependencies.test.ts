import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ROOT } from './source-files.ts';

const manifest = z.object({
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
  optionalDependencies: z.record(z.string(), z.string()),
  allowScripts: z.record(z.string(), z.boolean()),
}).parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const section = readme.split('\n## Dependencies\n')[1]?.split('\n## ')[0] ?? '';
const rows = [...section.matchAll(/^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$/gm)].map(([, name = '', kind = '', reason = '']) => ({ name, kind, reason }));

function named(kind: string): readonly string[] {
  return rows.filter((row) => row.kind === kind).map(({ name }) => name).sort();
}

describe('the packages', () => {
  it('are listed in the README, each with a reason, and no other', () => {
    expect(named('runs')).toEqual(Object.keys(manifest.dependencies).sort());
    expect(named('development')).toEqual(Object.keys(manifest.devDependencies).sort());
    expect(named('runs, optional')).toEqual(Object.keys(manifest.optionalDependencies).sort());
    expect(rows.filter(({ reason }) => reason.length < 10)).toEqual([]);
  });

  it('pins every package to one version, and lets none run a script at its installation', () => {
    const { dependencies, devDependencies, optionalDependencies, allowScripts } = manifest;
    const versions = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(versions.filter(([, version]) => !/^(npm:@?[\w./-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
    expect(Object.entries(allowScripts).filter(([, isAllowed]) => isAllowed)).toEqual([]);
  });
});
