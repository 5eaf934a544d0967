import { createSolanaArrivals } from '../adapters/solana/arrivals.ts';
import type { Commit } from '../services/commit.ts';
import { createSolArrivals } from '../services/funding/sol-arrivals.ts';
import type { LookAtWallet } from '../services/funding/wallet-rounds.ts';
import { swapReceipts } from '../services/swaps/swap-records.ts';
import type { Chains } from './chains.ts';
import type { Runtime } from './runtime.ts';

/** Joins the looks for what others send to users' wallets with the chains. */
export function walletLooks(
  { store, vault, wallClock: clock, log }: Runtime,
  { solanaNode }: Chains,
): (commit: Commit) => readonly LookAtWallet[] {
  return (commit) => [
    createSolArrivals({
      store,
      commit,
      chain: createSolanaArrivals(solanaNode),
      swaps: swapReceipts(store),
      async walletOf(userId) {
        if (!vault.has(userId)) await vault.load(userId);
        return vault.solanaAddressOf(userId);
      },
      clock,
      log,
    }),
  ];
}
