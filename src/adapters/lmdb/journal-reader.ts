import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open, type Database, type RootDatabase } from 'lmdb';
import { STORE } from '../../../config/limits/store.ts';
import { AppError } from '../../domain/errors.ts';
import type { Frame, RecordChange } from '../../ports/commit-log.ts';
import type { ChainLink, Key } from '../../ports/store.ts';
import { textOfFact } from '../memory/journal-chain.ts';
import { assertFormatKnown, readAnchor } from './chain-anchor.ts';
import { checkDataFile } from './data-file.ts';
import { openEnvironment } from './environment.ts';
import { follow } from './follow.ts';
import { NO_FRAME, parsed } from './frames.ts';
import { APPLIED, appliedIn, linkIn, LINKS, META, partsOf, type Applied } from './lmdb-tables.ts';
import { logFolder } from './segment-log.ts';
import { scanFrames, type LogFault } from './segments.ts';
import { storeCorrupt } from './store-errors.ts';

/**
 * A journal entry as it lies there, nothing about it believed yet. `hash` is the link that LMDB has
 * of it, null where it has none.
 */
export interface RawEntry {
  readonly seq: number;
  readonly hash: string | null;
  readonly text: string;
}

/** A frame of the log. */
export interface RawCommit {
  /** Its number. */
  readonly frame: number;
  readonly firstSeq: number;
  /** The link it says comes before it. */
  readonly head: string;
  readonly entries: readonly RawEntry[];
  readonly records: readonly RecordChange[];
}

/** A place where the log cannot be read on, and the number of the first entry not read for it. */
interface JournalFault extends LogFault {
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
  /** The log, frame by frame, as far as it went when the reader was opened. */
  commits(): Generator<RawCommit, void>;
  /** Where the log could not be read on; all of them once it was read. */
  faults(): readonly JournalFault[];
  /** The journal's newest link in LMDB. */
  readonly head: ChainLink;
  /** The link noted in a file of its own. */
  readonly anchor: ChainLink | 'damaged' | null;
  /** A record, that of the log before LMDB's; null without one. */
  record(table: string, key: Key): RawRecord | null;
  records(table: string): Generator<RawRecord>;
  /** Number of the last frame that LMDB has taken in. */
  applied(): number;
  /** Every record that LMDB has. */
  stored(): Generator<RawRecord & { readonly table: string }>;
  close(): Promise<void>;
}

/**
 * How often the log is read again where a commit seems half there: a daemon beside us may be
 * writing it.
 */
const ATTEMPTS = 3;
const BETWEEN_ATTEMPTS_MS = 20;

/**
 * Opens a store's folder for reading, also while a daemon runs in it: nothing is locked, nothing is
 * changed. Of the log is read what LMDB has not, then what both have; what LMDB takes in meanwhile
 * is in both. Use it without giving up the turn: LMDB then shows one moment. Errors: `not_found`
 * when nothing was ever stored there; `store_corrupt`.
 */
export async function openJournalReader(path: string): Promise<JournalReader> {
  const hasData = (statSync(join(path, 'data.mdb'), { throwIfNoEntry: false })?.size ?? 0) > 0;
  const folder = logFolder(path);
  assertFormatKnown(path);
  const noted = readAnchor(path);
  // Before the first entry it says the format alone.
  const anchor = noted !== 'damaged' && noted?.seq === 0 ? null : noted;
  const isBlank = anchor === null && !hasFrames(folder);
  if (!hasData && isBlank) throw nothingStored(path);
  const made = hasData ? null : await makeAside(path);
  const data = made ?? path;
  const drop = (): void => {
    if (made !== null) rmSync(made, { recursive: true, force: true });
  };
  try {
    checkDataFile(data);
  } catch (cause) {
    drop();
    throw isBlank ? cause : toBeMadeAnew(path, cause);
  }
  const root = open({
    path: data,
    noSubdir: false,
    readOnly: true,
    maxDbs: STORE.tablesMaximum,
    mapSize: STORE.mapBytes,
    overlappingSync: false,
  });
  const names = [...root.getKeys()];
  if (!names.includes(LINKS)) {
    await root.close();
    drop();
    throw isBlank && names.every((name) => name === META)
      ? nothingStored(path)
      : storeCorrupt(path, 'it has no journal');
  }
  const links = root.openDB<Buffer, number>({ name: LINKS, encoding: 'binary' });
  const meta = root.openDB({ name: META });
  const applied = appliedIn(meta.get(APPLIED));
  const tables = tablesOf(root, names);
  const { recent, newest, tail } = await readSettled(folder, applied);
  const faults = new Map(tail.map((fault) => [`${fault.file}:${fault.byte}`, fault]));
  const appliedNow = (): number => appliedIn(meta.get(APPLIED)).seq;
  return {
    *commits() {
      const end = Math.max(newest, appliedNow());
      let next = 1;
      const found = (fault: LogFault): void =>
        void faults.set(`${fault.file}:${fault.byte}`, { ...fault, seq: next });
      for (const stored of scanFrames(folder, NO_FRAME, found)) {
        const { seq, firstFact, link, facts, records } = parsed(stored);
        next = firstFact + facts.length;
        yield {
          frame: seq,
          firstSeq: firstFact,
          head: link,
          entries: facts.map((event, index) => ({
            seq: firstFact + index,
            hash: linkOf(links, firstFact + index),
            text: textOfFact(event),
          })),
          records,
        };
        if (seq >= end) return;
      }
    },
    faults: () => [...faults.values()],
    head: { seq: applied.fact, hash: applied.link },
    anchor,
    record(table, key) {
      const over = recent.get(table)?.get(JSON.stringify(key));
      if (over !== undefined) return over.version === 0 ? null : over;
      const database = tables.get(table);
      return database === undefined || !isThere(database, key) ? null : readRaw(database, key);
    },
    *records(table) {
      const over = recent.get(table) ?? new Map<string, RawRecord>();
      for (const row of over.values()) if (row.version !== 0) yield row;
      const database = tables.get(table);
      if (database === undefined) return;
      for (const stored of database.getKeys({})) {
        const key = partsOf(stored);
        if (!over.has(JSON.stringify(key))) yield readRaw(database, key);
      }
    },
    applied: appliedNow,
    *stored() {
      for (const [table, database] of tables)
        for (const key of database.getKeys({})) yield { table, ...readRaw(database, partsOf(key)) };
    },
    async close() {
      // LMDB keeps its read transaction until the end of the turn.
      await new Promise((resolve) => setImmediate(resolve));
      await root.close();
      drop();
    },
  };
}

