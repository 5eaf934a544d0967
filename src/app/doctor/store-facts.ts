import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { openJournalReader } from '../../adapters/lmdb/journal-reader.ts';
import { parsed } from '../../adapters/lmdb/frames.ts';
import { logFolder } from '../../adapters/lmdb/segment-log.ts';
import { tailOf } from '../../adapters/lmdb/segments.ts';
import { DATA_KEYS, SERVICE } from '../../adapters/keys/key-tables.ts';
import type { WrappedKey } from '../../ports/key-encryptor.ts';
import { AppError } from '../../domain/errors.ts';
import type { ChainLink } from '../../ports/store.ts';

/** A store as it lies there, read without a lock and beside a daemon. */
export interface StoreFacts {
  /** The newest entry of the journal, by the log; 0 without one. */
  readonly lastEntry: number;
  /** The newest commit of the log, and the newest one that LMDB has taken in. */
  readonly lastCommit: number;
  readonly inLmdb: number;
  /** The link that `journal.head` notes. */
  readonly anchor: ChainLink | 'damaged' | null;
  /** True where the log ends in half a commit. */
  readonly isCut: boolean;
  /** Ids of the master keys that data keys are wrapped under, and how many of those read are. */
  readonly wrappedUnder: ReadonlyMap<string, number>;
  /** The data key of the service itself; null before the first start came so far. */
  readonly serviceKey: WrappedKey | null;
}

/** As much of a file of the log as shows whether it was written. */
const HEAD_BYTES = 4_096;
/** Data keys whose master key is counted: a table of a million is not read whole for a line. */
const DATA_KEYS_READ = 20_000;

/**
 * Reads a data folder's store; null where nothing was ever stored. Errors: `store_corrupt`,
 * `store_unavailable` for a newer format.
 */
export async function readStoreFacts(folder: string): Promise<StoreFacts | null> {
  const path = join(folder, 'store');
  if (!existsSync(logFolder(path))) return null;
  const last = tailOf(logFolder(path)).at(-1);
  if (last === undefined) {
    if (hasBytes(logFolder(path)))
      throw new AppError('store_corrupt', 'the log has no commit that can be read');
    return null;
  }
  const { firstFact, facts } = parsed(last);
  const reader = await openJournalReader(path);
  try {
    const wrappedUnder = new Map<string, number>();
    let read = 0;
    for (const { value } of reader.records(DATA_KEYS.name)) {
      const keyId = keyIdOf(value);
      if (keyId !== null) wrappedUnder.set(keyId, (wrappedUnder.get(keyId) ?? 0) + 1);
      read += 1;
      if (read === DATA_KEYS_READ) break;
    }
    const service = reader.record(DATA_KEYS.name, [SERVICE])?.value;
    return {
      lastEntry: firstFact + facts.length - 1,
      lastCommit: last.seq,
      inLmdb: reader.applied(),
      anchor: reader.anchor,
      isCut: reader.faults().some(({ kind }) => kind === 'cut'),
      wrappedUnder,
      // keys are written in this form alone; one that is otherwise does not open
      serviceKey: keyIdOf(service) === null ? null : (service as WrappedKey),
    };
  } finally {
    await reader.close();
  }
}

/** Reports whether something was ever written into the log: its files begin as zeros. */
function hasBytes(folder: string): boolean {
  return readdirSync(folder)
    .filter((name) => name.startsWith('segment.'))
    .some((name) => {
      const file = openSync(join(folder, name), 'r');
      try {
        const bytes = Buffer.alloc(HEAD_BYTES);
        const read = readSync(file, bytes);
        return bytes.subarray(0, read).some((byte) => byte !== 0);
      } finally {
        closeSync(file);
      }
    });
}

function keyIdOf(value: unknown): string | null {
  const keyId: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, 'keyId') : null;
  return typeof keyId === 'string' ? keyId : null;
}
