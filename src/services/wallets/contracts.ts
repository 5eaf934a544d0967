import { chainAccountOf, SAFE_CASH } from '../../domain/cash.ts';
import type { Address } from '../../domain/ids.ts';
import type { ChainAccount } from '../../domain/transaction.ts';

/** A right a Safe gives before it can trade (venue_a.md section 14.4). */
export type Allowance =
  /** ERC-20: `spender` may take any amount of `token`. */
  | { readonly kind: 'erc20'; readonly token: Address; readonly spender: Address }
  /** ERC-1155: `operator` may move every share held at `token`. */
  | { readonly kind: 'erc1155'; readonly token: Address; readonly operator: Address };

/** A token worth a dollar. */
export interface DollarToken {
  readonly symbol: string;
  readonly address: Address;
}

/**
 * The contracts a Safe's money goes through and what counts as final on its chain (venue_a.md
 * section 1.3). Configuration, so that a test chain has its own.
 */
export interface MoneyContracts {
  readonly chainId: number;
  /** What ledgers count: 6 decimals. */
  readonly collateral: Address;
  readonly conditionalTokens: Address;
  /** Settle trades: what they move for a Safe they name is booked as fills. */
  readonly exchanges: readonly Address[];
  /** Turns plain dollars into collateral. */
  readonly onramp: Address;
  /** Turns collateral back into plain dollars. */
  readonly offramp: Address;
  /** What a withdrawal arrives as: a plain dollar by the offramp, or the collateral itself. */
  readonly withdrawalToken: DollarToken;
  /** Dollars of the chain, 6 decimals each, the collateral among them. */
  readonly dollars: readonly DollarToken[];
  /** What every Safe allows before it trades. */
  readonly allowances: readonly Allowance[];
  /** Names that list: another list has another name, and every Safe then gives it anew. */
  readonly allowanceSet: string;
  /** Blocks on top of an event, its own included, after which it is final. */
  readonly confirmations: number;
}

/** Symbol of a dollar of the chain; the address itself for any other token. */
export function symbolOf(dollars: readonly DollarToken[], token: Address): string {
  return dollars.find(({ address }) => isSameAddress(address, token))?.symbol ?? token;
}

/** True when two addresses are the same account, whatever the case of their letters. */
export function isSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Returns the account that transactions of a Safe are queued for. */
export function safeAccount(safe: Address): ChainAccount {
  return chainAccountOf(SAFE_CASH, safe);
}
