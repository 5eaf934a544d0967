import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { makeFolder } from '../files/make-folder.ts';
import { storeCorrupt } from './store-errors.ts';

/** A folder that is ours until `release`, or until this process is gone, however it goes. */
export interface FolderLock {
  release(): Promise<void>;
}

/** What a lock leaves in a folder where it is a file. */
export const LOCK_FILE = 'lock';

/** Locks the file it opens, on macOS and the BSDs (open(2)); not in Node's own list. */
const O_EXLOCK = 0x20;

/**
 * Takes a folder for this process alone, making it when it is missing. LMDB lets two processes
 * write one after the other, each unaware of what the other has in memory, so the folder as a whole
 * is locked: on Linux by an abstract Unix socket named after the folder's device and inode, which
 * reaches as far as one network namespace; elsewhere by a file that is opened for one process. The
 * kernel drops either with the process, `kill -9` included: nothing goes stale, and two starters
 * cannot both win. Errors: `store_locked`; `store_corrupt` when the folder cannot be made.
 */
export async function lockFolder(path: string): Promise<FolderLock> {
  try {
    makeFolder(path, 0o700);
  } catch (cause) {
    throw storeCorrupt(path, 'the folder cannot be made', cause);
  }
  try {
    return process.platform === 'linux' ? await takeName(path) : takeFile(join(path, LOCK_FILE));
  } catch (cause) {
    throw new AppError(
      'store_locked',
      `another process is using the data folder ${path}; stop it first, or choose another folder`,
      { cause },
    );
  }
}

/**
 * Reports whether a process has a folder, without keeping another one from taking it: on Linux by
 * calling at its name, elsewhere by opening the file for a moment. A folder that is not there is
 * free.
 */
export async function isFolderLocked(path: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  if (process.platform === 'linux') return answersAt(nameOf(path));
  if (!existsSync(join(path, LOCK_FILE))) return false;
  try {
    await takeFile(join(path, LOCK_FILE)).release();
    return false;
  } catch {
    return true;
  }
}

function answersAt(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(name);
    const heard = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => heard(true));
    socket.once('error', () => heard(false));
  });
}

function nameOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  return `\0predictd-store:${dev}:${ino}`;
}

async function takeName(path: string): Promise<FolderLock> {
  const server = createServer((socket) => socket.destroy());
  server.unref();
  server.listen(nameOf(path));
  await once(server, 'listening');
  return {
    async release() {
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}

function takeFile(path: string): FolderLock {
  let handle: number | null = openSync(
    path,
    constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | O_EXLOCK,
    0o600,
  );
  return {
    async release() {
      if (handle !== null) closeSync(handle);
      handle = null;
    },
  };
}
