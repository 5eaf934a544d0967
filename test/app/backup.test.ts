import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BACKUP } from '../../config/limits/backup.ts';
import { masterKeyIdOf } from '../../src/adapters/keys/local-encryptor.ts';
import { createVirtualClock, type VirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { LOCK_FILE } from '../../src/adapters/lmdb/folder-lock.ts';
import { checkLog } from '../../src/adapters/lmdb/log-check.ts';
import { openLmdbStore } from '../../src/adapters/lmdb/lmdb-store.ts';
import { runBackupCommand } from '../../src/app/backup-cli.ts';
import { runRestoreCommand } from '../../src/app/restore-cli.ts';
import { createUpkeepWatch, readUpkeep } from '../../src/app/upkeep.ts';
import { runVerifyCommand } from '../../src/tools/verify/verify-journal-command.ts';
import type { Store, Table } from '../../src/ports/store.ts';
import { asId, type UserId } from '../../src/domain/ids.ts';
import { RESTORES, STOPS } from '../../src/services/books/tables.ts';
import { REFRESH_TOKEN_FAMILIES } from '../../src/services/sign-in/tables.ts';
import { createCountingMetrics } from '../support/counting-metrics.ts';
import { eventually } from '../support/eventually.ts';
import { createKeptLog } from '../support/quiet.ts';

const NOTES: Table<string> = { name: 'notes' };
const KEY = 'ab'.repeat(32);
const FINGERPRINT = masterKeyIdOf(Buffer.from(KEY, 'hex'));
const T0 = 1_800_000_000_000;

let home: string;
let data: string;
let target: string;
let lines: string[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'predictd-backup-'));
  data = join(home, 'data');
  target = join(home, 'copy');
  mkdirSync(data, { mode: 0o700 });
  lines = [];
});
afterEach(() => rmSync(home, { recursive: true }));

const openStore = (folder = data, logBytes = 65_536): ReturnType<typeof openLmdbStore> =>
  openLmdbStore({ path: join(folder, 'store'), logBytes });

async function write(store: Store, from: number, to: number): Promise<void> {
  for (let index = from; index <= to; index += 1)
    await store.write((tx) => {
      tx.put(NOTES, [index], `note ${index} ${'x'.repeat(3_000)}`);
      tx.append({ type: 'all_trading.resumed', atMs: T0 + index, reason: `fact ${index}` });
    });
}

const journal = (folder: string): string => join(folder, 'store', 'journal');

/** A command that runs until it ends, or is aborted. */
function backup(
  words: readonly string[] = [],
  { clock = createVirtualClock(T0), ending = new AbortController() } = {},
) {
  return runBackupCommand([target, '--data', data, ...words], {
    environment: { PREDICTD_DATA: 'nowhere', PREDICTD_MASTER_KEY: KEY },
    print: (line) => lines.push(line),
    ending: ending.signal,
    clock,
  });
}

const restore = (to = join(home, 'again'), key: string | undefined = KEY): Promise<number> =>
  runRestoreCommand([target, to], { PREDICTD_MASTER_KEY: key }, (line) => lines.push(line));

/** Without the file that a lock is on some systems. */
const namesIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name !== LOCK_FILE)
    .sort();

async function notesOf(folder: string): Promise<readonly unknown[]> {
  const store = await openStore(folder);
  try {
    return store.range(NOTES).map(({ key }) => key[0]);
  } finally {
    await store.close();
  }
}

const upTo = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index + 1);

