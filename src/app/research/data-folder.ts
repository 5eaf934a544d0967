import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { recordedText } from '../../adapters/recordings/recorded-text.ts';
import { AppError } from '../../domain/errors.ts';

/** A folder of recorded data, one folder a set. */
export interface DataFolder {
  /** Names of a set's files that match, sorted; empty where the set is absent. */
  files(set: string, pattern: RegExp): readonly string[];
  /** Rows of a CSV file with a header line. Errors: `config_invalid` that names file and line. */
  csv<Row>(path: string, row: z.ZodType<Row>): readonly Row[];
  /** Rows of a JSON Lines file. Errors: `config_invalid` that names file and line. */
  jsonLines<Row>(path: string, row: z.ZodType<Row>): readonly Row[];
  /** What was read, in the order of reading. */
  readonly read: readonly FileRead[];
}

/** One file that was read. */
export interface FileRead {
  readonly path: string;
  readonly rows: number;
}

/** Opens a folder of recorded data. Errors: `config_invalid` when it is no folder. */
export function openDataFolder(root: string): DataFolder {
  if (!existsSync(root) || !statSync(root).isDirectory()) throw new AppError('config_invalid', `${root} is not a folder of recorded data.`);
  const read: FileRead[] = [];
  const note = <Row>(path: string, rows: readonly Row[]): readonly Row[] => {
    read.push({ path, rows: rows.length });
    return rows;
  };
  return {
    read,
    files(set, pattern) {
      const folder = join(root, set);
      return existsSync(folder) ? readdirSync(folder).filter((name) => pattern.test(name)).sort().map((name) => `${set}/${name}`) : [];
    },
    csv(path, row) {
      const [header, ...lines] = csvLines(recordedText(join(root, path)));
      if (header === undefined) throw new AppError('config_invalid', `${path} is empty.`);
      return note(path, lines.map((cells, index) => rowOf(path, index + 2, row, Object.fromEntries(header.map((name, column) => [name, cells[column]])))));
    },
    jsonLines(path, row) {
      const lines = recordedText(join(root, path)).split('\n').filter((line) => line !== '');
      return note(path, lines.map((line, index) => rowOf(path, index + 1, row, jsonOf(line))));
    },
  };
}

function rowOf<Row>(path: string, line: number, row: z.ZodType<Row>, value: unknown): Row {
  const parsed = row.safeParse(value);
  if (!parsed.success) throw new AppError('config_invalid', `line ${line} of ${path} is not understood: ${parsed.error.issues[0]?.path.join('.') ?? ''} ${parsed.error.issues[0]?.message ?? ''}.`);
  return parsed.data;
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Cells of every line; a quoted cell may hold commas, line ends and doubled quotes (RFC 4180). */
export function csvLines(text: string): readonly (readonly string[])[] {
  const lines: string[][] = [];
  let [cells, start, at]: [string[], number, number] = [[], 0, 0];
  const cell = (end: number): string => (text[start] === '"' ? text.slice(start + 1, end - 1).replaceAll('""', '"') : text.slice(start, end));
  const endLine = (end: number): void => {
    if (end > start || cells.length > 0) lines.push([...cells, cell(text[end - 1] === '\r' ? end - 1 : end)]);
    cells = [];
  };
  for (; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '"') at = closingQuote(text, at);
    else if (letter === ',') {
      cells.push(cell(at));
      start = at + 1;
    } else if (letter === '\n') {
      endLine(at);
      start = at + 1;
    }
  }
  endLine(text.length);
  return lines;
}

/** Where the quoted cell that opens at `open` ends; the end of the text for one that never does. */
function closingQuote(text: string, open: number): number {
  let at = text.indexOf('"', open + 1);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at < 0 ? text.length : at;
}
