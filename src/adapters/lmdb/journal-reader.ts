import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import type { Database, RootDatabase } from 'lmdb';
import { STORE } from '../../../config/limits/store.ts';
import { AppError } from '../../domain/errors.ts';
import type { ChainLink, Key } from '../../ports/store.ts';
import { textOfFact } from '../memory/journal-chain.ts';
import { readAnchor } from './chain-anchor.ts';
import { checkDataFile } from './data-file.ts';
import { HEAD, headIn, JOURNAL, META, parseEntry, partsOf } from './lmdb-tables.ts';
import type { Redo } from './redo-log.ts';
import { scanRedoLog } from './redo-log.ts';
import { storeCorrupt } from './store-errors.ts';

/**
 * A journal entry as it lies there, nothing about it believed yet. `hash` is null in the log, whose
 * commits carry the link before them.
 */
export interface RawEntry {
  readonly seq: number;
  readonly hash: string | null;
  readonly text: string;
}

/** A commit of the log. */
export interface RawCommit {
  readonly firstSeq: number;
  /** The link it says comes before it. */
  readonly head: string;
  readonly entries: readonly RawEntry[];
}

/** A place where the log cannot be read on. */
export interface LogFault {
  readonly file: number;
  readonly byte: number;
  /** `cut`: one commit is half there, as a power failure leaves it. */
  readonly kind: 'cut' | 'damaged';
  /** The number of the first entry that is not read for it. */
  readonly seq: number;
}

/** A record as it lies there; `value` is undefined where its bytes are none. */
export interface RawRecord {
  readonly key: Key;
  readonly version: number | null;
  readonly value: unknown;
}

/** A folder's journal and records, for reading only. */
export interface JournalReader {
  /** Entries that LMDB has, in their order. */
  entries(): Generator<RawEntry>;
  /** One entry, LMDB's before that of the log. */
  entry(seq: number): RawEntry | null;
  /** What the log has beyond, commit by commit. */
  readonly commits: readonly RawCommit[];
  readonly faults: readonly LogFault[];
  /** The newest link, as it was written together with its entry. */
  readonly head: ChainLink;
  /** The link noted in a file of its own. */
  readonly anchor: ChainLink | 'damaged' | null;
  /** A record, that of the log before LMDB's; null when there is none. */
  record(table: string, key: Key): RawRecord | null;
  records(table: string): Generator<RawRecord>;
  close(): Promise<void>;
}

/**
 * How often the log is read again where a commit seems half there: a daemon beside us may be
 * writing it.
 */
const LOOKS = 3;
const BETWEEN_LOOKS_MS = 20;

/**
 * Opens a store's folder for reading, also while a daemon runs in it: nothing is locked, nothing is
 * changed. The log is read first and LMDB after it, so what is drained in between is in both rather
 * than in neither. Use it without giving up the turn: LMDB then shows one moment. Errors:
 * `not_found` when nothing was ever stored there; `store_corrupt`.
 */
