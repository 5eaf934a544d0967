import { launchMessages } from '../adapters/solana/launch-messages.ts';
import { createSolanaTrials } from '../adapters/solana/trials.ts';
import { createLaunches, type Launches } from '../services/launches/launches.ts';
import { spendingDeps, type SpendingParts } from './spending.ts';

/** Joins launches with Solana, the store of public files and the queues of transactions. */
export function openLaunches(parts: SpendingParts): Launches {
  const { runtime, external, identity } = parts;
  const { chains, files } = external;
  return createLaunches({
    ...spendingDeps(parts),
    vault: runtime.vault,
    marketClock: runtime.clock,
    files,
    solana: chains.solana,
    trials: createSolanaTrials(chains.solanaNode),
    messages: launchMessages,
    walletOf: (userId) => identity.accounts.profile(userId).wallets.solana,
  });
}
