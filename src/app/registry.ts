import { registryMessages } from '../adapters/solana/registry-messages.ts';
import { createSolanaTrials } from '../adapters/solana/trials.ts';
import { createRegistry, type Registry } from '../services/registry/registry.ts';
import { spendingDeps, type SpendingParts } from './spending.ts';

/** Joins the agent registry with Solana, public files, and the receipts of agents. */
export function openRegistry(parts: SpendingParts): Registry {
  const { runtime, external, core, identity } = parts;
  const { chains, files } = external;
  return createRegistry({
    ...spendingDeps(parts),
    vault: runtime.vault,
    files,
    solana: chains.solana,
    trials: createSolanaTrials(chains.solanaNode),
    messages: registryMessages,
    walletOf: (userId) => identity.accounts.profile(userId).wallets.solana,
    headOf(userId, agentId) {
      const [newest] = core.agents.decisions(userId, agentId, { limit: 1, cursor: null }).data;
      if (newest === undefined || newest.place === null) return null;
      const { decisionId, atMs } = newest.decision;
      return { decisionId, atMs, seq: newest.place.seq, hash: newest.place.hash };
    },
  });
}
