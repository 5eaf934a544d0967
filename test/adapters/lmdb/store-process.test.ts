import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { open, type RootDatabase } from 'lmdb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LmdbTables } from '../../../src/adapters/lmdb/lmdb-tables.ts';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { asId, type Address, type UserId } from '../../../src/domain/ids.ts';
import { startStoreProcess, type StoreProcess } from '../../support/fixtures/store-process.ts';
import { runs, sampled } from '../../support/sampled.ts';

const BLOCK_BYTES = 4_096;
let folder: string;
const started: StoreProcess[] = [];
const start = (...args: Parameters<typeof startStoreProcess>): StoreProcess => {
  const child = startStoreProcess(...args);
  started.push(child);
  return child;
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-store-'));
});
afterEach(async () => {
  for (const child of started.splice(0)) await child.kill();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Reads until the pair with this number is durable: one before it may have written far more until
 * it was killed.
 */
async function waitForPair(child: StoreProcess, pair: number): Promise<void> {
  for (let durable = 0; durable < pair; ) {
    const line = await child.nextLine();
    if (line === null || line.startsWith('failed'))
      throw new Error(`the store process ended: ${line}`);
    durable = Number(/^durable (\d+)$/.exec(line)?.[1] ?? durable);
  }
}

/** A store with 40 records of 2 kB, closed in order. */
async function fillStore(): Promise<void> {
  const store = await openLmdbStore({ path: folder });
  for (let index = 0; index < 40; index += 1)
    await store.write((tx) => tx.put({ name: 'left' }, [index], { text: 'x'.repeat(2_000) }));
  await store.close();
}

/** Appends so many facts, and gives the number of the last one and the data file as it is then. */
async function appendTo(facts: number): Promise<{ readonly head: number; readonly data: Buffer }> {
  const store = await openLmdbStore({ path: folder });
  for (let index = 0; index < facts; index += 1) await store.write((tx) => tx.append(aFact));
  const { seq } = await store.anchorChain();
  await store.close();
  return { head: seq, data: readFileSync(join(folder, 'data.mdb')) };
}

const aFact: DomainEvent = {
  type: 'user.created',
  userId: asId<UserId>('u'),
  atMs: 1,
  address: asId<Address>('0x1'),
};

const lastDurable = (lines: readonly string[]): number =>
  Number(lines.findLast((line) => line.startsWith('durable'))?.split(' ')[1]);
const countsIn = (lines: readonly string[]): readonly number[] =>
  (lines.find((line) => line.startsWith('found')) ?? '').split(' ').slice(1).map(Number);

describe('a process killed while it writes', () => {
  it('L9: leaves nothing half done while LMDB catches up with its log, time and again', async () => {
    for (let round = 1; round <= runs(2, 6); round += 1) {
      const writer = start(folder, 'write', { logBytes: 20_000 });
      await waitForPair(writer, round * 30 + round);
      await writer.kill();
      const reported = lastDurable([`durable ${round * 30 + round}`, ...(await writer.rest())]);
      const [left = 0, right, facts] = countsIn(await start(folder, 'read').rest());
      expect(left).toBeGreaterThanOrEqual(reported);
      expect([right, facts]).toEqual([left, left]);
    }
  });

  it('L9: leaves all that was durable, nothing half done, and no lock behind', async () => {
    const writer = start(folder, 'write');
    await waitForPair(writer, 40);
    await writer.kill();
    const reported = lastDurable(['durable 40', ...(await writer.rest())]);
    const [left = 0, right, facts] = countsIn(await start(folder, 'read').rest());
    expect(left).toBeGreaterThanOrEqual(reported);
    expect([right, facts]).toEqual([left, left]);
  });

  it('is followed by one that goes on where it stopped, time and again', async () => {
    for (let round = 1; round <= 3; round += 1) {
      const writer = start(folder, 'write');
      await waitForPair(writer, round * 20);
      await writer.kill();
    }
    const [left = 0, right, facts] = countsIn(await start(folder, 'read').rest());
    expect(left).toBeGreaterThanOrEqual(60);
    expect([right, facts]).toEqual([left, left]);
  });
});

describe('two processes on one folder', () => {
  it('the second refuses to start, with one sentence that says what to do', async () => {
    const first = start(folder, 'hold');
    expect(await first.nextLine()).toBe('open');
    expect(await start(folder, 'read').rest()).toEqual([
      `failed store_locked: another process is using the data folder ${folder}; stop it first, or choose another folder`,
    ]);
    await expect(openLmdbStore({ path: folder })).rejects.toMatchObject({ code: 'store_locked' });
  });

  it('started at the same moment: one wins, and when it is killed the next may start', async () => {
    const rivals = [start(folder, 'hold'), start(folder, 'hold'), start(folder, 'hold')];
    const words = await Promise.all(rivals.map((rival) => rival.nextLine()));
    expect(words.filter((word) => word === 'open')).toHaveLength(1);
    expect(words.filter((word) => word?.startsWith('failed store_locked'))).toHaveLength(2);
    for (const rival of rivals) await rival.kill();
    expect((await start(folder, 'read').rest())[0]).toBe('open');
  });

  it('also under another name of the folder', async () => {
    const store = await openLmdbStore({ path: folder });
    await expect(
      openLmdbStore({ path: join(folder, '..', folder.split('/').at(-1) ?? '', '.') }),
    ).rejects.toMatchObject({ code: 'store_locked' });
    await store.close();
  });
});

it('says store_unavailable when the disk is full, and keeps nothing of the change that met it', async () => {
  const lines = await start(folder, 'write', { fileBlocks: 1_500, logBytes: 100_000 }).rest();
  expect(lines.at(-1)).toMatch(/^failed store_unavailable: .*nothing was changed$/);
  const reported = lastDurable(lines);
  expect(reported).toBeGreaterThan(5);
  expect(countsIn(await start(folder, 'read').rest())).toEqual([reported, reported, reported]);
});

const dataFile = (): string => join(folder, 'data.mdb');
const logPath = (): string => join(folder, 'journal');

describe('LMDB that is damaged or gone is made anew from the log', () => {
  const damages: readonly (readonly [string, () => void])[] = [
    ['is another program’s file', () => writeFileSync(dataFile(), Buffer.alloc(40_000, 7))],
    ['is a line of text', () => writeFileSync(dataFile(), 'hello')],
    [
      'lost its second half',
      () => truncateSync(dataFile(), Math.floor(statSync(dataFile()).size / 2)),
    ],
    ['was cut within its first page', () => truncateSync(dataFile(), 1_000)],
    [
      'lost its last pages to zeros',
      () => {
        const { size } = statSync(dataFile());
        truncateSync(dataFile(), Math.floor(size / 3));
        truncateSync(dataFile(), size);
      },
    ],
    ['was emptied', () => truncateSync(dataFile())],
    ['is gone', () => rmSync(dataFile())],
  ];

  it.each(sampled('damages', damages, 3))('L9: when its data file %s', async (_, damage) => {
    await fillStore();
    const { head } = await appendTo(3);
    damage();
    for (let round = 1; round <= 2; round += 1)
      expect(countsIn(await start(folder, 'read').rest())).toEqual([40, 0, 3]);
    expect(await appendTo(1)).toMatchObject({ head: head + 1 });
  });

  it('L9: when its data file is an older one', async () => {
    const before = await appendTo(1);
    await fillStore();
    await appendTo(2);
    writeFileSync(dataFile(), before.data);
    expect(countsIn(await start(folder, 'read').rest())).toEqual([40, 0, 3]);
  });

  it('and says where the damaged one is', async () => {
    await fillStore();
    writeFileSync(dataFile(), 'hello');
    const store = await openLmdbStore({ path: folder });
    expect(store.setAside).toBe(join(folder, 'data.mdb.damaged'));
    expect(readFileSync(store.setAside ?? '', 'utf8')).toBe('hello');
    await store.close();
    const again = await openLmdbStore({ path: folder });
    expect(again.setAside).toBeNull();
    await again.close();
  });
});

describe('a store that cannot be read is refused with what to do', () => {
  const files = (): readonly string[] =>
    readdirSync(logPath()).map((name) => join(logPath(), name));
  const damages: readonly (readonly [string, () => void])[] = [
    ['log is gone', () => rmSync(logPath(), { recursive: true })],
    ['log is empty', () => files().forEach((name) => rmSync(name))],
    ['log is not what was made small', () => files().forEach((name) => writeFileSync(name, 'log'))],
    [
      'log was cut',
      () =>
        files().forEach((name) =>
          writeFileSync(
            name,
            gzipSync(gunzipSync(readFileSync(name)).subarray(0, 3 * BLOCK_BYTES)),
          ),
        ),
    ],
    [
      'data file is damaged and its log gone',
      () => {
        files().forEach((name) => rmSync(name));
        writeFileSync(dataFile(), 'hello');
      },
    ],
  ];

  it.each(damages)('when its %s, and changes nothing', async (_, damage) => {
    await fillStore();
    damage();
    const left = (): unknown =>
      [folder, logPath()].map((path) => (existsSync(path) ? readdirSync(path).toSorted() : []));
    const before = left();
    for (let round = 1; round <= 2; round += 1) {
      const lines = await start(folder, 'read').rest();
      expect(lines.at(-1)).toMatch(
        /^failed store_corrupt: the store in .* cannot be read \(.+\); restore the folder from a backup, or move it away to start empty$/,
      );
      expect(left()).toEqual(before);
    }
  });

  it.each<[string, () => void]>([
    ['emptied', () => truncateSync(dataFile())],
    ['gone', () => rmSync(dataFile())],
  ])(
    'when data file and log are both %s, beside a head of the journal that goes further',
    async (_, damage) => {
      await appendTo(3);
      damage();
      rmSync(logPath(), { recursive: true });
      await expect(openLmdbStore({ path: folder })).rejects.toMatchObject({
        code: 'store_corrupt',
        message: expect.stringMatching(
          /its journal ends at entry 0, and journal.head .* went on to 3\); restore/,
        ),
      });
    },
  );

  it('when LMDB is gone and the log no longer has its beginning, which else is not asked for', async () => {
    await appendTo(3);
    await appendTo(3);
    const [first = ''] = files().toSorted();
    rmSync(first);
    expect(await appendTo(1)).toMatchObject({ head: 7 });
    rmSync(dataFile());
    await expect(openLmdbStore({ path: folder })).rejects.toMatchObject({ code: 'store_corrupt' });
  });

  it('when it was made by another version', async () => {
    const root = open({ path: folder, noSubdir: false, maxDbs: 8, overlappingSync: false });
    root.openDB({ name: 'meta' }).putSync('format', 4);
    await new Promise((resolve) => setImmediate(resolve));
    await root.close();
    await expect(openLmdbStore({ path: folder })).rejects.toMatchObject({
      code: 'store_corrupt',
      message: expect.stringContaining('its format is 4'),
    });
  });

  it('and a copy put in its place is read again', async () => {
    await fillStore();
    const copy = mkdtempSync(join(tmpdir(), 'predictd-copy-'));
    cpSync(folder, copy, { recursive: true });
    for (const name of files()) writeFileSync(name, 'broken');
    expect((await start(folder, 'read').rest()).at(-1)).toMatch(/^failed store_corrupt/);
    cpSync(copy, folder, { recursive: true });
    rmSync(copy, { recursive: true });
    expect(countsIn(await start(folder, 'read').rest())).toEqual([40, 0, 0]);
  });
});

/** A database environment whose process ends before it has made one commit more than so many. */
function endsAfter(root: RootDatabase, commits: number): RootDatabase {
  let left = commits;
  const counting = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(from, name) {
        const value: unknown = Reflect.get(from, name);
        if (typeof value !== 'function') return value;
        if (name !== 'openDB' && name !== 'putSync') return value.bind(from) as unknown;
        return (...args: unknown[]) => {
          left -= 1;
          if (left < 0) throw new Error('the process has ended');
          const made: unknown = Reflect.apply(value, from, args);
          return typeof made === 'object' && made !== null ? counting(made) : made;
        };
      },
    });
  return counting(root);
}

