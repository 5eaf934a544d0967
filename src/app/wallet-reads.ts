import { createSolanaArrivals } from '../adapters/solana/arrivals.ts';
import { createSolanaHistories } from '../adapters/solana/history.ts';
import type { UserId } from '../domain/ids.ts';
import type { Commit } from '../ports/commit.ts';
import { createSolArrivals } from '../services/funding/sol-arrivals.ts';
import { createSplArrivals } from '../services/funding/spl-arrivals.ts';
import type { ReadWallet } from '../services/funding/wallet-rounds.ts';
import { swapReceipts } from '../services/swaps/swap-records.ts';
import { cashAccountsOf } from './cash-accounts.ts';
import type { ExternalServices } from './external-services.ts';
import { ownTokens } from './own-tokens.ts';
import type { OpenRuntime } from './runtime.ts';

/** Connects the reads of what others send to users’ wallets to the chains. */
export function walletReads(
  { store, vault, wallClock: clock, log }: OpenRuntime,
  { chains, venues, closedVenues }: Pick<ExternalServices, 'chains' | 'venues' | 'closedVenues'>,
): (commit: Commit) => readonly ReadWallet[] {
  const { solana, solanaNode } = chains;
  return (commit) => {
    const shared = {
      store,
      commit,
      swaps: swapReceipts(store),
      async walletOf(userId: UserId) {
        if (!vault.has(userId)) await vault.load(userId);
        return vault.solanaAddressOf(userId);
      },
      clock,
      log,
    };
    return [
      createSolArrivals({ ...shared, chain: createSolanaArrivals(solanaNode) }),
      createSplArrivals({
        ...shared,
        solana,
        history: createSolanaHistories(solanaNode),
        ownTokensOf: (userId) =>
          ownTokens(store, userId, 'SOLANA').filter(
            ({ origin }) => origin !== 'outcome' && origin !== 'unknown',
          ),
        cashAccountOf: cashAccountsOf([...venues, ...closedVenues]),
      }),
    ];
  };
}
