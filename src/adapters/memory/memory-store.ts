import { AppError, assert } from '../../domain/errors.ts';
import type { DomainEvent, JournalEntry } from '../../domain/events.ts';
import { readerOf } from '../../domain/user-topic.ts';
import {
  assertExpectedVersion,
  assertKey,
  assertRange,
  assertSynchronous,
  assertTable,
} from '../../ports/store-rules.ts';
import type {
  ChainLink,
  Key,
  Range,
  Store,
  StoreWriter,
  Table,
  Versioned,
} from '../../ports/store.ts';
import { frozenCopy } from './frozen-copy.ts';
import { FIRST_LINK, linkOf, textOfFact } from './journal-chain.ts';
import { NamedRecords } from './named-records.ts';
import { recordName } from './record-name.ts';

/** Moments a test can watch or spoil. */
export interface MemoryStoreHooks {
  /**
   * Called before each commit; when it throws, nothing is kept and the write fails with
   * `store_unavailable`.
   */
  readonly beforeCommit?: () => void;
  /** Called after each commit, before anybody learns of it: the place to try a power failure. */
  readonly onCommit?: () => void;
  /** Called when what was committed has become durable, before `flushed` resolves. */
  readonly onFlush?: () => void;
}

/** The store in memory, for tests: it can also lose its power. */
export interface MemoryStore extends Store {
  /** Commits so far. */
  readonly commits: number;
  /** Commits that would survive a power failure. */
  readonly durableCommits: number;
  /**
   * A new store with what a power failure would leave: everything flushed and the first
   * `keptCommits` of the rest (0 by default: a disk may have got further than it was asked to).
   * This store goes on untouched.
   */
  crash(hooks?: MemoryStoreHooks & { readonly keptCommits?: number }): MemoryStore;
}

/** What undoes one commit. */
interface Undo {
  readonly journalLength: number;
  readonly changes: {
    readonly table: string;
    readonly key: Key;
    readonly before: Versioned<unknown> | null;
  }[];
}

interface State {
  readonly tables: Map<string, NamedRecords>;
  readonly journal: DomainEvent[];
  /** Links of the entries that were asked for so far, and of all before them. */
  readonly links: string[];
}

/**
 * Makes an empty store in memory. A write commits at once and becomes durable when `flushed`
 * resolves.
 */
export function createMemoryStore(hooks: MemoryStoreHooks = {}): MemoryStore {
  return storeOver({ tables: new Map(), journal: [], links: [] }, hooks);
}

function storeOver(state: State, hooks: MemoryStoreHooks): MemoryStore {
  const notDurable: Undo[] = [];
  /** The change that is being made: when the power goes under it, nothing of it is left. */
  let running: Undo | null = null;
  let commits = 0;
  let isClosed = false;

  function assertOpen(): void {
    if (isClosed) throw new AppError('store_unavailable', 'the store is closed');
  }

  function commit<T>(change: (tx: StoreWriter) => T): T {
    assertOpen();
    const undo: Undo = { journalLength: state.journal.length, changes: [] };
    const writer = writerOver(state, undo);
    running = undo;
    try {
      const result = change(writer.tx);
      assertSynchronous(result);
      beforeCommit(hooks);
      notDurable.push(undo);
      commits += 1;
      return result;
    } catch (error) {
      takeBack(state, undo);
      throw error;
    } finally {
      running = null;
      writer.end();
    }
  }

  return {
    get commits() {
      return commits;
    },
    get durableCommits() {
      return commits - notDurable.length;
    },
    get: (table, key) => {
      assertOpen();
      return read(state, table, key);
    },
    range: (table, range) => {
      assertOpen();
      return readRange(state, table, range);
    },
    async write(change) {
      // As in an engine with its own thread, nothing is to be seen before the caller has given up
      // its turn.
      await Promise.resolve();
      const result = commit(change);
      hooks.onCommit?.();
      return result;
    },
    readJournal: (afterSeq, limit) => {
      assertOpen();
      return readJournal(state, afterSeq, limit);
    },
    readFacts: (reader, afterSeq, limit) => {
      assertOpen();
      const entries = readJournal(state, Math.max(0, afterSeq), state.journal.length)
        .filter(({ event }) => readerOf(event) === reader)
        .slice(0, Math.max(0, limit));
      return { entries, forgottenUpTo: 0 };
    },
    newestFact: () => {
      assertOpen();
      return state.journal.length;
    },
    readChain: (afterSeq, limit) => {
      assertOpen();
      return readChain(state, afterSeq, limit);
    },
    async anchorChain() {
      assertOpen();
      return readChain(state, state.journal.length - 1, 1)[0] ?? { seq: 0, hash: FIRST_LINK };
    },
    async flushed() {
      assertOpen();
      const asked = notDurable.at(-1);
      await Promise.resolve();
      if (asked !== undefined) notDurable.splice(0, notDurable.indexOf(asked) + 1);
      hooks.onFlush?.();
    },
    async close() {
      isClosed = true;
      notDurable.length = 0;
    },
    crash({ keptCommits = 0, ...cutHooks } = {}) {
      const tables = new Map(
        [...state.tables].map(([name, table]) => [name, table.copy()] as const),
      );
      const left: State = { tables, journal: [...state.journal], links: [...state.links] };
      if (running !== null) takeBack(left, running);
      notDurable
        .slice(keptCommits)
        .reverse()
        .forEach((undo) => takeBack(left, undo));
      return storeOver(left, cutHooks);
    },
  };
}

