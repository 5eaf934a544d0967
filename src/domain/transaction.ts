import type { Address, TransactionId, UserId } from './ids.ts';
import type { FlatPurpose, TransactionPurpose } from './transaction-purpose.ts';
import type { Web3ChainId } from './web3-chains.ts';

/**
 * What carries transactions of an account: a Safe moves through a relayer, the other two send for
 * themselves.
 */
export type RailKind = 'safe' | 'evm' | 'solana';

/** An account on a chain, and what carries its transactions: each has a queue of its own. */
export interface ChainAccount {
  readonly chain: Web3ChainId;
  readonly rail: RailKind;
  readonly address: string;
}

/** A call to a contract as records hold it: wei as decimal text. */
export interface StoredCall {
  readonly to: Address;
  readonly data: `0x${string}`;
  readonly valueWei: string;
}

/**
 * What a transaction does, without what only its rail adds: nonce or blockhash, fees, signature.
 */
export type TransactionBody =
  /** Makes the account itself; what waits behind it may start once a block has it. */
  | { readonly kind: 'create_account' }
  /** Calls on an EVM chain, as a whole or not at all. */
  | { readonly kind: 'calls'; readonly calls: readonly StoredCall[] }
  /**
   * A Solana message in base64. Past `lastValidHeight` it can never land nor be signed again; null
   * when the message carries no blockhash of its own, so that the rail gives it a fresh one.
   */
  | {
      readonly kind: 'message';
      readonly base64: string;
      readonly lastValidHeight: number | null;
      /** Signs beside the account: the key of what the message makes. Absent: no other key does. */
      readonly coSigner?: SealedSigner;
    };

/** A key that signs for one thing alone, sealed under its owner's data key for its purpose. */
export interface SealedSigner {
  /** Base58 of its public half. */
  readonly address: string;
  readonly sealed: string;
}

/**
 * What lets the chain take at most one of several attempts, and for how long. Of one `nonce` one
 * transaction counts, whoever signed it; past its last valid `height` a transaction never lands; an
 * account is made once.
 */
type AttemptBound =
  | { readonly kind: 'nonce'; readonly nonce: number }
  | { readonly kind: 'height'; readonly lastValidHeight: number }
  | { readonly kind: 'creation' };

/** Bytes signed once, on disk before they leave and the same each time they do (L1). */
export interface Attempt {
  /**
   * The chain's name of it, known before it leaves: the hash of a Safe's transaction or of an
   * account's, a Solana signature.
   */
  readonly id: string;
  /** What leaves, in the rail's own writing. */
  readonly bytes: string;
  readonly bound: AttemptBound;
  /**
   * A call without effect under the same nonce: the chain executes it or what it replaces, never
   * both.
   */
  readonly isCancel: boolean;
  /** Newest block when it was signed: it cannot be in an earlier one. */
  readonly sinceHeight: number;
  readonly signedAtMs: number;
}

/** Why an attempt can never land any more: what its rail read from final blocks. */
export type NeverProof =
  | { readonly kind: 'nonce_used'; readonly nonce: number }
  | {
      readonly kind: 'height_passed';
      readonly lastValidHeight: number;
      readonly height: number;
    };

/**
 * An attempt that can never land, with the proof: after it, and not before, another one may be
 * signed.
 */
export interface DeadAttempt {
  readonly id: string;
  readonly proof: NeverProof;
}

/**
 * Life of a transaction. `unknown`: its bytes may be under way; `mined`: in a block, not yet deep
 * enough. Out of both leads only the chain's word (L2). `done` and `failed` are proven and final.
 */
export type TransactionState =
  | 'intended'
  | 'signed'
  | 'submitted'
  | 'unknown'
  | 'mined'
  | 'done'
  | 'failed';

/**
 * What a transaction takes at most out of a wallet on its account's chain, fees among it; no other
 * may be promised the same. The chain's own coin is the null token; units as decimal text.
 */
export interface WalletReserve {
  readonly wallet: string;
  readonly token: string | null;
  readonly units: string;
}

/** The durable record of one transaction. */
export interface TransactionRecord {
  readonly transactionId: TransactionId;
  readonly userId: UserId;
  readonly account: ChainAccount;
  /** Its place in the account's queue: those before it have lower numbers. */
  readonly place: number;
  readonly purpose: TransactionPurpose;
  readonly body: TransactionBody;
  /** Held until its end; absent where it takes nothing out of a wallet. */
  readonly reserves?: readonly WalletReserve[];
  readonly state: TransactionState;
  /** Why it waits or ended. */
  readonly reason: string | null;
  /**
   * Those that may land: of one nonce the older ones too, the newest is what is sent. Empty until
   * it is first in its queue.
   */
  readonly attempts: readonly Attempt[];
  readonly dead: readonly DeadAttempt[];
  /** The carrier's name of the newest copy it took; null while it has none. */
  readonly handle: string | null;
  readonly sends: number;
  readonly lastSentAtMs: number | null;
  /** Copies that were refused or not executed, of these attempts. */
  readonly refusals: number;
  /** Of the transaction in a block: on a Safe another name than the attempt's. */
  readonly transactionHash: string | null;
  /**
   * What its account paid the network, in the least unit of its chain's coin, as decimal text;
   * absent while it is not over, of a Safe's, and where the node does not state it.
   */
  readonly fee?: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** A transaction as the store and the journal hold it, which may be of an earlier version. */
export type StoredTransaction = Omit<TransactionRecord, 'purpose'> & {
  readonly purpose: TransactionPurpose | FlatPurpose;
};

/** Reports whether a transaction can change no more. */
export function isTransactionOver(state: TransactionState): boolean {
  return state === 'done' || state === 'failed';
}

/** Returns the attempt whose bytes are to be sent now; null while nothing is signed. */
export function attemptToSend({ attempts }: Pick<TransactionRecord, 'attempts'>): Attempt | null {
  return attempts.at(-1) ?? null;
}

/** Reports whether a call without effect takes its place: it is done for, one way or the other. */
export function isGivenUp({ attempts }: Pick<TransactionRecord, 'attempts'>): boolean {
  return attempts.some(({ isCancel }) => isCancel);
}
