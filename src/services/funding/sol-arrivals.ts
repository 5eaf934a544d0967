import { WALLET } from '../../../config/limits/funds.ts';
import type { UserId } from '../../domain/ids.ts';
import type { SwapReceipts } from '../../domain/swap.ts';
import { web3Chain } from '../../domain/web3-chains.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { SolanaArrivals } from '../../ports/solana.ts';
import { ORDER_IDS } from '../books/tables.ts';
import { namesOf, ownTransactions } from './own-transactions.ts';
import { WALLET_MARKS } from './tables.ts';
import { recordTokenArrival } from './token-arrivals.ts';
import type { ReadWallet } from './wallet-rounds.ts';

const CHAIN = web3Chain('SOLANA');
/** The mark of how far a wallet's SOL was looked through. */
const MARK = 'sol:solana';

/**
 * Makes the reader of SOL that others sent to a user's wallet: each final transaction that brought
 * some, and that neither its owner signed nor a trade or a bridge of theirs explains, is recorded
 * once under its signature. SOL is in no books (`src/services/web3`). Errors of a reading:
 * `chain_unavailable`, `store_unavailable`.
 */
export function createSolArrivals({
  store,
  commit,
  chain,
  swaps,
  walletOf,
  clock,
  log,
}: Pick<Runtime, 'store' | 'commit' | 'log'> & {
  readonly chain: SolanaArrivals;
  readonly swaps: SwapReceipts;
  readonly walletOf: (userId: UserId) => Promise<string>;
  /** Wall time. */
  readonly clock: Clock;
}): ReadWallet {
  return async (userId) => {
    if (swaps.isUnderWay(userId, CHAIN.chain)) return 'nothing';
    const since = store.get(WALLET_MARKS, [userId, MARK])?.value.transactionHash ?? null;
    const own = new Set([
      ...namesOf(ownTransactions(store, userId, CHAIN.chain)),
      ...swaps.on(userId, CHAIN.chain),
    ]);
    const found = await chain.since(
      await walletOf(userId),
      since,
      (signature) => own.has(signature) || store.get(ORDER_IDS, [signature]) !== null,
    );
    if (!found.isWhole) log.warn({ userId }, 'funding.arrivals_left_out');
    const { newest } = found;
    const arrived = found.arrivals.filter(
      ({ lamports, movesTokens }) =>
        lamports >= WALLET.lamportsMinimum &&
        !(movesTokens && lamports <= WALLET.rentLamportsMaximum),
    );
    if (newest !== null && newest !== since)
      await commit((tx) => {
        for (const { signature, lamports } of arrived)
          recordTokenArrival(tx, {
            userId,
            arrivalId: `${CHAIN.chain}:${signature}`,
            chain: CHAIN.chain,
            token: null,
            symbol: CHAIN.native.symbol,
            isKnown: true,
            warnings: [],
            decimals: CHAIN.native.decimals,
            units: String(lamports),
            transactionHash: signature,
            arrivedAtMs: clock.nowMs(),
          });
        tx.put(WALLET_MARKS, [userId, MARK], { transactionHash: newest });
      });
    return found.isUnsettled ? 'unsettled' : 'nothing';
  };
}
