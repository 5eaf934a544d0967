import type { CashAccount } from '../../domain/cash.ts';
import type { UserId } from '../../domain/ids.ts';
import type { SwapSide } from '../../domain/swap.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Router, RouterTokens } from '../../ports/router.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { Wallets } from '../sign-in/accounts.ts';
import type { LaunchedToken, TokenLookups } from '../tokens/token-lookups.ts';
import type { TokenPrices } from '../tokens/token-prices.ts';
import type { Transactions } from '../transactions/transactions.ts';
import type { SwapNodesOf } from './swap-proof.ts';
import type { SwapQuotes } from './swap-quotes.ts';

/** What swaps are quoted, tried out, executed and followed by. */
export interface SwapDeps
  extends Pick<Runtime, 'store' | 'commit' | 'clock' | 'random' | 'log' | 'metrics'> {
  readonly transactions: Transactions;
  readonly router: Router;
  /** Where names of tokens are resolved. */
  readonly sides: {
    /** Returns an address in its chain's one spelling; null where a letter of it is mistyped. */
    readonly readAddress: (chain: Web3ChainId, text: string) => string | null;
    readonly router: Pick<RouterTokens, 'token'>;
    readonly search: TokenLookups['search'];
    /** Tokens a user has launched, all on Solana. */
    readonly launchedBy: (userId: UserId) => readonly LaunchedToken[];
  };
  readonly prices: TokenPrices;
  readonly walletsOf: (userId: UserId) => Wallets;
  readonly nodesOf: SwapNodesOf;
  /** The router's own contracts: they may be called and given rights. */
  readonly targets: readonly string[];
  /** Programs of Solana that may be called. */
  readonly programs: readonly string[];
  readonly quotes: SwapQuotes;
  /**
   * Which balance in the books a token of a user's wallet is; null for what is no cash of theirs.
   */
  readonly cashAccountOf: (side: SwapSide) => CashAccount | null;
  /** Throws what keeps a user's money from leaving (L6). Errors: `trading_stopped`. */
  readonly assertMayLeave: (reader: StoreReader, userId: UserId) => void;
  /** What may leave in a day without a fresh sign-in, millionths of a dollar. */
  readonly dailyOutMicros: number;
  /** Market time, in which the books are kept. */
  readonly marketClock: Clock;
}
