import { EventEmitter, once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { open } from 'lmdb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { STORE } from '../../../config/limits/store.ts';
import { createCatchUp } from '../../../src/adapters/lmdb/catch-up.ts';
import type { DiskStore } from '../../../src/adapters/lmdb/disk-store.ts';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { asId, type Address, type UserId } from '../../../src/domain/ids.ts';
import type { Key, Store, Table } from '../../../src/ports/store.ts';
import { startStoreProcess } from '../../support/fixtures/store-process.ts';

interface Note {
  readonly text: string;
}

const NOTES: Table<Note> = { name: 'notes' };
/** Commits of the log begin at blocks of this. */
const BLOCK_BYTES = 4_096;
const LOG_BYTES = 4 * BLOCK_BYTES;

let folder: string;
const opened: Store[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-catch-up-'));
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  rmSync(folder, { recursive: true });
});

async function openStore(againMs = 3_600_000, path = folder): Promise<DiskStore> {
  const store = await openLmdbStore({ path, logBytes: LOG_BYTES, againMs });
  opened.push(store);
  return store;
}

const put = (store: Store, key: string, text: string): Promise<void> =>
  store.write((tx) => {
    tx.put(NOTES, [key], { text });
    tx.append(anEvent(key));
  });
const anEvent = (text: string): DomainEvent => ({
  type: 'user.created',
  userId: asId<UserId>(text),
  atMs: 1,
  address: asId<Address>('0x1'),
});
const textOf = (store: Store, key: string): string | undefined =>
  store.get(NOTES, [key])?.value.text;
const logFile = (number: number): string => join(folder, 'journal', `segment.${number}.log`);
const logFiles = (): readonly string[] =>
  readdirSync(join(folder, 'journal')).filter((name) => name.endsWith('.log'));
/** With what it takes to say it, a block: a quarter of a file of the log. */
const LONG = 'x'.repeat(1_100);

const isBegun = (number: number): boolean =>
  existsSync(logFile(number)) && readFileSync(logFile(number)).some((byte) => byte !== 0);

/** What takes longer than this has come to a halt. */
const HALT_MS = 120_000;
/** More notes than any file here takes, grown to its bound. */
const NOTES_MAXIMUM = 200;

