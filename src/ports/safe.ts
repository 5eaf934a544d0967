import type { Address, UserId } from '../domain/ids.ts';
import type { EvmCall, Hex } from './evm.ts';

/**
 * Something a Safe is to do, signed by its owner once; its bytes are on disk before they leave (L1). A batch carries the Safe's
 * nonce, so the chain itself executes it at most once however often it is sent.
 */
export type SignedSafeAction =
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
      /** Hash of the SafeTx: names the action on chain, in the Safe's ExecutionSuccess and ExecutionFailure events. */
      readonly safeTxHash: Hex;
      readonly signature: Hex;
      /** At most 500 characters; data for people, never authority. */
      readonly note: string;
    };

/** What became of handing an action to the relayer. `unknown`: the answer was lost; send the same bytes again, the nonce keeps it single. */
export type RelayOutcome =
  | { readonly kind: 'accepted'; readonly relayId: string }
  /** The wallet has another action in flight: send the same bytes later. */
  | { readonly kind: 'busy'; readonly reason: string }
  /** The Safe has moved on past this nonce: look at the chain before concluding anything. */
  | { readonly kind: 'stale_nonce'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly cause: string };

/** The relayer's word about an action. It is a hint where to look; the chain is the word that counts. */
export type RelayWord =
  | { readonly kind: 'pending' }
  | { readonly kind: 'mined' | 'confirmed'; readonly transactionHash: Hex }
  | { readonly kind: 'failed'; readonly reason: string; readonly transactionHash: Hex | null }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreachable'; readonly cause: string };

/** The chain's word about an action. */
export type SafeActionFate =
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
  /** Never to be executed: it was and failed inside (`reverted`), or another action used its nonce (`superseded`). */
  | { readonly kind: 'failed'; readonly cause: 'reverted' | 'superseded'; readonly reason: string };

/** Safes of users and the gasless relayer that acts for them (venue_a.md section 14). Signing and sending are two steps. */
export interface Safes {
  /** The Safe an owner has by the venue's rule, deployed or not. */
  addressOf(owner: Address): Address;
  isDeployed(safe: Address): Promise<boolean>;
  /** The Safe's next nonce, from the chain. Errors: `chain_unavailable`. */
  nonce(safe: Address): Promise<number>;
  /** Signs the Safe's deployment. Synchronous and deterministic. Errors: `not_found` when the user's key is not loaded. */
  signCreate(userId: UserId): SignedSafeAction;
  /** Signs one call, or several as one batch. Synchronous and deterministic. Errors: `not_found`. */
  signExecute(
    userId: UserId,
    request: { readonly calls: readonly EvmCall[]; readonly nonce: number; readonly note: string },
  ): SignedSafeAction;
  submit(action: SignedSafeAction): Promise<RelayOutcome>;
  lookup(relayId: string): Promise<RelayWord>;
  /** Asks the chain; `sinceBlock` bounds the search for the event. Errors: `chain_unavailable`. */
  fate(action: SignedSafeAction, sinceBlock: number): Promise<SafeActionFate>;
}