function isThrown(run: () => unknown): boolean {
  try {
    run();
    return false;
  } catch {
    return true;
  }
}

describe('a store without a format', () => {
  it.each([[[]], [['meta']]])(
    'is opened where a first start was cut off before it wrote one: databases %j',
    async (databases) => {
      const root = open({ path: folder, noSubdir: false });
      for (const name of databases) root.openDB({ name });
      await root.close();
      const store = await openLmdbStore({ path: folder });
      expect(store.readJournal(0, 10)).toEqual([]);
      await store.close();
    },
  );

  it('L9: is opened wherever a first start was cut off between two of its commits', async () => {
    for (let commits = 0; ; commits += 1) {
      const cut = join(folder, String(commits));
      const root = open({ path: cut, noSubdir: false, maxDbs: 8, overlappingSync: false });
      const isCut = isThrown(() => new LmdbTables(endsAfter(root, commits), cut));
      await new Promise((resolve) => setImmediate(resolve));
      await root.close();
      const store = await openLmdbStore({ path: cut });
      expect(store.readJournal(0, 10)).toEqual([]);
      await store.close();
      if (!isCut) return expect(commits).toBeGreaterThan(2);
    }
  });

  it('is refused where it holds something', async () => {
    const root = open({ path: folder, noSubdir: false });
    for (const name of ['meta', 'journal']) root.openDB({ name });
    await root.close();
    await expect(openLmdbStore({ path: folder })).rejects.toMatchObject({ code: 'store_corrupt' });
  });
});