/**
 * Makes LMDB of a log that has none, as a backup has not, in a folder of its own: of all that comes
 * before the first damage. Errors: `store_corrupt` where that is nothing, or no journal.
 */
async function makeAside(path: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'predictd-lmdb-'));
  const environment = await openEnvironment(folder);
  let cause: unknown = null;
  try {
    await follow(environment.tables, framesBeforeDamage(logFolder(path)), {
      upTo: Number.POSITIVE_INFINITY,
      atOnce: STORE.bytesPerDrain,
    });
  } catch (error) {
    cause = error;
  }
  const isMade = cause === null && environment.tables.applied().seq > 0;
  await environment.close();
  if (isMade) return folder;
  rmSync(folder, { recursive: true, force: true });
  throw toBeMadeAnew(path, cause);
}

function* framesBeforeDamage(folder: string): Generator<Frame, void> {
  let isDamaged = false;
  const found = ({ kind }: LogFault): void => void (isDamaged ||= kind === 'damaged');
  for (const stored of scanFrames(folder, NO_FRAME, found)) {
    if (isDamaged) return;
    yield parsed(stored);
  }
}

function hasFrames(folder: string): boolean {
  for (const _ of scanFrames(folder, { seq: 0, hash: null }, () => undefined)) return true;
  return false;
}

function linkOf(links: Database<Buffer, number>, fact: number): string | null {
  const stored = links.get(fact);
  return stored === undefined ? null : linkIn(stored);
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

/** The records are the log's, which is what matters, but nothing can be compared with them. */
function toBeMadeAnew(path: string, cause: unknown): AppError {
  return new AppError(
    'store_corrupt',
    `the store in ${path} has no data file that can be read; a start of predictd makes it anew from the log, and can then be verified`,
    { cause },
  );
}

/** What the log has beyond LMDB: records by table and key, its newest frame, and how it ends. */
interface LogTail {
  readonly recent: ReadonlyMap<string, ReadonlyMap<string, RawRecord>>;
  readonly newest: number;
  readonly tail: readonly JournalFault[];
}

/** Reads the log until it does not end in half a frame, or does so for long. */
async function readSettled(folder: string, applied: Applied): Promise<LogTail> {
  for (let attempt = 1; ; attempt += 1) {
    const read = readTail(folder, applied);
    if (attempt === ATTEMPTS || read.tail.every(({ kind }) => kind !== 'cut')) return read;
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_ATTEMPTS_MS));
  }
}

function readTail(folder: string, { seq, fact }: Applied): LogTail {
  const recent = new Map<string, Map<string, RawRecord>>();
  const tail: JournalFault[] = [];
  let [newest, next] = [seq, fact + 1];
  const found = (fault: LogFault): void => void tail.push({ ...fault, seq: next });
  for (const stored of scanFrames(folder, { seq, hash: null }, found)) {
    const { firstFact, facts, records } = parsed(stored);
    [newest, next] = [stored.seq, firstFact + facts.length];
    for (const [table, key, version, value] of records) {
      const rows = recent.get(table) ?? new Map<string, RawRecord>();
      recent.set(table, rows.set(JSON.stringify(key), { key, version, value }));
    }
  }
  return { recent, newest, tail };
}

/**
 * Databases by table. All are opened before anything is read: opening one ends what is being read.
 */
function tablesOf(root: RootDatabase, names: readonly unknown[]): ReadonlyMap<string, Database> {
  return new Map(
    names.flatMap((name) =>
      typeof name === 'string' && name.startsWith('t.')
        ? [[name.slice(2), root.openDB({ name })] as const]
        : [],
    ),
  );
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
