import { closeSync, fsyncSync, openSync, readSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { SHARD_SNAPSHOT } from '../../../config/limits/shard-snapshot.ts';
import type { SnapshotPart } from '../../ports/shard-snapshots.ts';
import { makeFolder } from '../files/make-folder.ts';
import { ANCHOR } from './chain-anchor.ts';
import { logFolder } from './segment-log.ts';
import { storeCorrupt } from './store-errors.ts';
import { syncFolder } from './sync-folder.ts';

/** Files of a snapshot: those of a log, as a copy has them (`log-copy.ts`), and its head. */
const FILE = /^(?:journal\/segment\.\d{1,15}(?:\.log|-\d{1,15}\.gz)|journal\.head)$/;

/** The files of a log's copy in parts of SHARD_SNAPSHOT.partBytes at most, its head last. */
export function* partsOf(store: string): Generator<SnapshotPart> {
  const journal = readdirSync(logFolder(store))
    .map((name) => `journal/${name}`)
    .filter((name) => FILE.test(name));
  for (const file of [...journal, ANCHOR]) {
    const handle = openSync(join(store, file), 'r');
    try {
      for (;;) {
        const bytes = Buffer.allocUnsafe(SHARD_SNAPSHOT.partBytes);
        const read = readSync(handle, bytes, 0, bytes.length, null);
        if (read === 0) break;
        yield { file, bytes: bytes.subarray(0, read) };
      }
    } finally {
      closeSync(handle);
    }
  }
}

/**
 * Writes the parts of a snapshot into an empty folder, on disk when this resolves. Errors:
 * `store_corrupt` for a name that is no file of a log, those of the parts, those of the file
 * system.
 */
export async function writeParts(store: string, parts: AsyncIterable<SnapshotPart>): Promise<void> {
  makeFolder(logFolder(store), 0o700);
  let file: string | null = null;
  let handle = -1;
  const end = (): void => {
    if (file === null) return;
    fsyncSync(handle);
    closeSync(handle);
    file = null;
  };
  try {
    for await (const part of parts) {
      if (!FILE.test(part.file)) throw storeCorrupt(store, `${part.file} is no file of a snapshot`);
      if (file !== part.file) {
        end();
        handle = openSync(join(store, part.file), 'wx', 0o600);
        file = part.file;
      }
      for (let done = 0; done < part.bytes.length; ) done += writeSync(handle, part.bytes, done);
    }
  } finally {
    end();
  }
  syncFolder(logFolder(store));
  syncFolder(store);
}
