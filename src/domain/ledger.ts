import type { CashAccount } from './cash.ts';
import type { TokenId, UserId } from './ids.ts';

/**
 * What an account holds: USDC of one wallet or one outcome token, both in micros. Other tokens are
 * read from the chain.
 */
export type LedgerAsset = CashAccount | TokenId;
/** Matched but not final, or final (L3). */
export type LedgerColumn = 'provisional' | 'settled';
/** Whose account: a user, the venue as counterparty, the venue's fee box, or the world outside. */
export type LedgerOwner = UserId | 'venue' | 'fees' | 'outside';

/** One line of an entry. */
export interface Posting {
  readonly owner: LedgerOwner;
  readonly asset: LedgerAsset;
  readonly column: LedgerColumn;
  readonly micros: number;
}

/** Why an entry was made. */
type LedgerEntryKind =
  | 'deposit'
  | 'departure'
  | 'hold'
  | 'hold_booked'
  | 'hold_released'
  | 'fill'
  | 'settle'
  | 'reverse'
  | 'taken_back'
  | 'payout'
  | 'shares_gone'
  | 'shares_arrived'
  | 'moved';

/**
 * A balanced set of postings with an id that makes it idempotent: the same id is never booked twice
 * (L4).
 */
export interface LedgerEntry {
  readonly entryId: string;
  readonly kind: LedgerEntryKind;
  readonly atMs: number;
  readonly postings: readonly Posting[];
}

/** Balance of one account. */
export interface LedgerBalance {
  readonly provisional: number;
  readonly settled: number;
}
