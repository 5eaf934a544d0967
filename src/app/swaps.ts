import { SOLANA_SWAP, SWAP } from '../../config/limits/tokens.ts';
import { readAddress } from '../adapters/evm/address.ts';
import { createSolanaOffered } from '../adapters/solana/offered.ts';
import { createSolanaTrials } from '../adapters/solana/trials.ts';
import type { SolanaSwapNodes } from '../services/swaps/swap-proof.ts';
import { createSwaps, type Swaps } from '../services/swaps/swaps.ts';
import { cashAccountsOf, venuesOf } from './cash-accounts.ts';
import { spendingDeps, type SpendingParts } from './spending.ts';

/**
 * Joins swaps with the router, the chains and the queues of transactions. Call `recover` before
 * anything else.
 */
export function openSwaps(parts: SpendingParts): Swaps {
  const { runtime, external, core, identity, tokens } = parts;
  const { evm, evmAccounts, solana, solanaNode } = external.chains;
  const solanaNodes: SolanaSwapNodes = {
    kind: 'solana',
    solana,
    offered: createSolanaOffered({
      solana,
      trials: createSolanaTrials(solanaNode),
      programs: SOLANA_SWAP.programs,
    }),
  };
  return createSwaps({
    ...spendingDeps(parts),
    marketClock: runtime.clock,
    log: runtime.log,
    metrics: runtime.metrics,
    router: external.tokens.router,
    sides: {
      readAddress: (chain, text) => (chain === 'SOLANA' ? text : readAddress(text)),
      router: external.tokens.router,
      search: tokens.api.search,
      launchedBy: tokens.launchedBy,
    },
    walletsOf: (userId) => identity.accounts.profile(userId).wallets,
    nodesOf(chain) {
      if (chain === 'SOLANA') return solanaNodes;
      const [node, accounts] = [evm[chain], evmAccounts[chain]];
      return node === undefined || accounts === undefined
        ? null
        : { kind: 'evm', evm: node, accounts };
    },
    targets: SWAP.targets,
    programs: SOLANA_SWAP.programs,
    cashAccountOf: cashAccountsOf(venuesOf(core)),
  });
}
