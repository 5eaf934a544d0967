import type * as fsModule from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Redo, RedoDraft } from '../../../src/adapters/lmdb/redo-log.ts';
import { readRedoLog, RedoLog } from '../../../src/adapters/lmdb/redo-log.ts';

/**
 * What the disk does to the log: it takes half of a write and then no more, may refuse to cut a
 * file, and may know no writes past the page cache, which it says when the file is opened, when it
 * is written to, or when less is written than it knows how to.
 */
const disk = vi.hoisted(() => ({
  takesWrites: true,
  cutsFiles: true,
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
  return { ...fs, open, write, writeSync, ftruncate };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-redo-'));
  Object.assign(disk, { takesWrites: true, cutsFiles: true, refusesPastCache: 'never' });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function aCommit(name: string, length: number): RedoDraft {
  return {
    firstSeq: 1,
    head: '00',
    texts: [],
    records: [['things', [name], 1, 'x'.repeat(length)]],
  };
}

function asRead(name: string, length: number): Redo {
  const { firstSeq, head, records } = aCommit(name, length);
  return { firstSeq, head, events: [], records };
}

describe.each([
  { where: 'beside the thread', isQuick: false },
  { where: 'on the thread', isQuick: true },
])('RedoLog on a failing disk, written $where', ({ isQuick }) => {
  beforeEach(() => {
    pace.isQuick = isQuick;
  });

  it('L1: takes back what was half written, so that the commits around it are read whole', async () => {
    const log = await RedoLog.start(folder, 0, 16_384);
    await log.append(aCommit('before', 10));
    disk.takesWrites = false;
    await expect(log.append(aCommit('refused', 4_000))).rejects.toThrow('EIO');
    disk.takesWrites = true;
    await log.append(aCommit('after', 10));
    await log.prepare();
    log.goOn();
    await log.append(aCommit('next file', 10));
    log.close();
    expect(readRedoLog(folder, 0).redos).toEqual(
      ['before', 'after', 'next file'].map((name) => asRead(name, 10)),
    );
  });

  it('L1: writes nothing more once the disk does not even take a half-written commit back', async () => {
    const log = await RedoLog.start(folder, 0, 16_384);
    await log.append(aCommit('before', 10));
    Object.assign(disk, { takesWrites: false, cutsFiles: false });
    await expect(log.append(aCommit('refused', 4_000))).rejects.toThrow('EIO');
    Object.assign(disk, { takesWrites: true, cutsFiles: true });
    await expect(log.append(aCommit('after', 10))).rejects.toThrow('EIO');
    log.close();
    expect(readRedoLog(folder, 0).redos).toEqual([asRead('before', 10)]);
  });
});

describe.each(['opening', 'writing', 'writing a block'] as const)(
  'RedoLog where the file system knows no writes past the page cache and says so on %s',
  (refusesPastCache) => {
    it('writes through the cache', async () => {
      pace.isQuick = false;
      Object.assign(disk, { refusesPastCache });
      const log = await RedoLog.start(folder, 0, 16_384);
      for (const name of ['first', 'second']) await log.append(aCommit(name, 10));
      log.close();
      expect(readRedoLog(folder, 0).redos).toEqual(
        ['first', 'second'].map((name) => asRead(name, 10)),
      );
    });
  },
);
