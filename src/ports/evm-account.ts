import type { Address } from '../domain/ids.ts';
import type { EvmCall, Hex } from './evm.ts';
import type { SendOutcome } from './transactions.ts';

/** What a transaction of an account costs. */
export interface EvmFees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** Tokens and coins that would move; the coin is the null token. */
export interface Movement {
  readonly token: Address | null;
  readonly from: Address;
  readonly to: Address;
  readonly amount: bigint;
}

/** What calls made one after another would do now. */
export type Simulation =
  | {
      readonly kind: 'done';
      readonly movements: readonly Movement[];
      readonly approvals: readonly Approval[];
      /** Of all calls together. */
      readonly gas: bigint;
    }
  | {
      readonly kind: 'reverted';
      readonly reason: string;
      /** Whom a token's own error says to hold too little of it; absent for any other. */
      readonly lacking?: Address;
    };

/** A right given over tokens. */
interface Approval {
  readonly token: Address;
  readonly owner: Address;
  readonly spender: Address;
  readonly amount: bigint;
}

/**
 * What an account of one's own needs of its chain. Errors of every call: `chain_unavailable`
 * (retryable); `chain_reverted` where a contract refuses.
 */
export interface EvmAccounts {
  /** Transactions of the account in the newest block, or in the block that so many stand on. */
  nonce(account: Address, depth: number): Promise<number>;
  fees(): Promise<EvmFees>;
  gas(from: Address, call: EvmCall): Promise<bigint>;
  /** Hands signed bytes over. */
  send(bytes: Hex): Promise<SendOutcome>;
  /** Runs calls in order on the newest state and keeps nothing of it. */
  simulate(from: Address, calls: readonly EvmCall[]): Promise<Simulation>;
  /**
   * What the coin of an account grew by in the block of a transaction, that transaction's own fee
   * not counted; null while no block has it.
   */
  coinChange(account: Address, transactionHash: Hex): Promise<bigint | null>;
  /**
   * Coins of accounts in a block, in the order asked, at most 150. Nodes know old blocks for some
   * minutes.
   */
  coins(owners: readonly Address[], block: number): Promise<readonly bigint[]>;
  /**
   * Coins that transactions of a block sent to an account directly, wei, without the transactions
   * named. What contracts pay in it has no transaction of its own, and is not seen.
   */
  received(owner: Address, block: number, without: ReadonlySet<string>): Promise<bigint>;
  allowance(token: Address, owner: Address, spender: Address): Promise<bigint>;
}