describe('backup', () => {
  it('copies a store that is written to, of which a start makes all that was stored before', async () => {
    const store = await openStore();
    await write(store, 1, 60);
    const writing = write(store, 61, 120);
    expect(await backup()).toBe(0);
    await writing;
    await store.close();
    const end = checkLog(join(target, 'store'));
    expect(end.link.seq).toBeGreaterThanOrEqual(60);
    expect(await notesOf(target)).toEqual(upTo(end.link.seq));
    expect(lines).toContainEqual(expect.stringContaining(`head ${end.link.seq}:${end.link.hash}`));
  });

  it('copies the folder of a daemon that is not running, and leaves it as it was', async () => {
    const store = await openStore();
    await write(store, 1, 30);
    await store.close();
    const before = readdirSync(journal(data));
    expect(await backup()).toBe(0);
    expect(readdirSync(journal(data))).toEqual(before);
    expect(await notesOf(target)).toEqual(upTo(30));
  });

  it("says the master key's fingerprint and has no key in it", async () => {
    await (await openStore()).close();
    writeFileSync(join(data, 'master.key'), KEY, { mode: 0o600 });
    expect(await backup()).toBe(0);
    expect(lines).toContainEqual(expect.stringContaining(FINGERPRINT));
    expect(readdirSync(target).sort()).toEqual(['backup.json', 'store']);
    expect(readFileSync(join(target, 'backup.json'), 'utf8')).not.toContain(KEY);
  });

  it('refuses a target with files, a folder without a store, and a wrong command', async () => {
    const before = target;
    expect(await backup()).toBe(2);
    await (await openStore()).close();
    mkdirSync(target);
    writeFileSync(join(target, 'mine'), '');
    expect(await backup()).toBe(2);
    expect(await backup(['--backwards'])).toBe(2);
    target = join(data, 'copy');
    expect(await backup()).toBe(2);
    expect(existsSync(target)).toBe(false);
    target = before;
    expect(lines).toEqual([
      expect.stringContaining('nothing was ever stored in'),
      expect.stringContaining('has files in it'),
      expect.stringContaining('--backwards is not understood'),
      expect.stringContaining('is inside of the data folder'),
    ]);
    expect(readdirSync(target)).toEqual(['mine']);
  });

  it('is not made of a damaged log, and the daemon counts that', async () => {
    const store = await openStore();
    await write(store, 1, 30);
    await store.close();
    const metrics = createCountingMetrics();
    const clock = createVirtualClock(T0);
    const watch = createUpkeepWatch({ folder: data, clock, metrics, log: createKeptLog() });
    const [packed = ''] = readdirSync(journal(data));
    const bytes = readFileSync(join(journal(data), packed));
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 255;
    writeFileSync(join(journal(data), packed), bytes);
    expect(await backup()).toBe(1);
    expect(existsSync(join(target, 'backup.json'))).toBe(false);
    watch();
    expect(metrics.counts['backup_failures_total']).toBe(1);
    expect(metrics.gauges['backup_timestamp_seconds']).toBe(0);
  });

  it('tells the daemon when it was made, and the daemon counts no failure twice over a restart', async () => {
    await (await openStore()).close();
    expect(await backup()).toBe(0);
    const metrics = createCountingMetrics();
    const clock = createVirtualClock(T0 + 5_000);
    writeFileSync(
      join(data, 'upkeep.json'),
      JSON.stringify({ ...readUpkeep(data), backupFailures: 3 }),
    );
    createUpkeepWatch({ folder: data, clock, metrics, log: createKeptLog() })();
    expect(metrics.gauges).toEqual({
      backup_timestamp_seconds: T0 / 1_000,
      verify_timestamp_seconds: 0,
    });
    expect(metrics.counts).toEqual({});
  });
});

describe('backup --follow', () => {
  const waits = (clock: VirtualClock): Promise<void> =>
    eventually(() => expect(clock.pending).toBe(1));

  /** Passes a second, and waits until what is done in it is done. */
  async function round(clock: VirtualClock): Promise<void> {
    await waits(clock);
    await clock.advance(BACKUP.followIntervalMs);
    await waits(clock);
  }

  it('has each second what was stored in the one before, also over full files and a new start, and ends at a signal', async () => {
    const clock = createVirtualClock(T0);
    const ending = new AbortController();
    let store = await openStore();
    const following = backup(['--follow'], { clock, ending });
    let count = 0;
    const next = async (more: number): Promise<void> => {
      await write(store, count + 1, count + more);
      count += more;
      await round(clock);
      expect(checkLog(join(target, 'store')).link.seq).toBe(count);
    };
    await next(40);
    await next(1);
    await store.close();
    store = await openStore();
    await next(50);
    await write(store, count + 1, count + 5);
    ending.abort();
    expect(await following).toBe(0);
    await store.close();
    expect(await notesOf(target)).toEqual(upTo(count + 5));
  });

  it('tries again while it cannot copy, and gives up with the reason', async () => {
    const clock = createVirtualClock(T0);
    const store = await openStore();
    await write(store, 1, 3);
    const following = backup(['--follow'], { clock });
    await waits(clock);
    await write(store, 4, 6);
    await store.close();
    rmSync(journal(target), { recursive: true });
    for (let times = 1; times < BACKUP.failuresMaximum; times += 1) await round(clock);
    await clock.advance(BACKUP.followIntervalMs);
    expect(await following).toBe(1);
    expect(lines.filter((line) => line.startsWith('again'))).toHaveLength(BACKUP.failuresMaximum);
    expect(lines.at(-1)).toContain('the copy was taken away');
    expect(readUpkeep(data)).toMatchObject({ backupFailures: 1 });
  });
});

