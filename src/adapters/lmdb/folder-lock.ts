import { once } from 'node:events';
import { statSync } from 'node:fs';
import { createServer } from 'node:net';
import { AppError } from '../../domain/errors.ts';
import { makeFolder } from '../files/make-folder.ts';
import { storeCorrupt } from './store-errors.ts';

/** A folder that is ours until `release`, or until this process is gone, however it goes. */
export interface FolderLock {
  release(): Promise<void>;
}

/**
 * Takes a folder for this process alone, making it when it is missing. LMDB lets two processes
 * write one after the other, each unaware of what the other has in memory, so the folder as a whole
 * is locked: by an abstract Unix socket named after the folder's device and inode. The kernel drops
 * it with the process, `kill -9` included: there is no file to go stale, and two starters cannot
 * both win. It reaches as far as one Linux network namespace. Errors: `store_locked`;
 * `store_corrupt` when the folder cannot be made.
 */
export async function lockFolder(path: string): Promise<FolderLock> {
  try {
    makeFolder(path, 0o700);
  } catch (cause) {
    throw storeCorrupt(path, 'the folder cannot be made', cause);
  }
  const { dev, ino } = statSync(path, { bigint: true });
  const server = createServer((socket) => socket.destroy());
  server.unref();
  server.listen(`\0predictd-store:${dev}:${ino}`);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new AppError(
      'store_locked',
      `another process is using the data folder ${path}; stop it first, or choose another folder`,
      { cause },
    );
  }
  return {
    async release() {
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}
