import type { CashAccount } from './cash.ts';
import type { SwapId, TransactionId, UserId } from './ids.ts';
import type { Web3ChainId } from './web3-chains.ts';

/** One side of a swap; the coin is the null address. */
export interface SwapSide {
  readonly chain: Web3ChainId;
  readonly address: string | null;
  /** Ours, or the token's own word, cleaned. */
  readonly symbol: string;
  readonly decimals: number;
}

/** What a swap is about. Units are decimal text. */
interface SwapTerms {
  readonly sell: SwapSide;
  readonly buy: SwapSide;
  readonly amount: string;
  readonly expectedOut: string;
  readonly minimumOut: string;
  readonly tool: string;
  /**
   * Worst loss at our own prices in millionths of a dollar; with an unpriced side all that goes in,
   * null where that is unknown too.
   */
  readonly worstLossMicros: number | null;
}

/**
 * Life of a swap. `queued`: its transactions wait or are on their way; `following`: what was sold
 * has left, and the other chain is watched. The others are final: `completed`, `refunded` and
 * `partial` (something else arrived) are proven on the chains; `failed` moved nothing but fees;
 * `unproven` is what could not be proven in a day, or ever.
 */
export type SwapState =
  | 'queued'
  | 'following'
  | 'completed'
  | 'refunded'
  | 'partial'
  | 'failed'
  | 'unproven';

/** The durable record of one swap or bridge. */
export interface SwapRecord extends SwapTerms {
  readonly swapId: SwapId;
  readonly userId: UserId;
  readonly state: SwapState;
  readonly approvalId: TransactionId | null;
  readonly transactionId: TransactionId;
  /** Where the dollars sold are held in the books; null where they are no cash of theirs. */
  readonly cashAccount: CashAccount | null;
  /**
   * Where what it brings is cash in the books; absent of what is not in them, and of swaps
   * before November 29, 2026.
   */
  readonly receivingAccount?: CashAccount;
  readonly sentHash: string | null;
  readonly receivedHash: string | null;
  /**
   * What arrived, and of which token where that is not the one meant: its address, or the ticker of
   * the chain's coin; units as decimal text.
   */
  readonly received: string | null;
  readonly receivedToken: string | null;
  readonly reason: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Reports whether a swap can change no more. */
export function isSwapOver(state: SwapState): boolean {
  return state !== 'queued' && state !== 'following';
}

/** What swaps and bridges bring to a user's wallets: their end tells of it. */
export interface SwapReceipts {
  /** Reports whether one is under way that brings this, or would give it back; null: the coin. */
  isAwaited(userId: UserId, chain: Web3ChainId, token: string | null): boolean;
  /** Reports whether one is under way that may bring anything at all to a chain. */
  isUnderWay(userId: UserId, chain: Web3ChainId): boolean;
  /** Transactions that brought what one was for, of those that changed since a moment. */
  on(userId: UserId, chain: Web3ChainId, sinceMs?: number): ReadonlySet<string>;
}
