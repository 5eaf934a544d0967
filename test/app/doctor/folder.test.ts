import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOM } from '../../../config/limits/doctor.ts';
import { diskChecks, measureWrites } from '../../../src/app/doctor/disk-checks.ts';
import {
  folderChecks,
  type FileSystem,
  type FolderParts,
} from '../../../src/app/doctor/folder-checks.ts';
import { found, levelsOf } from './found.ts';

const EXT4 = 0xef53;
const DISK: FileSystem = {
  type: EXT4,
  bavail: 1 << 24,
  bsize: 4_096,
  files: 100_000,
  ffree: 90_000,
};
const DAY_MS = 86_400_000;

let home: string;
let folder: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'predictd-doctor-'));
  folder = join(home, 'data');
  mkdirSync(folder, { mode: 0o700 });
});
afterEach(() => rmSync(home, { recursive: true }));

function writeSparse(path: string, mib: number): void {
  writeFileSync(path, '');
  truncateSync(path, mib << 20);
}

const checksOn = (disk: Partial<FileSystem>, parts: Partial<FolderParts> = {}) =>
  folderChecks({
    folder,
    uid: process.getuid?.() ?? null,
    nowMs: Date.now(),
    statfs: async () => ({ ...DISK, ...disk }),
    ...parts,
  });

describe('the data folder', () => {
  it("is well when it is its owner's alone, on a disk with room", async () => {
    expect(await levelsOf(checksOn({}))).toEqual({
      'data folder': 'ok',
      'file system': 'ok',
      'free space': 'ok',
      'free files': 'ok',
    });
  });

  it('that is not there yet is judged by the folder above, and is not made', async () => {
    const parts = { folder: join(folder, 'deep', 'data'), statfs };
    expect(await found(checksOn({}, parts), 'data folder')).toMatchObject({
      level: 'ok',
      sentence: expect.stringContaining('the first start makes it'),
    });
    expect(await found(checksOn({}, parts), 'free space')).toMatchObject({ level: 'ok' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that others may read fails with the command that closes it', async () => {
    chmodSync(folder, 0o750);
    writeFileSync(join(folder, 'master.key'), '');
    expect(await found(checksOn({}), 'data folder')).toEqual({
      level: 'fail',
      sentence: `${folder} is open to others (mode 750)`,
      remedy: `run "chmod 700 ${folder}"`,
    });
  });

  it('that others may read and has nothing of predictd is to be left as it is', async () => {
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'passwd'), '');
    const { level, remedy } = await found(checksOn({}), 'data folder');
    expect([level, remedy]).toEqual(['fail', expect.stringContaining('name a folder of its own')]);
  });

  it('of another account is a warning, and a file in its place a failure', async () => {
    expect(await found(checksOn({}, { uid: 54_321 }), 'data folder')).toMatchObject({
      level: 'warn',
      sentence: expect.stringContaining('doctor runs as 54321'),
    });
    const file = join(home, 'file');
    writeFileSync(file, '');
    expect(await found(checksOn({}, { folder: file }), 'data folder')).toMatchObject({
      level: 'fail',
    });
  });

  it.each([
    ['tmpfs', 0x01021994],
    ['NFS', 0x6969],
    ['overlay', 0x794c7630],
    ['CIFS, whose number is written below zero', 0xff534d42 | 0],
  ])('fails on %s', async (name, type) => {
    expect(await found(checksOn({ type }), 'file system')).toMatchObject({
      level: 'fail',
      sentence: expect.stringContaining(name.replace(/,.*/, '')),
    });
  });

  it('warns where less is free than the least, and fails where commits end soon', async () => {
    const free = (bytes: number) => found(checksOn({ bavail: bytes / 4_096 }), 'free space');
    expect(await free(ROOM.leastBytes)).toMatchObject({ level: 'ok' });
    expect(await free(ROOM.leastBytes - 4_096)).toMatchObject({ level: 'warn' });
    expect(await free(ROOM.failBytes - 4_096)).toMatchObject({ level: 'fail' });
  });

  it('wants room for a week of what it grew by, once its files are old enough to say', async () => {
    const journal = join(folder, 'store', 'journal');
    mkdirSync(journal, { recursive: true });
    writeSparse(join(journal, 'segment.1.log'), 4);
    // a disk whose bytes are counted in blocks of a quarter of a megabyte
    const in2Days = { nowMs: Date.now() + 2 * DAY_MS };
    const disk = { bsize: 1 << 18, bavail: (ROOM.leastBytes >> 18) + 4 };
    expect(await found(checksOn(disk, in2Days), 'free space')).toMatchObject({
      level: 'ok',
      sentence: expect.stringMatching(/it grows by 2 MiB a day$/),
    });
    expect((await found(checksOn(disk), 'free space')).sentence).toMatch(/not known yet$/);
    const grown = {
      statfs: async () => ({ ...DISK, ...disk }),
      nowMs: Date.now() + DAY_MS + 60_000,
    };
    writeSparse(join(journal, 'segment.2.log'), 160);
    expect(await found(checksOn(disk, grown), 'free space')).toMatchObject({
      level: 'warn',
      sentence: expect.stringMatching(
        /it grows by 16\d MiB a day: less than the 11\d\d MiB of 7 days/,
      ),
    });
  });

  it('warns where few files may still be made, and knows file systems without a bound', async () => {
    expect(await found(checksOn({ ffree: 99 }), 'free files')).toMatchObject({ level: 'warn' });
    expect(await found(checksOn({ files: 0, ffree: 0 }), 'free files')).toMatchObject({
      level: 'skipped',
    });
  });
});

describe('the disk', () => {
  const withTimes = (p50Ms: number, p99Ms: number) =>
    diskChecks(folder, async (_folder, { name }) => ({ kind: name, p50Ms, p99Ms, writes: 200 }));

  it('is well in every way of writing, slow where commits would wait, and a lie where nothing waits', async () => {
    const [, name = ''] = withTimes(1, 1).map((each) => each.name);
    expect(await found(withTimes(0.34, 49), name)).toMatchObject({ level: 'ok' });
    expect(await found(withTimes(0.69, 165), name)).toMatchObject({
      level: 'warn',
      sentence: expect.stringContaining('99 of 100 within 165.0 ms'),
    });
    expect(await found(withTimes(0.005, 0.1), name)).toMatchObject({
      level: 'fail',
      sentence: expect.stringContaining('not a disk'),
    });
  });

  it('says so where the file system knows no such writes', async () => {
    const [check] = diskChecks(folder, async () => null);
    expect(await check?.run()).toMatchObject({ level: 'skipped' });
  });

  it('is measured by one kind of write after the other', async () => {
    let running = 0;
    let most = 0;
    const checks = diskChecks(folder, async (_folder, { name }) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      return { kind: name, p50Ms: 1, p99Ms: 1, writes: 1 };
    });
    await Promise.all(checks.map(({ run }) => run()));
    expect([checks.length > 1, most]).toEqual([true, 1]);
  });

  it('is measured by real writes into a file that is gone afterwards', async () => {
    const kind = { name: 'write and fdatasync', flags: 0o1 | 0o100 | 0o1000, syncs: true };
    const times = await measureWrites(folder, kind);
    expect(times?.writes).toBeGreaterThan(0);
    expect(times?.p99Ms).toBeGreaterThanOrEqual(times?.p50Ms ?? Number.NaN);
    expect(readdirSync(folder)).toEqual([]);
  });
});
