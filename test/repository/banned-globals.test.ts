import { describe, expect, it } from 'vitest';
import { sourceFiles } from './source-files.ts';

const INNER = [
  'src/domain',
  'src/ports',
  'src/services',
  'src/sandbox/engine',
  'src/sandbox/calibration',
  'src/sandbox/feeds/prices',
  'src/sandbox/venues/venue-a/markets',
  'machines',
  'streams',
];
const BANNED =
  /(?<![\w.$'"`-])(Date\.now|new Date|setTimeout\(|setInterval\(|setImmediate\(|Math\.random|performance\.now|process\.|fetch\(|new WebSocket|randomBytes\(|randomUUID\()/;

/** The line without its comment and its strings, so that words in sentences do not count. */
function code(line: string): string {
  return line
    .replace(/\/\*.*?\*\//g, '')
    .replace(/\/\/.*$/, '')
    .replace(/^\s*\/?\*.*$/, '')
    .replace(/'[^']*'|"[^"]*"|`[^`]*`/g, "''");
}

describe('L10: time and chance come from ports', () => {
  it('finds no clock, timer, process, network or random number in the inner folders', () => {
    const broken = sourceFiles(INNER).flatMap((file) =>
      file.text
        .split('\n')
        .flatMap((line, index) =>
          BANNED.test(code(line)) ? [`${file.path}:${index + 1} ${line.trim()}`] : [],
        ),
    );
    expect(broken).toEqual([]);
  });
});

describe('types stay honest', () => {
  it('finds no any and no non-null assertion in the sources', () => {
    const broken = sourceFiles(['src', 'machines', 'streams', 'config']).flatMap((file) =>
      file.text
        .split('\n')
        .flatMap((line, index) =>
          /(:\s*any\b|<any>|\bas any\b|\w!\.|\w!;|\w!\))/.test(code(line))
            ? [`${file.path}:${index + 1} ${line.trim()}`]
            : [],
        ),
    );
    expect(broken).toEqual([]);
  });
});

describe('folders are made by makeFolder', () => {
  it('finds no recursive mkdir of Node in the sources, which never ends in /proc', () => {
    const broken = sourceFiles(['src', 'machines', 'streams', 'config']).filter(({ text }) =>
      /\bmkdir(Sync)?\([^;]*recursive/.test(text),
    );
    expect(broken.map(({ path }) => path)).toEqual([]);
  });
});
