import type { Account } from '../../../src/domain/ledger-post.ts';
import type { LedgerAsset, LedgerOwner } from '../../../src/domain/ledger.ts';
import type { StoreReader } from '../../../src/ports/store.ts';
import { BALANCES } from '../../../src/services/books/tables.ts';

/** Every account anything was posted to, as stored. */
export function storedAccounts(reader: StoreReader): readonly Account[] {
  return reader.range(BALANCES).map(({ key: [owner, asset], value }) => ({
    // Balances are stored under [owner, asset] by postToLedger alone.
    owner: owner as LedgerOwner,
    asset: asset as LedgerAsset,
    balance: value,
  }));
}

/**
 * How far the books are off: the sum of each asset over all accounts and both columns, as its
 * distance from zero, summed over the assets. Zero, always (L4).
 */
export function imbalanceMicros(accounts: Iterable<Account>): number {
  const sums = new Map<LedgerAsset, bigint>();
  for (const { asset, balance } of accounts) {
    sums.set(
      asset,
      (sums.get(asset) ?? 0n) + BigInt(balance.provisional) + BigInt(balance.settled),
    );
  }
  return Number([...sums.values()].reduce((total, sum) => total + (sum < 0n ? -sum : sum), 0n));
}
