import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAULTS } from '../../src/sandbox/faults.ts';
import { anchorsOf, linksOf, proseOf, readmePaths } from './readme-files.ts';
import { commandRows, endpointRows, errorRows, settingNames } from './readme-tables.ts';
import { ROOT } from './source-files.ts';

/**
 * The root README is an overview: what it is, how to start, where to read on. The rest lies beside
 * what it describes.
 */
const ROOT_README_BYTES = 15_360;
const PROSE_COLUMNS = 140;

const paths = readmePaths();
const textOf = new Map(paths.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));

/** Table rows of the section below a heading. */
function rowsOf(path: string, heading: string): readonly string[] {
  const section = textOf.get(path)?.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| ---'));
}

/** What `find` finds in each README, as `path: finding`. */
function found(find: (text: string, path: string) => readonly string[]): readonly string[] {
  return [...textOf].flatMap(([path, text]) =>
    find(text, path).map((finding) => `${path}: ${finding}`),
  );
}

describe('the tables in READMEs', () => {
  it('list every endpoint as the route table states it, and no other', () => {
    expect(rowsOf('src/http/README.md', 'Endpoints').slice(1)).toEqual(endpointRows());
  });

  it('list every error code with its status and sentence, and no other', () => {
    expect(rowsOf('src/http/README.md', 'Errors').slice(1)).toEqual(errorRows());
  });

  it('list every command with its words and exit codes, and no other', () => {
    expect(rowsOf('config/README.md', 'Commands').slice(1)).toEqual(commandRows());
  });

  it('explain every setting, and no other', () => {
    expect(
      rowsOf('config/README.md', 'Settings')
        .slice(1)
        .map((row) => /`(PREDICTD_\w+)`/.exec(row)?.[1]),
    ).toEqual(settingNames());
  });
});

describe('READMEs', () => {
  it('begin with a root README that is read in a few minutes', () => {
    expect(Buffer.byteLength(textOf.get('README.md') ?? '')).toBeLessThanOrEqual(ROOT_README_BYTES);
    expect(paths.length).toBeGreaterThan(25);
  });

  it('are all reached from the root README, by links alone', () => {
    const reached = new Set(['README.md']);
    for (const path of reached)
      for (const link of linksOf(textOf.get(path) ?? '')) {
        const target = join(dirname(path), link.replace(/#.*/, ''));
        if (textOf.has(target)) reached.add(target);
      }
    expect(paths.filter((path) => !reached.has(path))).toEqual([]);
  });

  it('link only to files and headings that exist', () => {
    expect(
      found((text, path) => linksOf(text).filter((link) => !leadsSomewhere(path, link))),
    ).toEqual([]);
  });

  it('name only files that exist', () => {
    const named = (text: string): readonly string[] =>
      [
        ...text.matchAll(/`((?:src|machines|streams|config|test)\/[\w./-]+\.(?:ts|mjs|json|md))`/g),
      ].map((match) => match[1] ?? '');
    expect(found((text) => named(text).filter((path) => !existsSync(join(ROOT, path))))).toEqual(
      [],
    );
    expect(found(named).length).toBeGreaterThan(50);
  });

  it('name only faults that the sandbox knows', () => {
    const named = (text: string): readonly string[] =>
      [...text.matchAll(/PREDICTD_SANDBOX_FAULTS=([\w,:-]+)/g)].flatMap((match) =>
        (match[1] ?? '').split(',').map((name) => name.replace(/:.*/, '')),
      );
    expect(found((text) => named(text).filter((name) => !(name in FAULTS)))).toEqual([]);
  });

  it('keep lines of prose readable side by side with code', () => {
    expect(found((text) => proseOf(text).filter((line) => line.length > PROSE_COLUMNS))).toEqual(
      [],
    );
  });
});

/**
 * Reports whether a link of a README leads to a file of the repository, and to a heading of it
 * where it names one.
 */
function leadsSomewhere(from: string, link: string): boolean {
  if (/^https?:/.test(link)) return true;
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? from : join(dirname(from), file);
  if (!existsSync(join(ROOT, target))) return false;
  return (
    anchor === undefined || anchorsOf(readFileSync(join(ROOT, target), 'utf8')).includes(anchor)
  );
}
