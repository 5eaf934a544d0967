import { STORE } from '../../../config/limits/store.ts';
import { linksOf, textOfFact } from '../memory/journal-chain.ts';
import { recordName } from '../memory/record-name.ts';
import { endOfTurn } from './environment.ts';
import type { LmdbTables } from './lmdb-tables.ts';
import { RecentChanges } from './recent-changes.ts';
import type { LogFileLeft, Redo } from './redo-log.ts';
import { forgetLogFiles, readLogFile } from './redo-log.ts';
import { storeCorrupt } from './store-errors.ts';

/**
 * Recent changes and where they belong: the number of their first fact, and the log's last file
 * that tells of them.
 */
export interface Drain {
  readonly recent: RecentChanges;
  readonly firstSeq: number;
  readonly file: number;
}

/** Commits of the log, the last of which lies in `file`. */
export interface DrainInput {
  readonly path: string;
  readonly redos: readonly Redo[];
  readonly file: number;
  /** Names of records to leave out; none where absent. */
  readonly passed?: ReadonlySet<string>;
}

/** A file of the log for LMDB to take in while others read it. */
export interface DrainedFile extends LogFileLeft {
  /**
   * Names of the records that came and went within the file. LMDB must never have them: it gets the
   * file in parts, and nobody who reads it in between hides them.
   */
  readonly passed: ReadonlySet<string>;
  /** Bytes of the file in one part, or one commit. */
  readonly atOnce: number;
}

/**
 * What commits of the log amount to. Errors: `store_corrupt` when they do not continue the journal
 * that LMDB has.
 */
export function drainOf(tables: LmdbTables, { path, redos, file, passed }: DrainInput): Drain {
  const recent = new RecentChanges();
  let head = tables.linkOf((redos[0]?.firstSeq ?? 1) - 1);
  for (const redo of redos) {
    const { records, events, firstSeq } = redo;
    if (redo.head !== head)
      throw storeCorrupt(path, `its log does not continue the journal at entry ${firstSeq}`);
    for (const [table, key, version, value] of records) {
      const name = recordName(table, key);
      if (passed?.has(name) !== true) recent.set(table, name, { key, version, value });
    }
    for (const event of events) recent.append(event);
    const links = linksOf(head, firstSeq, events.map(textOfFact));
    recent.chain(links);
    head = links.at(-1) ?? head;
  }
  return { recent, firstSeq: redos[0]?.firstSeq ?? 1, file };
}

/**
 * Writes recent changes to LMDB, other work going on in between, then says which file of the log is
 * done with. Throws what LMDB does.
 */
export async function bringIn(tables: LmdbTables, drain: Drain): Promise<void> {
  await writeAll(tables, drain);
  tables.setRedoDone(drain.file);
}

/**
 * Brings LMDB up to date with a file of the log that was left, and removes the file; does nothing
 * twice. Errors: `store_corrupt` when the file does not say all that was written to it; what LMDB
 * and the file system throw.
 */
export async function bringInFile(
  tables: LmdbTables,
  path: string,
  left: DrainedFile,
): Promise<void> {
  const { number: file, passed, atOnce } = left;
  if (tables.redoDone() < file) {
    for (const redos of readLogFile(path, left, atOnce))
      await writeAll(tables, drainOf(tables, { path, redos, file, passed }));
    tables.setRedoDone(file);
  }
  forgetLogFiles(path, file);
}

/** In commits of a bounded size. */
async function writeAll(tables: LmdbTables, { recent, firstSeq }: Drain): Promise<void> {
  const records = recent.records();
  const { events, links } = recent;
  for (let from = 0; ; from += STORE.recordsPerDrain) {
    const [some, to] = [take(records, STORE.recordsPerDrain), from + STORE.recordsPerDrain];
    if (some.length === 0 && from >= events.length) break;
    tables.write(some, {
      firstSeq: firstSeq + from,
      events: events.slice(from, to),
      links: links.slice(from, to),
    });
    await endOfTurn();
  }
}

function take<T>(from: Iterator<T>, most: number): readonly T[] {
  const taken: T[] = [];
  while (taken.length < most) {
    const { done, value } = from.next();
    if (done === true) break;
    taken.push(value);
  }
  return taken;
}
