import type { Environment } from '../../config/schema.ts';
import { SOLANA_SWAP, SWAP } from '../../config/limits/tokens.ts';
import { createSolanaOffered } from '../adapters/solana/offered.ts';
import { createSolanaTrials } from '../adapters/solana/trials.ts';
import { MICROS_PER_UNIT } from '../domain/units.ts';
import { assertMayLeave } from '../services/funding/token-transfers.ts';
import type { SolanaSwapNodes } from '../services/swaps/swap-proof.ts';
import type { Swaps } from '../services/swaps/swaps.ts';
import { createSwaps } from '../services/swaps/swaps.ts';
import { cashAccountsOf, venuesOf } from './cash-accounts.ts';
import type { Core } from './core.ts';
import type { ExternalServices } from './external-services.ts';
import type { OpenMoney } from './funds.ts';
import type { People } from './identity.ts';
import type { Runtime } from './runtime.ts';
import type { Tokens } from './tokens.ts';

/** What swaps are joined from. */
export interface SwapParts {
  readonly environment: Pick<Environment, 'PREDICTD_CAP_DAILY_OUT_USD'>;
  readonly runtime: Runtime;
  readonly external: ExternalServices;
  readonly core: Core;
  readonly people: Pick<People, 'accounts'>;
  readonly money: Pick<OpenMoney, 'transactions'>;
  readonly tokens: Tokens;
}

/**
 * Joins swaps with the router, the chains and the queues of transactions. Call `recover` before
 * anything else.
 */
export function openSwaps({
  environment,
  runtime,
  external,
  core,
  people,
  money,
  tokens,
}: SwapParts): Swaps {
  const { store, wallClock: clock, clock: marketClock, random, log, metrics } = runtime;
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
    store,
    clock,
    marketClock,
    random,
    log,
    metrics,
    commit: core.trading.commit,
    transactions: money.transactions,
    router: external.tokens.router,
    sides: {
      router: external.tokens.router,
      search: tokens.api.search,
      launchedBy: tokens.launchedBy,
    },
    prices: tokens.prices,
    walletsOf: (userId) => people.accounts.profile(userId).wallets,
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
    assertMayLeave,
    dailyOutMicros: environment.PREDICTD_CAP_DAILY_OUT_USD * MICROS_PER_UNIT,
  });
}
