import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { recordedText } from '../../adapters/recordings/recorded-text.ts';
import { AppError } from '../../domain/errors.ts';

/** A folder of recorded data, one folder a set. */
export interface DataFolder {
  /** Names of a set's files that match, sorted; empty where the set is absent. */
  files(set: string, pattern: RegExp): readonly string[];
  /**
   * Usable rows of a CSV file with a header line; others are left out and counted. Errors:
   * `config_invalid` for a file without a line, or with no usable row at all.
   */
  csv<Row>(path: string, row: z.ZodType<Row>): readonly Row[];
  /** Usable rows of a JSON Lines file, likewise. */
  jsonLines<Row>(path: string, row: z.ZodType<Row>): readonly Row[];
  /** What was read, in the order of reading. */
  readonly read: readonly FileRead[];
}

/** One file that was read. */
export interface FileRead {
  readonly path: string;
  /** Rows that were used. */
  readonly rows: number;
  /**
   * Rows that were left out because they do not hold what is read: unresolved markets, torn lines.
   */
  readonly leftOut: number;
  /** Where and why the first of them was left out, one sentence; null when none was. */
  readonly firstLeftOut: string | null;
}

/** A row as it was read, with its place in the file, counted from 1. */
interface Line {
  readonly line: number;
  readonly value: unknown;
}

/** Opens a folder of recorded data. Errors: `config_invalid` when it is no folder. */
export function openDataFolder(root: string): DataFolder {
  if (!existsSync(root) || !statSync(root).isDirectory())
    throw new AppError('config_invalid', `${root} is not a folder of recorded data.`);
  const read: FileRead[] = [];
  const usable = <Row>(
    path: string,
    row: z.ZodType<Row>,
    lines: readonly Line[],
  ): readonly Row[] => {
    const rows: Row[] = [];
    let firstLeftOut: string | null = null;
    for (const { line, value } of lines) {
      const parsed = row.safeParse(value);
      if (parsed.success) rows.push(parsed.data);
      else
        firstLeftOut ??= `line ${line} of ${path} is not understood: ${parsed.error.issues[0]?.path.join('.') ?? ''} ${parsed.error.issues[0]?.message ?? ''}.`;
    }
    // A file of which nothing can be used is a file of another kind, not one with gaps.
    if (rows.length === 0 && firstLeftOut !== null)
      throw new AppError('config_invalid', firstLeftOut);
    read.push({ path, rows: rows.length, leftOut: lines.length - rows.length, firstLeftOut });
    return rows;
  };
  return {
    read,
    files(set, pattern) {
      const folder = join(root, set);
      return existsSync(folder)
        ? readdirSync(folder)
            .filter((name) => pattern.test(name))
            .sort()
            .map((name) => `${set}/${name}`)
        : [];
    },
    csv(path, row) {
      const [header, ...lines] = csvLines(recordedText(join(root, path)));
      if (header === undefined) throw new AppError('config_invalid', `${path} is empty.`);
      return usable(
        path,
        row,
        lines.map((cells, index) => ({
          line: index + 2,
          value: Object.fromEntries(header.map((name, column) => [name, cells[column]])),
        })),
      );
    },
    jsonLines(path, row) {
      const lines = recordedText(join(root, path))
        .split('\n')
        .filter((line) => line !== '');
      return usable(
        path,
        row,
        lines.map((line, index) => ({ line: index + 1, value: jsonOf(line) })),
      );
    },
  };
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
  const cell = (end: number): string =>
    text[start] === '"'
      ? text.slice(start + 1, end - 1).replaceAll('""', '"')
      : text.slice(start, end);
  const endLine = (end: number): void => {
    if (end > start || cells.length > 0)
      lines.push([...cells, cell(text[end - 1] === '\r' ? end - 1 : end)]);
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
