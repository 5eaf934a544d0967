import type { UserId } from './ids.ts';
import type { UsdcMicros } from './units.ts';

/**
 * Every place a user's USDC can be, in the order in which several are locked: the venue's
 * collateral in the Safe on Polygon, USDC in the Solana wallet, USDC in the EVM wallet on Base
 * (spec, Funding). Each is a balance of its own: what is spent from one never comes out of another.
 */
export const CASH_ACCOUNTS = ['usdc:safe', 'usdc:solana', 'usdc:base'] as const;

/** Where a user's USDC is: one wallet on one chain. */
export type CashAccount = (typeof CASH_ACCOUNTS)[number];

/** True for text that names a cash account. */
export function isCashAccount(text: string): text is CashAccount {
  return CASH_ACCOUNTS.some((account) => account === text);
}

/** What money is set aside for when it is not an order. */
type HoldPurpose = 'withdrawal' | 'transfer' | 'swap' | 'bridge' | 'launch';

/**
 * USDC of one cash account set aside until the chain has decided: booked when it has left, or
 * released when it never will.
 */
export interface Hold {
  readonly userId: UserId;
  /** The id of what it is held for; unique among a user's holds. */
  readonly holdId: string;
  readonly purpose: HoldPurpose;
  readonly cashAccount: CashAccount;
  /** Above zero. */
  readonly usdc: UsdcMicros;
}

/** Returns the accounts once each, in the order in which they are locked. */
export function inLockOrder(accounts: readonly CashAccount[]): readonly CashAccount[] {
  return CASH_ACCOUNTS.filter((account) => accounts.includes(account));
}
