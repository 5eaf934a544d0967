import type { Attempt, NeverProof, RailKind, TransactionRecord } from '../domain/transaction.ts';
import type { Web3ChainId } from '../domain/web3-chains.ts';

/** What a rail reads of a final transaction; each family of chains shows more. */
export interface ChainReceipt {
  readonly transactionHash: string;
  /** What the network took for it, smallest unit of its coin; absent where it is not shown. */
  readonly fee?: bigint;
}

/** What the bytes of an attempt are made from, read from the chain before they are signed. */
export type Preparation =
  /**
   * `sign` is synchronous and deterministic, so that it runs inside the commit that stores what it
   * gives (L1).
   */
  | { readonly kind: 'ready'; readonly sign: () => Omit<Attempt, 'signedAtMs'> }
  /** The chain shows that it was done before: an account that exists already. */
  | { readonly kind: 'done_before' }
  /**
   * The chain shows a nonce that is used as the next one: its node is behind, or the blocks that
   * used it were taken back. Nothing is signed under it.
   */
  | { readonly kind: 'behind'; readonly nonce: number }
  /** It can never be signed: the chain would not execute it, or its message has expired. */
  | { readonly kind: 'refused'; readonly reason: string };

/** What is to be signed. */
export interface PreparationRequest {
  /**
   * Null for a first attempt, or for one after proof that the last never lands; else what takes the
   * place of those out.
   */
  readonly replacement: Replacement | null;
  /** The highest nonce of the account the records prove to be used; null when they prove none. */
  readonly usedNonce: number | null;
}

/**
 * The same again with a higher fee, or a call without effect; both under the nonce of what they
 * replace.
 */
export type Replacement = 'speed_up' | 'cancel';

/** What became of handing an attempt over. None of it says what became of the transaction (L2). */
export type SendOutcome =
  /** `handle` is the carrier's name of the copy: the attempt's own id where it has no other. */
  | { readonly kind: 'accepted'; readonly handle: string }
  /** The account has something else in flight: send the same bytes later. */
  | { readonly kind: 'busy'; readonly reason: string }
  /** The account has moved on past this attempt: ask the chain before concluding anything. */
  | { readonly kind: 'stale'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/** What the carrier says of the copy it took: when to send again, no more. */
export type CopyStatus =
  | { readonly kind: 'held' }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly reason: string };

/** The chain's word on the attempts of a transaction. */
export type TransactionStatus<Receipt extends ChainReceipt> =
  /**
   * No block has any of them, and one may still land. `nextNonce` where the chain wants one before
   * theirs: a block that was taken back had what used it.
   */
  | { readonly kind: 'pending'; readonly copy: CopyStatus; readonly nextNonce?: number }
  /** Decided by blocks that could still be taken back: nothing is sent, nothing concluded. */
  | { readonly kind: 'unknown' }
  /**
   * No block the node has shows them, and it has pruned some in which they may be: nothing is sent,
   * nothing concluded.
   */
  | { readonly kind: 'pruned'; readonly reason: string }
  /** In a block, not yet deep enough. */
  | { readonly kind: 'mined'; readonly transactionHash: string }
  /** Executed for good. The receipt is null where none exists: an account that stood before. */
  | { readonly kind: 'confirmed'; readonly receipt: Receipt | null }
  /** In a final block, and failed inside; `fee` as of a receipt. */
  | { readonly kind: 'failed'; readonly reason: string; readonly fee?: bigint }
  /** None of them can ever land. */
  | { readonly kind: 'never'; readonly proof: NeverProof; readonly reason: string };

/** How often to ask and to send again. */
export interface RailPace {
  /**
   * The first questions after a signature, `asksQuick` of them, come this far apart; then the wait
   * is doubled up to the maximum.
   */
  readonly askFirstMs: number;
  readonly asksQuick: number;
  readonly askMaximumMs: number;
  /** Bytes that no block has are sent again after this. */
  readonly rebroadcastMs: number;
}

/**
 * Carries transactions of one kind of account on one chain: makes the bytes, sends them, and reads
 * from the chain what became of them. Keeps no state that matters: the service stores what it
 * returns. Errors of its calls: `chain_unavailable` (retryable).
 */
export interface Rail<Receipt extends ChainReceipt> {
  readonly chain: Web3ChainId;
  readonly kind: RailKind;
  readonly pace: RailPace;
  /**
   * Reads what the next attempt needs. Errors: also `not_found`, `master_key_wrong` for the user's
   * keys.
   */
  prepare(record: TransactionRecord, request: PreparationRequest): Promise<Preparation>;
  /**
   * Sends exactly these bytes. Whoever loses the answer says `unknown` or throws: both are the
   * same.
   */
  send(attempt: Attempt): Promise<SendOutcome>;
  /**
   * Asks the chain about every attempt that may land; only where it says nothing, whoever took the
   * newest copy.
   */
  status(record: TransactionRecord): Promise<TransactionStatus<Receipt>>;
  /**
   * The rule of replacement: what is to be signed now in the place of what no block has; null to
   * leave it.
   */
  replacementFor(record: TransactionRecord, nowMs: number): Replacement | null;
}
