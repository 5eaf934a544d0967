import { BACKUP } from '../../../config/limits/backup.ts';
import type { Key, Store, StoreWriter, Table, Versioned } from '../../ports/store.ts';
import { API_KEY_RECORDS } from '../api-keys/tables.ts';
import { audit } from '../audit.ts';
import { STOPS } from '../books/tables.ts';
import { stopKey, writeStop } from '../orders/stop-check.ts';
import { REFRESH_TOKEN_FAMILIES, USERS } from '../sign-in/tables.ts';

/** The backup that was put back: epoch ms. */
export interface RestoredBackup {
  /** Of its newest fact, market time. */
  readonly upToMs: number;
  /** Wall time. */
  readonly madeAtMs: number;
  /** The restore as reasons and the audit trail name it. */
  readonly name: string;
}

/**
 * Ends in a store that was just put back what users may have taken back since: every session with
 * its tokens, every API key with what it has asked for, and the trading of every user until they
 * resume it. Done twice, it changes nothing more. What is ended bears the backup's time, as all
 * that is known there is of the past.
 */
export async function endRights(store: Store, backup: RestoredBackup): Promise<void> {
  const { upToMs, madeAtMs } = backup;
  const reason = `${backup.name}: check your agents and caps, then resume`;
  await eachRecord(store, REFRESH_TOKEN_FAMILIES, (tx, key, family) => {
    if (family.revokedAtMs === null)
      tx.put(REFRESH_TOKEN_FAMILIES, key, { ...family, revokedAtMs: madeAtMs });
  });
  await eachRecord(store, API_KEY_RECORDS, (tx, key, record) => {
    if (record.revokedAtMs !== null) return;
    const { userId, keyId, name } = record;
    tx.put(API_KEY_RECORDS, key, { ...record, revokedAtMs: madeAtMs, endedByRestore: true });
    const detail = `${name}: ${backup.name}`;
    audit(tx, { userId, atMs: madeAtMs, action: 'api_key_revoked', subject: keyId, detail });
  });
  await eachRecord(store, USERS, (tx, _, { userId, removedAtMs }) => {
    const scope = { kind: 'self', userId } as const;
    const isStopped = tx.get(STOPS, stopKey(scope))?.value.stopped === true;
    if (removedAtMs === undefined && !isStopped)
      writeStop(tx, { scope, stopped: true, atMs: upToMs, reason, policy: 'keep' });
  });
}

async function eachRecord<T>(
  store: Store,
  table: Table<T>,
  change: (tx: StoreWriter, key: Key, value: T) => void,
): Promise<void> {
  let after: Key | null = null;
  for (;;) {
    const page: readonly Versioned<T>[] = store.range(table, {
      limit: BACKUP.restoredPerCommit,
      ...(after === null ? {} : { after }),
    });
    const last = page.at(-1)?.key;
    if (last === undefined) return;
    await store.write((tx) => {
      for (const { key, value } of page) change(tx, key, value);
    });
    after = last;
  }
}