describe('restore', () => {
  async function makeCopy(count = 20): Promise<void> {
    const store = await openStore();
    await write(store, 1, count);
    await store.close();
    expect(await backup()).toBe(0);
    lines = [];
  }

  it('L6: puts a backup in place with buying stopped for everybody, and says up to when it goes', async () => {
    await makeCopy();
    const again = join(home, 'again');
    expect(await restore()).toBe(0);
    expect(namesIn(again)).toEqual(['store']);
    const store = await openStore(again);
    expect(store.range(NOTES).map(({ key }) => key[0])).toEqual(upTo(20));
    expect(store.get(STOPS, ['all'])?.value).toMatchObject({
      stopped: true,
      policy: 'keep',
      reason: `restored from the backup of ${new Date(T0).toISOString()}: adopt what came later, then resume`,
    });
    expect(store.get(RESTORES, ['newest'])?.value).toEqual({
      upToMs: T0 + 20,
      madeAtMs: T0,
      adoptedAtMs: null,
      journalName: expect.stringMatching(/^[0-9a-f]{8}$/) as string,
    });
    await store.close();
    expect(lines.join('\n')).toContain(`up to ${new Date(T0 + 20).toISOString()}`);
  });

  it('puts none in place with a session of before in it, and says what it has ended', async () => {
    const store = await openStore();
    await store.write((tx) =>
      tx.put(REFRESH_TOKEN_FAMILIES, ['ses_1'], {
        userId: asId<UserId>('u1'),
        createdAtMs: T0,
        generation: 0,
        expiresAtMs: T0 + 1,
        revokedAtMs: null,
        method: 'otp',
      }),
    );
    await store.close();
    await makeCopy(1);
    expect(await restore()).toBe(0);
    const again = await openStore(join(home, 'again'));
    expect(again.get(REFRESH_TOKEN_FAMILIES, ['ses_1'])?.value.revokedAtMs).toBe(T0);
    await again.close();
    expect(lines.at(-1)).toMatch(/^ended {5}all sessions and API keys of before: /);
  });

  it('keeps a master key that lies in the folder already, and wants the one of the backup', async () => {
    await makeCopy();
    const again = join(home, 'again');
    mkdirSync(again);
    expect(await restore(again, 'cd'.repeat(32))).toBe(2);
    expect(await runRestoreCommand([target, again], {}, (line) => lines.push(line))).toBe(2);
    expect(readdirSync(again)).toEqual([]);
    expect(lines).toEqual([
      expect.stringContaining(`fingerprint ${FINGERPRINT}, and the one given has `),
      expect.stringContaining(`fingerprint ${FINGERPRINT}, and none is given`),
    ]);
    writeFileSync(join(again, 'master.key'), KEY, { mode: 0o600 });
    expect(await runRestoreCommand([target, again], {}, (line) => lines.push(line))).toBe(0);
    expect(namesIn(again)).toEqual(['master.key', 'store']);
  });

  it('refuses a folder in use, one with files, and what is no finished backup', async () => {
    await makeCopy();
    const store = await openStore();
    expect(await restore(data)).toBe(2);
    await store.close();
    expect(await restore(data)).toBe(2);
    rmSync(join(target, 'backup.json'));
    expect(await restore()).toBe(2);
    expect(lines).toEqual([
      expect.stringContaining('another process is using'),
      expect.stringContaining('has files in it'),
      expect.stringContaining('is no backup that was finished'),
    ]);
    expect(existsSync(join(home, 'again'))).toBe(false);
  });

  it('puts nothing in place of a backup that is damaged, or has lost its end', async () => {
    await makeCopy();
    const [name = ''] = readdirSync(journal(target));
    const whole = readFileSync(join(journal(target), name));
    const head = join(target, 'store', 'journal.head');
    const flipped = Buffer.from(whole);
    flipped[100] = (flipped[100] ?? 0) ^ 1;
    writeFileSync(join(journal(target), name), flipped);
    expect(await restore()).toBe(2);
    writeFileSync(join(journal(target), name), whole);
    writeFileSync(head, `21:${'0'.repeat(64)}\nformat 1\n`);
    expect(await restore()).toBe(2);
    expect(lines).toEqual([
      expect.stringContaining('is damaged at byte'),
      expect.stringContaining('its journal ends at entry 20'),
    ]);
    expect(existsSync(join(home, 'again', 'store'))).toBe(false);
  });

  it('refuses a backup that has lost commits without a journal entry, and says how many; one of a version that did not count them is taken', async () => {
    const store = await openStore();
    await write(store, 1, 5);
    const clock = createVirtualClock(T0);
    const ending = new AbortController();
    const following = backup(['--follow'], { clock, ending });
    await eventually(() => expect(clock.pending).toBe(1));
    const [name = ''] = readdirSync(journal(target));
    const { size } = statSync(join(journal(target), name));
    for (let index = 6; index <= 7; index += 1)
      await store.write((tx) => tx.put(NOTES, [index], 'no entry'));
    ending.abort();
    expect(await following).toBe(0);
    await store.close();
    truncateSync(join(journal(target), name), size);
    lines = [];
    expect(await restore()).toBe(2);
    expect(lines).toEqual([
      expect.stringContaining(
        'its log ends at commit 5, and backup.json beside it says that it went on to 7: the last 2 are lost',
      ),
    ]);
    const note = join(target, 'backup.json');
    const { commits, ...older } = JSON.parse(readFileSync(note, 'utf8'));
    expect(commits).toBe(7);
    writeFileSync(note, JSON.stringify(older));
    expect(await restore()).toBe(0);
  });

  it('begins anew where the last one was cut off', async () => {
    await makeCopy();
    const again = join(home, 'again');
    mkdirSync(join(again, 'store.restoring', 'journal'), { recursive: true });
    copyFileSync(join(target, 'backup.json'), join(again, 'store.restoring', 'journal', 'half'));
    expect(await restore()).toBe(0);
    expect(namesIn(again)).toEqual(['store']);
  });

  it('is refused while another one runs into the same folder, and the first is what it would be alone', async () => {
    await makeCopy();
    const first = target;
    target = join(home, 'later');
    await makeCopy(5);
    const later = target;
    const running = [first, later].map((from) => {
      target = from;
      return restore();
    });
    expect(await Promise.all(running)).toEqual([0, 2]);
    expect(lines.filter((line) => line.includes('another process is using'))).toHaveLength(1);
    const store = await openStore(join(home, 'again'));
    expect(store.newestFact()).toBe(21); // its stop is one
    expect(store.range(NOTES).map(({ key }) => key[0])).toEqual(upTo(20));
    await store.close();
  });

  it('takes a backup of a version that noted a plain hash of the key', async () => {
    await makeCopy();
    const note = join(target, 'backup.json');
    const noted = JSON.parse(readFileSync(note, 'utf8'));
    const plain = createHash('sha256').update(Buffer.from(KEY, 'hex')).digest('hex').slice(0, 16);
    writeFileSync(note, JSON.stringify({ ...noted, masterKeyFingerprint: plain }));
    expect(await restore(undefined, 'cd'.repeat(32))).toBe(2);
    expect(await restore()).toBe(0);
  });

  it('refuses a file in the place of the folder', async () => {
    await makeCopy();
    const file = join(home, 'file');
    writeFileSync(file, 'mine');
    expect(await restore(file)).toBe(2);
    expect(lines).toEqual([expect.stringContaining(`${file} is no folder`)]);
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });
});