export async function openJournalReader(path: string): Promise<JournalReader> {
  const hasData = (statSync(join(path, 'data.mdb'), { throwIfNoEntry: false })?.size ?? 0) > 0;
  const files = existsSync(path) ? await scanSettled(path) : [];
  const anchor = readAnchor(path);
  const isBlank = anchor === null && files.every(({ redos }) => redos.length === 0);
  if (!hasData) throw isBlank ? nothingStored(path) : storeCorrupt(path, 'its data file is gone');
  checkDataFile(path);
  const root = open({
    path,
    noSubdir: false,
    readOnly: true,
    maxDbs: STORE.tablesMaximum,
    mapSize: STORE.mapBytes,
    overlappingSync: false,
  });
  const names = [...root.getKeys()];
  if (!names.includes(JOURNAL)) {
    await root.close();
    throw isBlank && names.every((name) => name === META)
      ? nothingStored(path)
      : storeCorrupt(path, 'it has no journal');
  }
  const journal = root.openDB<Buffer, number>({ name: JOURNAL, encoding: 'binary' });
  const meta = root.openDB({ name: META });
  const tables = tablesOf(root, names);
  const commits = files.flatMap(({ redos }) => redos).map(commitOf);
  const logged = new Map(
    commits.flatMap(({ entries }) => entries).map((entry) => [entry.seq, entry]),
  );
  const recent = new Map<string, Map<string, RawRecord>>();
  for (const { records } of files.flatMap(({ redos }) => redos)) {
    for (const [table, key, version, value] of records) {
      const rows = recent.get(table) ?? new Map<string, RawRecord>();
      recent.set(table, rows.set(JSON.stringify(key), { key, version, value }));
    }
  }
  return {
    *entries() {
      for (const { key, value } of journal.getRange({})) yield { seq: key, ...parseEntry(value) };
    },
    entry(seq) {
      const stored = journal.get(seq);
      return stored === undefined ? (logged.get(seq) ?? null) : { seq, ...parseEntry(stored) };
    },
    commits,
    faults: faultsOf(files),
    head: headIn(meta.get(HEAD)),
    anchor,
    record(table, key) {
      const over = recent.get(table)?.get(JSON.stringify(key));
      if (over !== undefined) return over.version === 0 ? null : over;
      const database = tables(table);
      return database === null || !isThere(database, key) ? null : readRaw(database, key);
    },
    *records(table) {
      const over = recent.get(table) ?? new Map<string, RawRecord>();
      for (const row of over.values()) if (row.version !== 0) yield row;
      const database = tables(table);
      if (database === null) return;
      for (const stored of database.getKeys({})) {
        const key = partsOf(stored);
        if (!over.has(JSON.stringify(key))) yield readRaw(database, key);
      }
    },
    async close() {
      // LMDB keeps its read transaction until the end of the turn.
      await new Promise((resolve) => setImmediate(resolve));
      await root.close();
    },
  };
}

/**
 * What a start leaves that was cut off before its first commit is not damaged, and nothing is lost
 * of it.
 */
function nothingStored(path: string): AppError {
  return new AppError(
    'not_found',
    `nothing was ever stored in ${path}: a start begins there with an empty store`,
  );
}

/**
 * Reads the log until it looks the same twice where it ends in half a commit, or a file vanishes
 * that LMDB has taken in.
 */
async function scanSettled(path: string): Promise<ReturnType<typeof scanRedoLog>> {
  for (let look = 1; ; look += 1) {
    try {
      const files = scanRedoLog(path);
      if (look === LOOKS || files.every(({ end }) => end.kind !== 'cut')) return files;
    } catch (cause) {
      if (look === LOOKS)
        throw new AppError('store_unavailable', `the log in ${path} cannot be read`, { cause });
    }
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_LOOKS_MS));
  }
}

function commitOf({ firstSeq, head, events }: Redo): RawCommit {
  return {
    firstSeq,
    head,
    entries: events.map((event, index) => ({
      seq: firstSeq + index,
      hash: null,
      text: textOfFact(event),
    })),
  };
}

function faultsOf(files: ReturnType<typeof scanRedoLog>): readonly LogFault[] {
  const faults: LogFault[] = [];
  let next = 1;
  for (const { number, redos, end } of files) {
    const last = redos.at(-1);
    if (last !== undefined) next = last.firstSeq + last.events.length;
    if (end.kind !== 'whole')
      faults.push({ file: number, byte: end.byte, kind: end.kind, seq: next });
  }
  return faults;
}

/**
 * Databases by table. All are opened before anything is read: opening one ends what is being read.
 */
function tablesOf(
  root: RootDatabase,
  names: readonly unknown[],
): (table: string) => Database | null {
  const opened = new Map(
    names.flatMap((name) =>
      typeof name === 'string' && name.startsWith('t.')
        ? [[name.slice(2), root.openDB({ name })] as const]
        : [],
    ),
  );
  return (table) => opened.get(table) ?? null;
}

/** A damaged entry may name a key that no record can have. */
function isThere(database: Database, key: Key): boolean {
  try {
    return database.doesExist([...key]);
  } catch {
    return false;
  }
}

function readRaw(database: Database, key: Key): RawRecord {
  try {
    const stored: unknown = database.get([...key]);
    const [version, value]: readonly unknown[] =
      Array.isArray(stored) && stored.length === 2 ? stored : [];
    return { key, version: typeof version === 'number' ? version : null, value };
  } catch {
    // Bytes that are no record: the caller says so, with the number of the entry that should be
    // there.
    return { key, version: null, value: undefined };
  }
}
