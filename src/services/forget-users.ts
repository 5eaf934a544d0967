import { SHARD_SPLIT } from '../../config/limits/shared-log.ts';
import { movedEntry } from '../domain/ledger-entries.ts';
import type { LedgerAsset } from '../domain/ledger.ts';
import { asId, type UserId } from '../domain/ids.ts';
import type { Key, Store, StoreWriter, Table, Versioned } from '../ports/store.ts';
import { audit } from './audit.ts';
import { API_KEY_RECORDS } from './api-keys/tables.ts';
import { BALANCES, paperTable } from './books/tables.ts';
import { postToLedger } from './books/record-changes.ts';
import { createPaperStore } from './paper/paper-store.ts';
import {
  RECORD_OWNERS,
  slotOfRecord,
  type OwnerLookups,
  type TableOwners,
} from './record-owners.ts';
import { REFRESH_TOKEN_FAMILIES, USERS } from './sign-in/tables.ts';

/**
 * Removes every record of the users of some slots, whom another shard has since a split, and
 * resolves with how many it removed. What they had leaves the ledger by entries against the world
 * outside, so that it goes on adding up to nothing. In bounded transactions: whoever is killed
 * begins anew and finds the rest. Nothing else may run over the store meanwhile. Errors: those of
 * the store.
 */
export async function forgetUsers(
  store: Store,
  {
    slots,
    shard,
    venueTables,
    atMs,
    giveWay,
  }: {
    /** Slots whose users another shard has, and which one that is. */
    readonly slots: ReadonlySet<number>;
    readonly shard: number;
    /** Whose records of venues' own tables are. */
    readonly venueTables: TableOwners;
    /** When what they had leaves the books. */
    readonly atMs: number;
    /** Gives the turn up after some reads: the shard's ownership is renewed meanwhile. */
    readonly giveWay: () => Promise<void>;
  },
): Promise<number> {
  const isGone = (slot: number | null): boolean => slot !== null && slots.has(slot);
  const every = <T>(table: Table<T>) => everyOf(store, table, giveWay);
  const lookups = await lookupsIn(store, every, isGone);
  const paper = createPaperStore(store, () => null);
  let count = 0;
  for (const [name, rule] of Object.entries({ ...venueTables, ...RECORD_OWNERS })) {
    if (rule === 'all') continue;
    const table: Table<unknown> = { name };
    for (const place of new Set([table, paperTable(table)])) {
      const books = place === table ? store : paper;
      const forget = async (gone: readonly Key[]): Promise<void> => {
        if (gone.length === 0) return;
        await (rule === 'account' ? books : store).write((tx) => {
          for (const key of gone)
            if (rule === 'account') closeAccount(tx, key, atMs);
            else tx.remove(place, key);
          if (name === USERS.name)
            for (const [id] of gone) noteMoved(tx, String(id), { atMs, shard });
        });
        count += gone.length;
      };
      let gone: Key[] = [];
      for await (const record of every(place)) {
        if (!isGone(slotOfRecord(rule, record, lookups))) continue;
        gone.push(record.key);
        if (gone.length < SHARD_SPLIT.recordsPerChange) continue;
        await forget(gone);
        gone = [];
      }
      await forget(gone);
    }
  }
  return count;
}

/** Reads whose keys and wallets are, of users who are to be forgotten. */
async function lookupsIn(
  store: Store,
  every: <T>(table: Table<T>) => AsyncIterable<Versioned<T>>,
  isGone: (slot: number | null) => boolean,
): Promise<OwnerLookups> {
  const [keys, wallets] = [new Map<string, string>(), new Map<string, string>()];
  for await (const { key, value } of every(USERS)) {
    const { userId, address, solanaAddress } = value;
    if (!isGone(slotOfRecord(RECORD_OWNERS.users, { key, value }, NO_LOOKUPS))) continue;
    for (const wallet of [address, solanaAddress]) wallets.set(wallet, userId);
  }
  for await (const { key, value } of every(API_KEY_RECORDS))
    if (isGone(slotOfRecord(RECORD_OWNERS.api_keys, { key, value }, NO_LOOKUPS)))
      keys.set(value.keyId, value.userId);
  return {
    keyOwner: (keyId) => keys.get(keyId) ?? null,
    walletOwner: (address) => wallets.get(address) ?? null,
    sessionOwner: (id) => store.get(REFRESH_TOKEN_FAMILIES, [id])?.value.userId ?? null,
  };
}

const NO_LOOKUPS: OwnerLookups = {
  keyOwner: () => null,
  sessionOwner: () => null,
  walletOwner: () => null,
};

/** The last that is said of a user, with the last record: receipts of theirs are not missing. */
function noteMoved(
  tx: StoreWriter,
  userId: string,
  { atMs, shard }: { readonly atMs: number; readonly shard: number },
): void {
  const subject = `shard ${shard}`;
  audit(tx, { userId: asId<UserId>(userId), atMs, action: 'user_moved', subject });
}

/** Takes what is in an account out of the books, and the account with it. */
function closeAccount(tx: StoreWriter, key: Key, atMs: number): void {
  const [owner = '', asset = ''] = key.map(String);
  const userId = asId<UserId>(owner);
  const balance = tx.get(BALANCES, key)?.value;
  const entry =
    balance === undefined
      ? null
      : movedEntry({ userId, asset: asset as LedgerAsset, balance, atMs });
  if (entry !== null) postToLedger(tx, userId, entry);
  tx.remove(BALANCES, key);
}

/** Records of a whole table, read in pages, as they are when their page is read. */
async function* everyOf<T>(
  store: Store,
  table: Table<T>,
  giveWay: () => Promise<void>,
): AsyncGenerator<Versioned<T>> {
  const limit = SHARD_SPLIT.recordsPerChange;
  for (let after: Key | undefined; ; ) {
    const page = store.range(table, after === undefined ? { limit } : { after, limit });
    yield* page;
    after = page.at(-1)?.key;
    if (page.length < limit || after === undefined) return;
    await giveWay();
  }
}
