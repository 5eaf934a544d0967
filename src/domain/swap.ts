import type { CashAccount } from './cash.ts';
import type { SwapId, TransactionId, UserId } from './ids.ts';
import { isCoinTicker, knownTokenAt } from './known-tokens.ts';
import { web3Chain, type Web3ChainId } from './web3-chains.ts';

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
  /**
   * Decimals of `receivedToken` where it is no token of our list, as its chain states them; absent
   * where it states none, and of swaps before December 2026.
   */
  readonly receivedDecimals?: number;
  readonly reason: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** Reports whether a swap can change no more. */
export function isSwapOver(state: SwapState): boolean {
  return state !== 'queued' && state !== 'following';
}

/**
 * What a swap's `received` is an amount of: the token bought, what was sold where that came back,
 * or what was paid instead. Null while nothing has arrived, and where the decimals of what was paid
 * instead are not known.
 */
export function receivedSide(swap: SwapRecord): SwapSide | null {
  const { state, sell, buy, received, receivedToken: address, receivedDecimals } = swap;
  if (received === null) return null;
  if (address === null) return state === 'refunded' ? sell : buy;
  const { chain } = buy;
  if (isCoinTicker(chain, address)) {
    const { symbol, decimals } = web3Chain(chain).native;
    return { chain, address: null, symbol, decimals };
  }
  const known = knownTokenAt(chain, address);
  if (known !== null)
    return { chain, address: known.address, symbol: known.symbol, decimals: known.decimals };
  return receivedDecimals === undefined
    ? null
    : { chain, address, symbol: shortAddress(address), decimals: receivedDecimals };
}

/** What a token without a listed ticker goes by. */
export function shortAddress(address: string): string {
  return address.slice(0, 8);
}

/** What swaps and bridges bring to a user's wallets: their end tells of it. */
export interface SwapReceipts {
  /**
   * Reports whether one is under way that may bring anything at all to a chain: a bridge may pay
   * something else than was bought.
   */
  isUnderWay(userId: UserId, chain: Web3ChainId): boolean;
  /** Transactions that brought what one was for, of those that changed since a moment. */
  on(userId: UserId, chain: Web3ChainId, sinceMs?: number): ReadonlySet<string>;
}
