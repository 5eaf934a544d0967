import type { Account } from '../../domain/ledger-post.ts';
import type { LedgerAsset, LedgerOwner } from '../../domain/ledger.ts';
import type { StoreReader } from '../../ports/store.ts';
import { BALANCES } from './tables.ts';

/** Every account anything was posted to, as stored. */
export function storedAccounts(reader: StoreReader): readonly Account[] {
  return reader.range(BALANCES).map(({ key: [owner, asset], value }) => ({
    // Balances are stored under [owner, asset] by postToLedger alone.
    owner: owner as LedgerOwner,
    asset: asset as LedgerAsset,
    balance: value,
  }));
}
