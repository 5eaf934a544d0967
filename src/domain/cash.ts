import type { UserId } from './ids.ts';
import type { ChainAccount, RailKind } from './transaction.ts';
import type { UsdcMicros } from './units.ts';
import type { Web3ChainId } from './web3-chains.ts';

/** The cash account that a Safe is. */
export const SAFE_CASH = 'usdc:safe' as const;

/**
 * Every place a user's USDC can be, in the order in which several are locked: the venue's
 * collateral in the Safe on Polygon, USDC in the Solana wallet, USDC in the EVM wallet on Base
 * (spec, Funding). Each is a balance of its own: what is spent from one never comes out of another.
 */
export const CASH_ACCOUNTS = [SAFE_CASH, 'usdc:solana', 'usdc:base'] as const;

/** Where a user's USDC is: one wallet on one chain. */
export type CashAccount = (typeof CASH_ACCOUNTS)[number];

/** What is fixed about a cash account. */
interface CashAccountRow {
  /** The chain that its money is on, and that settles what is traded for it. */
  readonly chain: Web3ChainId;
  /** What carries its transactions there. */
  readonly rail: RailKind;
  /** What users call it, and programs. */
  readonly name: string;
  readonly id: string;
  /** Ticker of the dollar that lies there: in the Safe the venue's collateral. */
  readonly token: string;
}

const ROWS: Readonly<Record<CashAccount, CashAccountRow>> = {
  [SAFE_CASH]: { chain: 'POLYGON', rail: 'safe', name: 'Safe', id: 'safe', token: 'pUSD' },
  'usdc:solana': {
    chain: 'SOLANA',
    rail: 'solana',
    name: 'Solana wallet',
    id: 'solana',
    token: 'USDC',
  },
  'usdc:base': { chain: 'BASE', rail: 'evm', name: 'wallet on Base', id: 'base', token: 'USDC' },
};

/** Returns the row of a cash account. */
export function cashAccountRow(account: CashAccount): CashAccountRow {
  return ROWS[account];
}

/** Returns the account on a chain that transactions of a cash account are queued for. */
export function chainAccountOf(account: CashAccount, address: string): ChainAccount {
  const { chain, rail } = ROWS[account];
  return { chain, rail, address };
}

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
