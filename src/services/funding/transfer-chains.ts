import type { CashAccount } from '../../domain/cash.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { ChainAccount, TransactionBody } from '../../domain/transaction.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import type { WalletDemand } from '../transactions/wallet-reserves.ts';

/** A token that can be sent on a chain. */
export interface SendableToken {
  /** Null for the chain's own coin. */
  readonly token: string | null;
  readonly symbol: string;
  readonly decimals: number;
  /** The balance it is in the books; null where it is no cash of theirs. */
  readonly cashAccount: CashAccount | null;
  /** In its smallest unit. */
  readonly minimumUnits: bigint;
}

/** An amount on its way. */
export interface Sending {
  readonly from: string;
  readonly to: string;
  readonly token: SendableToken;
  readonly units: bigint;
}

/** What transfers out of users' own wallets ask of a chain. */
export interface TransferChain {
  readonly chain: Web3ChainId;
  /**
   * Finds the one token a name means: a listed ticker or the coin's by itself, every other by its
   * address alone. Errors: `invalid_request`, `not_found`, `chain_unavailable`.
   */
  tokenOf(userId: UserId, name: string): Promise<SendableToken>;
  /**
   * Returns an address that may have a private key, in the chain's one writing. Errors:
   * `invalid_request`.
   */
  recipientOf(userId: UserId, to: string): string;
  /** The user's account there. Errors: `not_found`. */
  accountOf(userId: UserId): ChainAccount;
  /**
   * Refuses a recipient that is no wallet but a token or a program, what the sender cannot pay,
   * fees included, and what the chain would not do as it is asked; resolves with what it takes of
   * the wallet, and what that holds. Errors: `invalid_request`, `insufficient_funds`,
   * `chain_reverted`, `chain_unavailable`.
   */
  assertPayable(sending: Sending): Promise<readonly WalletDemand[]>;
  /** Returns what is to be signed. */
  bodyOf(sending: Sending): TransactionBody;
}

/** Says that a field of a transfer cannot be taken. */
export function badField(path: `/${string}`, message: string): AppError {
  return new AppError('invalid_request', `${path.slice(1)}: ${message}`, {
    fields: [{ path, message }],
  });
}

/** Says that the wallet cannot pay for a transfer. */
export function cannotPay(path: `/${string}`, message: string): AppError {
  return new AppError('insufficient_funds', message, { fields: [{ path, message }] });
}