/** Looks in each turn of the event loop until it is so. Throws with what never was. */
async function until(what: string, isSo: () => boolean): Promise<void> {
  const untilMs = performance.now() + HALT_MS;
  while (!isSo()) {
    if (performance.now() > untilMs) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Puts one thing after another until it is so; gives how many. Throws with what never was. */
async function putUntil(
  what: string,
  isSo: () => boolean,
  putOne: (index: number) => Promise<void>,
): Promise<number> {
  for (let index = 0; index < NOTES_MAXIMUM; index += 1) {
    if (isSo()) return index;
    await putOne(index);
  }
  throw new Error(`never, with ${NOTES_MAXIMUM} notes: ${what}`);
}

/** Commits long notes until a file of the log is full and left; gives their keys. */
async function leaveFile(store: Store, number: number): Promise<readonly string[]> {
  const keys: string[] = [];
  await putUntil(
    `file ${number} of the log is left`,
    () => isBegun(number + 1),
    (index) => {
      keys.push(`long ${index}`);
      return put(store, `long ${index}`, LONG);
    },
  );
  return keys;
}

/**
 * Fills a file of the log, something being done half way through; gives how many long notes that
 * took.
 */
function leaveAfter(store: Store, number: number, halfWay: () => Promise<void>): Promise<number> {
  return putUntil(
    `file ${number} of the log is left`,
    () => isBegun(number + 1),
    async (index) => {
      if (index === 12) await halfWay();
      await put(store, `long ${index}`, LONG);
    },
  );
}

/** Makes whoever writes to LMDB wait, as a slow disk would, until it is let go. */
async function holdLmdb(): Promise<{ letGo(): Promise<void> }> {
  const root = open({
    path: folder,
    noSubdir: false,
    maxDbs: STORE.tablesMaximum,
    mapSize: STORE.mapBytes,
    overlappingSync: false,
  });
  const gate = new EventEmitter();
  const [began, end] = [once(gate, 'began'), once(gate, 'end')];
  const held = root.transaction(async () => {
    gate.emit('began');
    await end;
  });
  await began;
  return {
    async letGo() {
      gate.emit('end');
      await held;
      await root.close();
    },
  };
}

describe('while LMDB catches up', () => {
  it('L9: commits go on, and the newest of each record is read, compared and set', async () => {
    const store = await openStore();
    await store.write((tx) =>
      ['kept', 'changed', 'removed', 'again'].forEach((key) =>
        tx.put(NOTES, [key], { text: 'first' }),
      ),
    );
    await store.close();
    const busy = await openStore();
    const lmdb = await holdLmdb();
    await put(busy, 'changed', 'in the file left');
    await busy.write((tx) => tx.remove(NOTES, ['removed']));
    const long = await leaveFile(busy, 1);
    await busy.write((tx) => tx.put(NOTES, ['changed'], { text: 'newest' }, 2));
    await expect(
      busy.write((tx) => tx.put(NOTES, ['changed'], { text: 'late' }, 2)),
    ).rejects.toMatchObject({ code: 'conflict' });
    await expect(
      busy.write((tx) => tx.put(NOTES, ['removed'], { text: 'late' }, 1)),
    ).rejects.toMatchObject({ code: 'conflict' });
    await busy.write((tx) => tx.put(NOTES, ['removed'], { text: 'back' }, 0));
    const seen = (): unknown => [
      ['kept', 'changed', 'removed', 'again']
        .map((key) => busy.get(NOTES, [key]))
        .map((record) => [record?.value.text, record?.version]),
      busy.range(NOTES, { limit: 3 }).map(({ key }) => key[0]),
      busy.readJournal(0, 100).map(({ seq }) => seq),
      busy.readChain(0, 100).map(({ seq }) => seq),
    ];
    const seqs = ['changed', ...long].map((_, index) => index + 1);
    const wanted = [
      [
        ['first', 1],
        ['newest', 3],
        ['back', 1],
        ['first', 1],
      ],
      ['again', 'changed', 'kept'],
      seqs,
      seqs,
    ];
    expect(seen()).toEqual(wanted);
    const { bytes } = busy.backlog();
    await lmdb.letGo();
    await until('LMDB has caught up', () => busy.backlog().bytes < bytes);
    expect(seen()).toEqual(wanted);
  });

  it('L9: a start needs nothing of LMDB for what a killed run committed: all is read, compared, removed and chained on', async () => {
    const [runs, killed] = ['runs', 'killed'].map((name) => join(folder, name));
    const run = await openStore(undefined, runs);
    await put(run, 'in LMDB', 'first');
    await run.close();
    const goesOn = await openStore(undefined, runs);
    await put(goesOn, 'kept', 'first');
    await goesOn.write((tx) => {
      tx.put(NOTES, ['kept'], { text: 'second' });
      tx.put(NOTES, ['came and went'], { text: 'first' });
    });
    await goesOn.write((tx) =>
      ['came and went', 'in LMDB'].forEach((key) => tx.remove(NOTES, [key])),
    );
    cpSync(runs ?? '', killed ?? '', { recursive: true });
    const wanted = goesOn.readChain(0, 100);
    const started = await openStore(undefined, killed);
    // LMDB has not taken it in.
    expect(started.backlog().bytes).toBe(3 * BLOCK_BYTES);
    expect(started.range(NOTES)).toEqual([
      { key: ['kept'], version: 2, value: { text: 'second' } },
    ]);
    expect(started.get(NOTES, ['in LMDB'])).toBeNull();
    expect(started.readJournal(0, 100)).toEqual(goesOn.readJournal(0, 100));
    expect(started.readChain(0, 100)).toEqual(wanted);
    await expect(
      started.write((tx) => tx.put(NOTES, ['kept'], { text: 'late' }, 1)),
    ).rejects.toMatchObject({ code: 'conflict' });
    await started.write((tx) => tx.put(NOTES, ['kept'], { text: 'third' }, 2));
    await started.write((tx) => tx.put(NOTES, ['in LMDB'], { text: 'back' }, 0));
    await until('LMDB has what the killed run left', () => started.backlog().bytes < LOG_BYTES);
    await started.close();
    const again = await openStore(undefined, killed);
    expect(again.backlog().bytes).toBe(0);
    expect(again.range(NOTES).map(({ key, version }) => [key[0], version])).toEqual([
      ['in LMDB', 1],
      ['kept', 3],
    ]);
    expect(again.readChain(0, 100)).toEqual(wanted);
  });

  it('commits wait once the log is twice as long as it should be, and none is lost or confirmed before it is on disk', async () => {
    const store = await openStore();
    await put(store, 'first', 'first');
    const lmdb = await holdLmdb();
    const reported: number[] = [];
    const all = Array.from({ length: 40 }, (_, index) => index);
    let last: Promise<unknown> = Promise.resolve();
    // One behind the other: a commit each.
    for (const index of all)
      last = last.then(() => put(store, String(index), LONG)).then(() => reported.push(index));
    await until('the log is ahead by three files', () => store.backlog().bytes >= 3 * LOG_BYTES);
    expect(reported.length).toBeLessThan(16);
    await lmdb.letGo();
    await last;
    await store.close();
    const again = await openStore();
    expect(again.range(NOTES)).toHaveLength(41);
    expect(again.readJournal(0, 100)).toHaveLength(41);
  });

  it('a store that is closed waits for it, and leaves nothing to the next start', async () => {
    const store = await openStore();
    await put(store, 'first', 'first');
    const lmdb = await holdLmdb();
    const long = await leaveFile(store, 1);
    const closed = store.close();
    expect(() => store.get(NOTES, ['first'])).toThrow('closed');
    await expect(put(store, 'late', 'late')).rejects.toMatchObject({ code: 'store_unavailable' });
    let isClosed = false;
    void closed.then(() => {
      isClosed = true;
    });
    await until('the end has noted the head', () => existsSync(join(folder, 'journal.head')));
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    // The folder is not another process's while the thread may write to it.
    expect(isClosed).toBe(false);
    await expect(openLmdbStore({ path: folder })).rejects.toMatchObject({ code: 'store_locked' });
    await lmdb.letGo();
    await closed;
    expect(logFiles()).toEqual([]);
    const again = await openStore();
    expect(again.range(NOTES).map(({ key }) => key[0])).toEqual(['first', ...long].toSorted());
  });

  it('L2: a record that came and went within a file of the log is never met again, however slowly LMDB takes the file in', async () => {
    const first = await openStore();
    await put(first, 'first', 'first');
    await first.close();
    const store = await openLmdbStore({ path: folder, logBytes: LOG_BYTES * 8, drainBytes: 1 });
    opened.push(store);
    await put(store, 'fence', 'up');
    const long = await leaveAfter(store, 1, () => store.write((tx) => tx.remove(NOTES, ['fence'])));
    const seen = (): unknown => [
      store.get(NOTES, ['fence']),
      store.range(NOTES, { prefix: ['fence'] }),
      store.range(NOTES).length,
    ];
    // The file itself goes with the next one, where LMDB has it before that is begun.
    await until('LMDB has the file left', () => {
      expect(seen()).toEqual([null, [], long + 1]);
      return store.backlog().catchUps > 0;
    });
    expect(seen()).toEqual([null, [], long + 1]);
  });

  it('every read of every turn is that of a store without a log, whatever is written', async () => {
    const key = fc.constantFrom<Key>(['a'], ['a', 1], ['a', 2], ['b'], ['b', 'x'], ['c']);
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('put' as const),
          key,
          length: fc.integer({ min: 0, max: 900 }),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant('remove' as const), key, length: fc.constant(0) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('turn' as const), key, length: fc.constant(0) }),
      },
    );
    // LMDB has each commit by itself, and whoever reads it meets it half way through a file.
    const ours = await openLmdbStore({ path: folder, logBytes: LOG_BYTES, drainBytes: 1 });
    opened.push(ours);
    const model = createMemoryStore();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
        run += 1;
        const table: Table<Note> = { name: `run${run % 8}` };
        const agree = (): void => {
          expect(ours.range(table)).toEqual(model.range(table));
          for (const range of [
            { prefix: ['a'] },
            { prefix: ['a'], limit: 1 },
            { prefix: ['b'], reverse: true },
          ])
            expect(ours.range(table, range)).toEqual(model.range(table, range));
          for (const each of [['a'], ['a', 1], ['b', 'x'], ['c']])
            expect(ours.get(table, each)).toEqual(model.get(table, each));
          expect(ours.readJournal(3, 2)).toEqual(model.readJournal(3, 2));
        };
        for (const { kind, key: at, length } of steps) {
          if (kind === 'turn') await new Promise((resolve) => setImmediate(resolve));
          for (const store of kind === 'turn' ? [] : [ours, model]) {
            await store.write((tx) => {
              tx.append(anEvent(kind));
              if (kind === 'put')
                tx.put(table, at, { text: 'x'.repeat(length) }, tx.get(table, at)?.version ?? 0);
              else tx.remove(table, at);
            });
          }
          agree();
        }
      }),
      { numRuns: 15 },
    );
    expect(ours.readJournal(0, 10_000)).toEqual(model.readJournal(0, 10_000));
  });
});

