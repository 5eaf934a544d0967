import type { Address, UserId } from '../../domain/ids.ts';
import type { EvmCall, Hex } from '../../ports/evm.ts';
import type { SendOutcome } from '../../ports/transactions.ts';

/**
 * Something a Safe is to do, signed by its owner once. A batch carries the Safe's nonce, so the
 * chain itself executes it at most once however often it is sent.
 */
export type SignedSafeTransaction =
  | {
      readonly kind: 'create';
      readonly owner: Address;
      readonly safe: Address;
      readonly signature: Hex;
    }
  | {
      readonly kind: 'execute';
      readonly owner: Address;
      readonly safe: Address;
      readonly nonce: number;
      readonly call: EvmCall;
      /** 0 a plain call, 1 a delegate call to the multi-send contract. */
      readonly operation: 0 | 1;
      /**
       * Hash of the SafeTx: names the transaction on chain, in the Safe's ExecutionSuccess and
       * ExecutionFailure events.
       */
      readonly safeTxHash: Hex;
      readonly signature: Hex;
      /** At most 500 characters; data for people, never authority. */
      readonly note: string;
    };

/** The relayer's report of a transaction. It is a hint where to search; the chain decides. */
export type RelayWord =
  | { readonly kind: 'pending' }
  | { readonly kind: 'mined' | 'confirmed'; readonly transactionHash: Hex }
  | { readonly kind: 'failed'; readonly reason: string; readonly transactionHash: Hex | null }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreachable'; readonly cause: string };

/**
 * What names a signed transaction on chain: a Safe is made once, and executes one of each nonce.
 */
export type SafeTransactionName =
  | Pick<Extract<SignedSafeTransaction, { kind: 'create' }>, 'kind' | 'safe'>
  | Pick<
      Extract<SignedSafeTransaction, { kind: 'execute' }>,
      'kind' | 'safe' | 'nonce' | 'safeTxHash'
    >;

/** The chain's word about a transaction. */
export type SafeTransactionStatus =
  /** The Safe's nonce has not passed it: it may still be executed. */
  | { readonly kind: 'open' }
  | {
      readonly kind: 'done';
      readonly transactionHash: Hex;
      readonly blockNumber: number;
      readonly confirmations: number;
    }
  /** Done at some moment before the blocks that were looked at: a Safe that already stood. */
  | { readonly kind: 'done_earlier' }
  /**
   * Never to be executed: it was and failed inside (`reverted`), or another one used its nonce
   * (`superseded`).
   */
  | { readonly kind: 'failed'; readonly cause: 'reverted' | 'superseded'; readonly reason: string };

/**
 * Safes of users and the gasless relayer that acts for them (venue_a.md section 14). Signing and
 * sending are two steps.
 */
export interface Safes {
  /** The Safe an owner has by the venue's rule, deployed or not. */
  addressOf(owner: Address): Address;
  isDeployed(safe: Address): Promise<boolean>;
  /** The Safe's next nonce, from the chain. Errors: `chain_unavailable`. */
  nonce(safe: Address): Promise<number>;
  /**
   * Signs the Safe's deployment. Synchronous and deterministic. Errors: `not_found` when the user's
   * key is not loaded.
   */
  signCreate(userId: UserId): SignedSafeTransaction;
  /**
   * Signs one call, or several as one batch. Synchronous and deterministic. Errors: `not_found`.
   */
  signExecute(
    userId: UserId,
    request: { readonly calls: readonly EvmCall[]; readonly nonce: number; readonly note: string },
  ): SignedSafeTransaction;
  /** Returns the bytes that hand it to the relayer: the same each time (L1). */
  bodyOf(signed: SignedSafeTransaction): string;
  /** Hands such bytes to the relayer. The handle is the relayer's id of the copy it took. */
  submit(body: string): Promise<SendOutcome>;
  lookup(relayId: string): Promise<RelayWord>;
  /** Asks the chain; `sinceBlock` bounds the search for the event. Errors: `chain_unavailable`. */
  status(name: SafeTransactionName, sinceBlock: number): Promise<SafeTransactionStatus>;
}
