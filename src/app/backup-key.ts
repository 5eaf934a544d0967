import { DATA_KEYS } from '../adapters/keys/key-tables.ts';
import { masterKeyIdOf, wrongMasterKey } from '../adapters/keys/local-encryptor.ts';
import { NO_FRAME, parsed } from '../adapters/lmdb/frames.ts';
import { logFolder } from '../adapters/lmdb/segment-log.ts';
import { framesAfter } from '../adapters/lmdb/segments.ts';
import type { WrappedKey } from '../ports/key-encryptor.ts';

const TABLE_NAME = JSON.stringify(DATA_KEYS.name);

/**
 * Asserts that a data key of a store is sealed under this master key, where one is sealed at all:
 * while the key is being changed, others may still be under the former one. A copy that notes the
 * wrong key could not be restored with the right one. Errors: `master_key_wrong`, `store_corrupt`.
 */
export function assertSealedUnder(store: string, masterKey: Uint8Array): void {
  const keyId = masterKeyIdOf(masterKey);
  let other: string | null = null;
  for (const frame of framesAfter(logFolder(store), NO_FRAME)) {
    // taking a frame apart takes ten times as long as looking for a name in it
    if (!frame.text.includes(TABLE_NAME)) continue;
    for (const [table, , , value] of parsed(frame).records) {
      if (table !== DATA_KEYS.name || value === null) continue;
      // the table holds nothing else
      const sealed = value as WrappedKey;
      if (sealed.keyId === keyId) return;
      other = sealed.keyId;
    }
  }
  if (other !== null) throw wrongMasterKey(other, [keyId]);
}
