import { postEntry, type Account, type LedgerBooks } from '../../../src/domain/ledger-post.ts';
import type {
  LedgerAsset,
  LedgerBalance,
  LedgerEntry,
  LedgerOwner,
} from '../../../src/domain/ledger.ts';

/**
 * Books in memory, filled by replaying entries in the order they were booked: what the stored
 * balances are checked against.
 */
export class ReplayedLedger implements LedgerBooks {
  readonly #booked = new Set<string>();
  readonly #accounts = new Map<string, Account>();

  /** Posts the entries; those already booked change nothing. Gives itself. */
  replay(entries: Iterable<LedgerEntry>): this {
    for (const entry of entries) {
      for (const account of postEntry(entry, this) ?? [])
        this.#accounts.set(`${account.owner} ${account.asset}`, account);
      this.#booked.add(entry.entryId);
    }
    return this;
  }

  isBooked(entryId: string): boolean {
    return this.#booked.has(entryId);
  }

  balanceOf(owner: LedgerOwner, asset: LedgerAsset): LedgerBalance | null {
    return this.#accounts.get(`${owner} ${asset}`)?.balance ?? null;
  }

  /** All accounts anything was posted to. */
  accounts(): Iterable<Account> {
    return this.#accounts.values();
  }
}
