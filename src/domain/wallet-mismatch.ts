import { cashAccountRow, isCashAccount, type CashAccount } from './cash.ts';
import { formatDecimal } from './units.ts';

/** What the books and the chain have of one asset in a user's own wallet, where they differ. */
export interface WalletDifference {
  readonly cashAccount: CashAccount;
  /** The cash account for its USDC, else an outcome token. */
  readonly asset: string;
  /** Micros; below zero where money that had been spent was taken back. */
  readonly booked: number;
  /** Micros. */
  readonly onChain: number;
}

/** A difference that nothing has explained for long. */
export interface WalletMismatch extends WalletDifference {
  /** When it was first called one, wall time. */
  readonly sinceMs: number;
}

/** Reports whether what the books have of an asset is not there to be spent. */
export function blocksSpending({ booked, onChain }: WalletDifference): boolean {
  return booked < 0 || onChain < booked;
}

/** Returns both figures as a person reads them. */
export function mismatchText({ cashAccount, asset, booked, onChain }: WalletDifference): string {
  const what = isCashAccount(asset) ? 'USDC' : 'of these shares';
  return `your ${cashAccountRow(cashAccount).name} holds ${formatDecimal(onChain, 6)} ${what}, the books have ${formatDecimal(booked, 6)}`;
}