describe('verify-journal of a backup', () => {
  it('reads it without LMDB, and leaves it as it was', async () => {
    const store = await openStore();
    await write(store, 1, 20);
    await store.close();
    expect(await backup()).toBe(0);
    const before = readdirSync(join(target, 'store'));
    lines = [];
    expect(await runVerifyCommand(['--data', target], data, (line) => lines.push(line))).toBe(0);
    expect(lines[0]).toMatch(/^journal {3}20 entries, 0 receipts; head 20:/);
    expect(readdirSync(join(target, 'store'))).toEqual(before);
  });

  it('tells the daemon that runs in the folder when all was whole, and no other folder', async () => {
    const store = await openStore();
    await write(store, 1, 5);
    const verify = (): Promise<number> => runVerifyCommand(['--data', data], '', () => undefined);
    expect(await verify()).toBe(0);
    expect(existsSync(join(data, 'upkeep.json'))).toBe(false);
    const daemon = createServer((_, answer) => answer.end()).listen(0, '127.0.0.1');
    await once(daemon, 'listening');
    const { port } = daemon.address() as AddressInfo; // it listens on a port
    const api = `http://127.0.0.1:${port}`;
    writeFileSync(
      join(data, 'addresses.json'),
      JSON.stringify({
        profile: 'live',
        pid: process.pid,
        speed: 1,
        api,
        socket: api,
        sandbox: null,
      }),
    );
    expect(await verify()).toBe(0);
    daemon.close();
    await store.close();
    expect(readUpkeep(data).verifiedAtMs).toBeGreaterThan(0);
    expect(readUpkeep(data).backupAtMs).toBe(0);
  });

  it('finds what was changed in it', async () => {
    const store = await openStore();
    await write(store, 1, 20);
    expect(await backup()).toBe(0);
    await store.close();
    const name = readdirSync(journal(target)).find((each) => each.endsWith('.log')) ?? '';
    const bytes = readFileSync(join(journal(target), name));
    bytes[40_000] = (bytes[40_000] ?? 0) ^ 1;
    writeFileSync(join(journal(target), name), bytes);
    expect(await runVerifyCommand(['--data', target], data, (line) => lines.push(line))).toBe(1);
  });
});
