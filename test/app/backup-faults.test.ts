import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BACKUP } from '../../config/limits/backup.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createLocalEncryptor } from '../../src/adapters/keys/local-encryptor.ts';
import { DATA_KEYS, SERVICE } from '../../src/adapters/keys/key-tables.ts';
import { checkLog } from '../../src/adapters/lmdb/log-check.ts';
import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { createSystemRandom } from '../../src/adapters/random/system-random.ts';
import { runBackupCommand } from '../../src/app/backup-cli.ts';
import { runRestoreCommand } from '../../src/app/restore-cli.ts';
import type { Store, Table } from '../../src/ports/store.ts';
import { eventually } from '../support/eventually.ts';

const NOTES: Table<string> = { name: 'notes' };
const KEY = 'ab'.repeat(32);
const OTHER_KEY = 'cd'.repeat(32);
const T0 = 1_800_000_000_000;

let home: string;
let data: string;
let target: string;
let lines: string[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'predictd-backup-faults-'));
  data = join(home, 'data');
  target = join(home, 'copy');
  mkdirSync(data, { mode: 0o700 });
  lines = [];
});
afterEach(() => rmSync(home, { recursive: true }));

const openStore = (): ReturnType<typeof openLmdbStore> =>
  openLmdbStore({ path: join(data, 'store'), logBytes: 65_536 });

async function write(store: Store, from: number, to: number): Promise<void> {
  for (let index = from; index <= to; index += 1)
    await store.write((tx) => {
      tx.put(NOTES, [index], `note ${index} ${'x'.repeat(3_000)}`);
      tx.append({ type: 'all_trading.resumed', atMs: T0 + index, reason: `fact ${index}` });
    });
}

/** A data folder with so many notes, no process in it. */
async function stored(count: number): Promise<void> {
  const store = await openStore();
  await write(store, 1, count);
  await store.close();
}

function backup(
  words: readonly string[] = [],
  {
    to = target,
    key = KEY as string | undefined,
    clock = createVirtualClock(T0),
    ending = new AbortController(),
  } = {},
): Promise<number> {
  return runBackupCommand([to, '--data', data, ...words], {
    environment: {
      PREDICTD_DATA: 'nowhere',
      ...(key === undefined ? {} : { PREDICTD_MASTER_KEY: key }),
    },
    print: (line) => lines.push(line),
    ending: ending.signal,
    clock,
  });
}

const restore = (to = join(home, 'again'), key = KEY): Promise<number> =>
  runRestoreCommand([target, to], { PREDICTD_MASTER_KEY: key }, (line) => lines.push(line));

describe('a backup beside another', () => {
  it('of the same folder is whole while the first follows on', async () => {
    const clock = createVirtualClock(T0);
    const ending = new AbortController();
    const store = await openStore();
    await write(store, 1, 30);
    const following = backup(['--follow'], { clock, ending });
    await eventually(() => expect(clock.pending).toBe(1));
    await write(store, 31, 60);
    const second = join(home, 'second');
    expect(await backup([], { to: second })).toBe(0);
    await clock.advance(BACKUP.followIntervalMs);
    ending.abort();
    expect(await following).toBe(0);
    await store.close();
    for (const folder of [target, second])
      expect(checkLog(join(folder, 'store')).link.seq).toBe(60);
  });

  it('into the same folder is refused, and the first is what it would be alone', async () => {
    await stored(40);
    const codes = await Promise.all([backup(), backup()]);
    expect([...codes].sort()).toEqual([0, 2]);
    expect(lines).toContainEqual(expect.stringContaining('or is being made'));
    expect(checkLog(join(target, 'store')).link.seq).toBe(40);
  });
});

describe('the folder a backup is made of', () => {
  it('is named as empty where nothing was stored in it, whether a key is known or not', async () => {
    expect(await backup([], { key: undefined })).toBe(2);
    expect(await backup()).toBe(2);
    expect(lines).toEqual([1, 2].map(() => `nothing was ever stored in ${data}`));
    expect(existsSync(target)).toBe(false);
  });

  it('has its own master key: another is refused, and no copy is left that asks for it', async () => {
    const store = await openStore();
    const random = createSystemRandom();
    const encryptor = createLocalEncryptor(Buffer.from(KEY, 'hex'), random);
    const sealed = await encryptor.wrap(random.bytes(32), 'service');
    await write(store, 1, 5);
    await store.write((tx) => tx.put(DATA_KEYS, [SERVICE], sealed));
    await store.close();
    expect(await backup([], { key: OTHER_KEY })).toBe(2);
    expect(lines.join()).toContain(`was sealed under master key ${encryptor.keyId}`);
    const [, given = 'none'] = /the one given is ([0-9a-f]{16});/.exec(lines.join()) ?? [];
    expect(existsSync(join(target, 'backup.json'))).toBe(false);
    lines = [];
    expect(await backup([], { to: join(home, 'right') })).toBe(0);
    expect(lines).toContainEqual(expect.stringContaining(`key       ${encryptor.keyId} is`));
    target = join(home, 'right');
    lines = [];
    expect(await restore(undefined, OTHER_KEY)).toBe(2);
    expect(lines.join()).toContain(`the one given has ${given};`);
  });
});

describe('the target of a backup', () => {
  it('is refused with a symbolic link in it, and what that leads to is left alone', async () => {
    await stored(5);
    const elsewhere = join(home, 'elsewhere');
    mkdirSync(elsewhere);
    mkdirSync(target);
    for (const name of ['store', 'backup.json', 'backup.json.new']) {
      symlinkSync(elsewhere, join(target, name));
      expect(await backup()).toBe(2);
      rmSync(join(target, name));
    }
    expect(readdirSync(elsewhere)).toEqual([]);
    symlinkSync(join(home, 'nowhere'), join(home, 'dangling'));
    expect(await backup([], { to: join(home, 'dangling') })).toBe(1);
    expect(existsSync(join(home, 'nowhere'))).toBe(false);
  });

  it('with what a killed backup left is no backup, is named as that, and another folder serves', async () => {
    await stored(60);
    expect(await backup()).toBe(0);
    rmSync(join(target, 'backup.json'));
    mkdirSync(join(target, 'backup.json'));
    expect(await restore()).toBe(2);
    rmSync(join(target, 'backup.json'), { recursive: true });
    const journal = join(target, 'store', 'journal');
    const [name = ''] = readdirSync(journal);
    truncateSync(join(journal, name), 1_000);
    lines = [];
    expect(await restore()).toBe(2);
    expect(await backup()).toBe(2);
    expect(lines).toEqual([
      expect.stringContaining('is no backup that was finished'),
      expect.stringContaining('has a backup in it that was not finished, or is being made'),
    ]);
    expect(await backup([], { to: join(home, 'repeated') })).toBe(0);
    rmSync(target, { recursive: true });
    expect(await backup()).toBe(0);
  });
});

describe('a file of a backup that was cut', () => {
  it('is found by the restore, whichever it is, and nothing is put in place', async () => {
    const store = await openStore();
    await write(store, 1, 60);
    expect(await backup()).toBe(0);
    await store.close();
    const files = readdirSync(target, { recursive: true, encoding: 'utf8' })
      .map((name) => join(target, name))
      .filter((file) => statSync(file).isFile());
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) {
      const whole = readFileSync(file);
      truncateSync(file, whole.length >> 1);
      expect([file, await restore()]).toEqual([file, 2]);
      writeFileSync(file, whole);
    }
    expect(existsSync(join(home, 'again', 'store'))).toBe(false);
    expect(await restore()).toBe(0);
  });
});
