import type * as fsModule from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NO_FRAME } from '../../../src/adapters/lmdb/frames.ts';
import { SegmentLog } from '../../../src/adapters/lmdb/segment-log.ts';
import { commitsAfter } from '../../../src/adapters/lmdb/segments.ts';

/**
 * What the disk does to the log: it takes half of a write and then no more, may refuse to cut a
 * file or to say that it is cut on disk, and may know no writes past the page cache, which it says
 * when the file is opened, when it is written to, or when less is written than it knows how to.
 */
const disk = vi.hoisted(() => ({
  takesWrites: true,
  cutsFiles: true,
  syncs: true,
  refusesPastCache: 'never' as 'never' | 'opening' | 'writing' | 'writing a block',
}));

/** Whether the log may write on its own thread, whatever the pace of this machine's disk. */
const pace = vi.hoisted(() => ({ isQuick: false }));

vi.mock('../../../src/adapters/lmdb/write-pace.ts', () => ({
  WritePace: class {
    isQuick(): boolean {
      return pace.isQuick;
    }

    took(): void {
      // The pace is set by the test.
    }
  },
}));

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof fsModule>();
  const { promisify } = await import('node:util');
  const failure = (): Error => Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
  const invalid = (): Error =>
    Object.assign(new Error('EINVAL: invalid argument'), { code: 'EINVAL' });
  const pastCache = new Set<number>();
  const open = (
    path: string,
    flags: number,
    mode: number,
    done: (error: Error | null, handle?: number) => void,
  ): void => {
    const isPast = (flags & fs.constants.O_DIRECT) !== 0;
    if (isPast && disk.refusesPastCache === 'opening') return done(invalid());
    fs.open(path, flags, mode, (error, handle) => {
      if (isPast && error === null) pastCache.add(handle);
      else pastCache.delete(handle);
      done(error, handle);
    });
  };
  // The log calls the promised forms, which Node keeps under a symbol of their own.
  const write = Object.assign(
    (): never => {
      throw failure();
    },
    {
      [promisify.custom]: async (
        handle: number,
        bytes: Buffer,
        from: number,
        length: number,
        position: number,
      ) => {
        if (
          pastCache.has(handle) &&
          (disk.refusesPastCache === 'writing' ||
            (disk.refusesPastCache === 'writing a block' && length <= 4_096))
        )
          throw invalid();
        const bytesWritten = fs.writeSync(
          handle,
          bytes,
          from,
          disk.takesWrites ? length : Math.floor(length / 2),
          position,
        );
        if (!disk.takesWrites) throw failure();
        return { bytesWritten, buffer: bytes };
      },
    },
  );
  let halves = 0;
  const writeSync = (
    handle: number,
    bytes: Uint8Array,
    from: number,
    length: number,
    position: number,
  ): number => {
    if (disk.takesWrites) return fs.writeSync(handle, bytes, from, length, position);
    // On the caller's thread the half that was taken is said first, and the next attempt fails.
    halves += 1;
    if (halves % 2 === 0) throw failure();
    return fs.writeSync(handle, bytes, from, Math.floor(length / 2), position);
  };
  const ftruncate = (handle: number, length: number, done: (error: Error | null) => void): void => {
    if (disk.cutsFiles) fs.ftruncate(handle, length, done);
    else done(failure());
  };
  const fdatasync = (handle: number, done: (error: Error | null) => void): void => {
    if (disk.syncs) fs.fdatasync(handle, done);
    else done(failure());
  };
  return { ...fs, open, write, writeSync, ftruncate, fdatasync };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-log-'));
  Object.assign(disk, {
    takesWrites: true,
    cutsFiles: true,
    syncs: true,
    refusesPastCache: 'never',
  });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const openLog = (): Promise<SegmentLog> =>
  SegmentLog.open({ folder, fileBytes: 16_384, againMs: 3_600_000 }, []);
const add = (log: SegmentLog, name: string, length: number): Promise<number> =>
  log.append({
    seq: log.head().seq + 1,
    previous: log.head().hash,
    firstFact: 1,
    link: '00',
    facts: [],
    records: [['things', [name], 1, 'x'.repeat(length)]],
  });
const namesIn = (): readonly unknown[] =>
  [...commitsAfter(folder, NO_FRAME)].map(({ records }) => records[0]?.[1][0]);

describe.each([
  { where: 'beside the thread', isQuick: false },
  { where: 'on the thread', isQuick: true },
])('SegmentLog on a failing disk, written $where', ({ isQuick }) => {
  beforeEach(() => {
    pace.isQuick = isQuick;
  });

  it('L1: takes back what was half written, so that the commits around it are read whole', async () => {
    const log = await openLog();
    await add(log, 'before', 10);
    const head = log.head();
    disk.takesWrites = false;
    await expect(add(log, 'refused', 4_000)).rejects.toMatchObject({
      failure: 'refused',
      message: expect.stringContaining('EIO'),
    });
    expect(log.head()).toEqual(head);
    disk.takesWrites = true;
    await add(log, 'after', 10);
    await add(log, 'fills the file', 10_000);
    await add(log, 'next file', 10);
    await log.close();
    expect(namesIn()).toEqual(['before', 'after', 'fills the file', 'next file']);
  });

  it.each([
    ['take a half-written commit back', { cutsFiles: false }],
    ['say that it took a half-written commit back', { syncs: false }],
  ])(
    'L1: is undecided, and writes nothing more, once the disk does not even %s',
    async (_, fails) => {
      const log = await openLog();
      await add(log, 'before', 10);
      Object.assign(disk, { takesWrites: false, ...fails });
      await expect(add(log, 'undecided', 4_000)).rejects.toMatchObject({ failure: 'undecided' });
      Object.assign(disk, { takesWrites: true, cutsFiles: true, syncs: true });
      await expect(add(log, 'after', 10)).rejects.toMatchObject({ failure: 'undecided' });
      await log.close();
      expect(namesIn()).toEqual(['before']);
    },
  );
});

describe.each(['opening', 'writing', 'writing a block'] as const)(
  'SegmentLog where the file system knows no writes past the page cache and says so on %s',
  (refusesPastCache) => {
    it('writes through the cache', async () => {
      pace.isQuick = false;
      Object.assign(disk, { refusesPastCache });
      const log = await openLog();
      for (const name of ['first', 'second']) await add(log, name, 10);
      await log.close();
      expect(namesIn()).toEqual(['first', 'second']);
    });
  },
);
