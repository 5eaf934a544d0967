import { closeSync, constants, open, rmSync, write } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { assert } from '../../domain/errors.ts';
import { BLOCK_BYTES, upToBlock } from './frames.ts';
import { syncFolder } from './sync-folder.ts';

const openFile = promisify(open);
const writeAt = promisify(write);

/** Each write then returns when it is on disk. */
const WRITTEN_THROUGH =
  constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_DSYNC;
/** Only Linux has the flag. */
const PAST_CACHE = (constants.O_DIRECT as number | undefined) ?? 0;

/**
 * Makes a file of so many zeros, up to a whole block, that is on disk by name too; gives its
 * handle. What is written to it in blocks is on disk when the write returns, past the page cache
 * where the file system knows how. Errors: those of the file system; no file is then left.
 */
export async function makeBlockFile(path: string, bytes: number): Promise<number> {
  try {
    const handle =
      (await openFilled(path, bytes, PAST_CACHE)) ?? (await openFilled(path, bytes, 0));
    assert(handle !== null, `${path} takes zeros`);
    return handle;
  } catch (cause) {
    rmSync(path, { force: true });
    throw cause;
  }
}

/**
 * A file full of zeros, on disk; null where the file system (a tmpfs, some network ones) knows no
 * such writes, which some only say when they are written to.
 */
async function openFilled(path: string, bytes: number, flags: number): Promise<number | null> {
  let handle: number | null = null;
  try {
    handle = await openFile(path, WRITTEN_THROUGH | flags, 0o600);
    const zeros = blockAligned(upToBlock(bytes));
    for (let done = BLOCK_BYTES; done < zeros.length; )
      done += (await writeAt(handle, zeros, done, zeros.length - done, done)).bytesWritten;
    // One block by itself, as commits are written: a file system whose blocks are larger refuses it
    // here.
    await writeAt(handle, zeros, 0, BLOCK_BYTES, 0);
    syncFolder(dirname(path));
    return handle;
  } catch (cause) {
    if (handle !== null) closeSync(handle);
    if (flags !== 0 && cause instanceof Error && 'code' in cause && cause.code === 'EINVAL')
      return null;
    throw cause;
  }
}

/**
 * Gives memory of so many zeros that begins at a block: memory that may grow begins at a page of
 * the system, which no other in Node is sure to.
 */
export function blockAligned(bytes: number): Buffer {
  return Buffer.from(new ArrayBuffer(bytes, { maxByteLength: bytes }));
}
