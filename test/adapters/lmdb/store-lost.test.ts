import type * as fsModule from 'node:fs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openLmdbStore } from '../../../src/adapters/lmdb/lmdb-store.ts';
import type { AppError } from '../../../src/domain/errors.ts';
import type { Store, Table } from '../../../src/ports/store.ts';
import { startStoreProcess } from '../../support/fixtures/store-process.ts';

/**
 * What the disk does to the log: it takes half of a write and then no more, and may not cut files.
 */
const disk = vi.hoisted(() => ({ takesWrites: true, cutsFiles: true }));

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof fsModule>();
  const { promisify } = await import('node:util');
  const failure = (): Error => Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
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
        const taken = disk.takesWrites ? length : Math.floor(length / 2);
        const bytesWritten = fs.writeSync(handle, bytes, from, taken, position);
        if (!disk.takesWrites) throw failure();
        return { bytesWritten, buffer: bytes };
      },
    },
  );
  const ftruncate = (handle: number, length: number, done: (error: Error | null) => void): void => {
    if (disk.cutsFiles) fs.ftruncate(handle, length, done);
    else done(failure());
  };
  return { ...fs, write, ftruncate };
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'predictd-lost-'));
  Object.assign(disk, { takesWrites: true, cutsFiles: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a store whose log does not know what it holds', () => {
  const NOTES: Table<string> = { name: 'left' };
  const put = (store: Store, text: string): Promise<void> =>
    store.write((tx) => tx.put(NOTES, [text.slice(0, 20)], text));

  it.each([
    ['it was kept', 'short', ['before', 'one short', 'other short']],
    ['it was not', 'x'.repeat(4_000), ['before']],
  ])(
    'L1: says so once, tells no caller that nothing was changed, and changes nothing more: %s',
    async (_, text, kept) => {
      const losses: AppError[] = [];
      const store = await openLmdbStore({ path: folder, lost: (cause) => losses.push(cause) });
      await put(store, 'before');
      Object.assign(disk, { takesWrites: false, cutsFiles: false });
      // Time is stopped while they go into their commit: on a busy machine it would take one alone.
      const standing = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
      const shared = await Promise.allSettled([
        put(store, `one ${text}`),
        put(store, `other ${text}`),
      ]);
      standing.mockRestore();
      Object.assign(disk, { takesWrites: true, cutsFiles: true });
      const later = await Promise.allSettled([put(store, 'later')]);
      expect([...shared, ...later]).toEqual(
        [1, 2, 3].map(() => ({ status: 'rejected', reason: losses[0] })),
      );
      expect(losses).toHaveLength(1);
      expect(losses[0]).toMatchObject({
        code: 'store_unavailable',
        message: expect.stringMatching(/may or may not have kept its last commit \(EIO.*ends/),
      });
      expect(store.range(NOTES).map(({ value }) => value)).toEqual(['before']);
      await store.close();
      const [found] = (await startStoreProcess(folder, 'read').rest()).slice(-1);
      expect(found).toBe(`found ${kept.length} 0 0`);
      const again = await openLmdbStore({ path: folder });
      expect(again.range(NOTES).map(({ key }) => key[0])).toEqual(kept);
      await put(again, 'after');
      await again.close();
    },
  );

  it('a disk that gives back what it took of a commit refuses that one, and the store goes on', async () => {
    const losses: AppError[] = [];
    const store = await openLmdbStore({ path: folder, lost: (cause) => losses.push(cause) });
    disk.takesWrites = false;
    await expect(put(store, 'refused')).rejects.toMatchObject({
      code: 'store_unavailable',
      retryable: true,
      message: expect.stringContaining('nothing was changed'),
    });
    disk.takesWrites = true;
    await put(store, 'after');
    expect(losses).toEqual([]);
    expect(store.range(NOTES).map(({ value }) => value)).toEqual(['after']);
    await store.close();
  });
});