describe('when LMDB cannot catch up', () => {
  it('L9: commits are refused once the log has grown to its bound, and all that were not are there at the next start', async () => {
    // Files of so many blocks hold the log's, and not LMDB's for long.
    const child = startStoreProcess(folder, 'write', { fileBlocks: 1_000, logBytes: 20_000 });
    const lines = await child.rest();
    expect(lines.at(-1)).toMatch(
      /^failed store_unavailable: .*its log has grown to \d+ bytes, because .+nothing was changed$/,
    );
    const reported = Number(lines.at(-2)?.split(' ')[1]);
    const [found] = (await startStoreProcess(folder, 'read').rest()).filter((line) =>
      line.startsWith('found'),
    );
    expect(found).toBe(`found ${reported} ${reported} ${reported}`);
  });

  /**
   * Leaves a file of which only the first two commits are there before LMDB has read it, as if the
   * others had never been written; gives what it was, and its keys.
   */
  async function leaveDamaged(
    store: Store,
  ): Promise<{ readonly whole: Buffer; readonly keys: readonly string[] }> {
    const lmdb = await holdLmdb();
    const keys = await leaveFile(store, 1);
    const whole = readFileSync(logFile(1));
    writeFileSync(
      logFile(1),
      Buffer.concat([
        whole.subarray(0, 2 * BLOCK_BYTES),
        Buffer.alloc(whole.length - 2 * BLOCK_BYTES),
      ]),
    );
    await lmdb.letGo();
    return { whole, keys };
  }

  it('a file that does not say all that was written is not taken for done with: tried again, and taken in once it does', async () => {
    const store = await openStore(1);
    const {
      whole,
      keys: [first = '', ...others],
    } = await leaveDamaged(store);
    await store.write((tx) => tx.remove(NOTES, [first]));
    const seen = (): unknown => [first, ...others].map((key) => textOf(store, key));
    const wanted = [undefined, ...others.map(() => LONG)];
    // Beyond twice its size, the next file of the log has waited for LMDB in vain.
    await putUntil(
      'LMDB has fallen far behind',
      () => store.backlog().bytes >= 5 * LOG_BYTES,
      () => put(store, 'other', LONG),
    );
    expect([existsSync(logFile(1)), seen()]).toEqual([true, wanted]);
    const { bytes, cause } = store.backlog();
    expect([bytes >= 4 * LOG_BYTES, String(cause)]).toEqual([
      true,
      expect.stringContaining('segment.2.log is damaged at byte 0'),
    ]);
    writeFileSync(logFile(1), whole);
    await putUntil(
      'LMDB has the file left',
      () => !existsSync(logFile(1)),
      () => put(store, 'other', LONG),
    );
    expect(seen()).toEqual(wanted);
    await until('it keeps up again', () => store.backlog().failedInARow === 0);
    expect(store.backlog().cause).toBeNull();
  });

  it('it is tried again in its time, not at each write', async () => {
    const store = await openStore();
    const { whole } = await leaveDamaged(store);
    await putUntil(
      'LMDB has fallen far behind',
      () => store.backlog().bytes >= 5 * LOG_BYTES,
      () => put(store, 'other', LONG),
    );
    expect(store.backlog().failedInARow).toBe(1);
    writeFileSync(logFile(1), whole);
  });

  it('it is tried again after a while also without a write', async () => {
    const store = await openStore(1);
    const { whole } = await leaveDamaged(store);
    await until('it has failed three times', () => store.backlog().failedInARow >= 3);
    const { bytes } = store.backlog();
    writeFileSync(logFile(1), whole);
    await until('it keeps up again', () => store.backlog().failedInARow === 0);
    expect(bytes - store.backlog().bytes).toBeGreaterThanOrEqual(LOG_BYTES);
  });

  it('so it is where the next file of the log could not be made, and commits go on in the one there is', async () => {
    const store = await openStore(1);
    mkdirSync(logFile(2));
    await put(store, 'first', 'x'.repeat(LOG_BYTES / 2));
    await until('it has failed twice', () => store.backlog().failedInARow >= 2);
    await put(store, 'second', 'x'.repeat(LOG_BYTES));
    rmSync(logFile(2), { recursive: true, force: true });
    await until('it keeps up again', () => store.backlog().failedInARow === 0);
    await put(store, 'third', 'text');
    expect([
      existsSync(logFile(2)),
      ['first', 'second', 'third'].map((key) => textOf(store, key)?.length),
    ]).toEqual([true, [LOG_BYTES / 2, LOG_BYTES, 4]]);
  });

  it('a store that is closed leaves it as it is, for a start that finds it whole', async () => {
    const store = await openStore();
    const { whole, keys } = await leaveDamaged(store);
    await store.close();
    await expect(openStore()).rejects.toMatchObject({
      code: 'store_corrupt',
      message: expect.stringContaining('segment.2.log is damaged at byte 0'),
    });
    writeFileSync(logFile(1), whole);
    const again = await openStore();
    expect(again.range(NOTES).map(({ key }) => key[0])).toEqual([...keys].toSorted());
    expect(again.readJournal(0, 100)).toHaveLength(keys.length);
  });
});

describe('the thread that catches up', () => {
  const NOTHING = { passed: new Set<string>(), atOnce: 1_000 };

  it('begins again after it could not begin, and says why', async () => {
    const catchUp = createCatchUp(join(folder, 'none\0'));
    for (let attempt = 0; attempt < 2; attempt += 1)
      await expect(catchUp.bringIn({ ...NOTHING, upTo: 1 })).rejects.toThrow();
    await catchUp.close();
  });

  it('does nothing for what LMDB has, and refuses what the log has not', async () => {
    const store = await openStore();
    await put(store, 'first', 'first');
    await store.close();
    const catchUp = createCatchUp(folder);
    await catchUp.bringIn({ ...NOTHING, upTo: 1 });
    await expect(catchUp.bringIn({ ...NOTHING, upTo: 7 })).rejects.toThrow(
      'its log ends with frame 1, not 7',
    );
    await catchUp.close();
    expect(textOf(await openStore(), 'first')).toBe('first');
  });
});
