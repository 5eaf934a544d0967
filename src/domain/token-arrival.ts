import type { UserId } from './ids.ts';
import type { TokenWarning } from './token-listing.ts';
import type { Web3ChainId } from './web3-chains.ts';

/**
 * A coin or a token that was sent to a user's own wallet, as its chain shows it for good. It
 * is in no ledger: what a wallet holds of it is read from the chain.
 */
export interface TokenArrival {
  readonly userId: UserId;
  /** Its name: the same one is recorded, and notified, once. */
  readonly arrivalId: string;
  readonly chain: Web3ChainId;
  /** Address of the token; null for the chain's own coin. */
  readonly token: string | null;
  /** Of our own list, or what it calls itself; its address where its name speaks against it. */
  readonly symbol: string;
  /** False for what only calls itself something: it is listed, without a notification. */
  readonly isKnown: boolean;
  /** What its ticker and name say against it. */
  readonly warnings: readonly TokenWarning[];
  readonly decimals: number;
  /** In the smallest unit, decimal text. */
  readonly units: string;
  /** Null where no single transaction is known to have brought it. */
  readonly transactionHash: string | null;
  /** When it was recorded, epoch ms of wall time. */
  readonly arrivedAtMs: number;
}
