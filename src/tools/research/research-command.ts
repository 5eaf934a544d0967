import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { usageOf } from '../../app/commands.ts';
import { openDataFolder } from './data-folder.ts';
import { researchFigures } from './figures.ts';
import { readmeTable } from './report/readme-table.ts';
import { reportPage } from './report/report-page.ts';
import { summaryOf } from './report/verdicts.ts';
import { makeFolder } from '../../adapters/files/make-folder.ts';

const DATA_DEFAULT = '../shared/data';
const OUT_DEFAULT = '.predictd/research';
const EXIT_WRONG_INPUT = 2;
/** Decimals of the figures file: more than any reader needs, fewer than the last bit of a sum. */
const DECIMALS = 9;

/**
 * Runs `predictd research`: reads the recorded data, writes `report.html` and `figures.json`,
 * prints the answer in short. Gives the exit code: 0; 2 with one sentence when the command is
 * wrong, the data is absent or no row of a file can be used.
 */
export function runResearchCommand(
  words: readonly string[],
  print: (line: string) => void,
): number {
  try {
    const { data, out } = readCommand(words);
    if (!existsSync(data))
      throw new AppError(
        'config_invalid',
        `there is no recorded data at ${data}; name its folder with --data; use: ${usageOf('research')}`,
      );
    const folder = openDataFolder(data);
    const figures = researchFigures(folder);
    if (folder.read.length === 0)
      throw new AppError('config_invalid', `${data} holds none of the sets that the report reads.`);
    makeFolder(out);
    writeFileSync(join(out, 'figures.json'), `${JSON.stringify(figures, rounded, 1)}\n`);
    writeFileSync(join(out, 'report.html'), reportPage(figures, folder.read));
    writeFileSync(join(out, 'readme-table.md'), `${readmeTable(figures)}\n`);
    for (const sentence of summaryOf(figures)) print(sentence);
    const leftOut = folder.read.filter((file) => file.leftOut > 0);
    for (const file of leftOut)
      print(
        `left out of ${file.path}: ${file.leftOut} of ${file.rows + file.leftOut} rows; the first: ${file.firstLeftOut ?? ''}`,
      );
    print(
      `written: ${join(out, 'report.html')} and figures.json beside it, from ${folder.read.length} files of ${data}`,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'config_invalid') throw error;
    print(error.message);
    return EXIT_WRONG_INPUT;
  }
}

function readCommand(words: readonly string[]): { readonly data: string; readonly out: string } {
  const options = new Map<string, string>();
  for (let index = 0; index < words.length; index += 2) {
    const [name, value] = [words[index] ?? '', words[index + 1]];
    if (!['--data', '--out'].includes(name) || value === undefined || options.has(name))
      throw new AppError(
        'config_invalid',
        `${name} is not understood; use: ${usageOf('research')}`,
      );
    options.set(name, value);
  }
  return {
    data: resolve(options.get('--data') ?? DATA_DEFAULT),
    out: resolve(options.get('--out') ?? OUT_DEFAULT),
  };
}

/** Numbers as the figures file holds them; what is endless (a split that never comes) is null. */
function rounded(_name: string, value: unknown): unknown {
  return typeof value === 'number' && Number.isFinite(value)
    ? Number(value.toFixed(DECIMALS))
    : value;
}