function beforeCommit(hooks: MemoryStoreHooks): void {
  try {
    hooks.beforeCommit?.();
  } catch (cause) {
    throw new AppError('store_unavailable', 'the store could not commit; nothing was changed', {
      retryable: true,
      cause,
    });
  }
}

function writerOver(state: State, undo: Undo): { readonly tx: StoreWriter; end(): void } {
  let isOver = false;
  const assertRunning = (): void =>
    assert(!isOver, 'a change of the store uses its writer only while it runs');

  function set(
    table: Table<unknown>,
    key: Key,
    record: Versioned<unknown> | null,
    before: Versioned<unknown> | null,
  ): void {
    undo.changes.push({ table: table.name, key, before });
    setIn(state, { table: table.name, key, record });
  }

  const tx: StoreWriter = {
    get(table, key) {
      assertRunning();
      return read(state, table, key);
    },
    range(table, range) {
      assertRunning();
      return readRange(state, table, range);
    },
    put(table, key, value, expectedVersion) {
      assertRunning();
      assertExpectedVersion(expectedVersion);
      const before = read<unknown>(state, table, key);
      const version = before?.version ?? 0;
      if (expectedVersion !== undefined && version !== expectedVersion)
        throw conflict(table, version, expectedVersion);
      set(
        table,
        key,
        { key: Object.freeze([...key]), value: frozenCopy(value), version: version + 1 },
        before,
      );
    },
    remove(table, key) {
      assertRunning();
      const before = read<unknown>(state, table, key);
      if (before !== null) set(table, key, null, before);
    },
    append(event) {
      assertRunning();
      return state.journal.push(frozenCopy(event));
    },
  };
  return {
    tx,
    end: () => {
      isOver = true;
    },
  };
}

function conflict(table: Table<unknown>, version: number, expected: number): AppError {
  return new AppError(
    'conflict',
    `a ${table.name} record has version ${version}, not ${expected}`,
    { retryable: true },
  );
}

function takeBack(state: State, undo: Undo): void {
  for (const { table, key, before } of undo.changes.toReversed())
    setIn(state, { table, key, record: before });
  state.journal.length = undo.journalLength;
  state.links.length = Math.min(state.links.length, undo.journalLength);
}

/** Puts the record, or takes the key out where it is null. */
function setIn(
  { tables }: State,
  {
    table,
    key,
    record,
  }: { readonly table: string; readonly key: Key; readonly record: Versioned<unknown> | null },
): void {
  const records = tables.get(table) ?? new NamedRecords();
  tables.set(table, records);
  const name = recordName(table, key);
  if (record === null) records.delete(name);
  else records.set(name, record);
}

function read<T>(state: State, table: Table<T>, key: Key): Versioned<T> | null {
  assertTable(table);
  assertKey(key);
  // Only `put` with the same table writes here, and the table fixes the record's type.
  return (state.tables.get(table.name)?.get(recordName(table.name, key)) ??
    null) as Versioned<T> | null;
}

function readRange<T>(state: State, table: Table<T>, range: Range = {}): readonly Versioned<T>[] {
  assertTable(table);
  assertRange(range);
  // As above: the table fixes the record's type.
  return (state.tables.get(table.name)?.range(range) ?? []) as Versioned<T>[];
}

function readJournal(state: State, afterSeq: number, limit: number): readonly JournalEntry[] {
  return state.journal
    .slice(afterSeq, afterSeq + limit)
    .map((event, index) => ({ seq: afterSeq + index + 1, event }));
}

function readChain(
  { journal, links }: State,
  afterSeq: number,
  limit: number,
): readonly ChainLink[] {
  const until = Math.min(journal.length, afterSeq + Math.max(0, limit));
  for (const event of journal.slice(links.length, until))
    links.push(linkOf(links.at(-1) ?? FIRST_LINK, links.length + 1, textOfFact(event)));
  return links
    .slice(Math.max(0, afterSeq), Math.max(0, until))
    .map((hash, index) => ({ seq: Math.max(0, afterSeq) + index + 1, hash }));
}
