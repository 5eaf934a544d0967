import type { Environment } from '../../config/schema.ts';
import { SOLANA_SWAP, SWAP } from '../../config/limits/tokens.ts';
import { createSolanaOffered } from '../adapters/solana/offered.ts';
import { createSolanaTrials } from '../adapters/solana/trials.ts';
import type { CashAccount } from '../domain/cash.ts';
import { MICROS_PER_UNIT } from '../domain/units.ts';
import { web3Chain, type Web3ChainId } from '../domain/web3-chains.ts';
import { assertMayLeave } from '../services/funding/token-transfers.ts';
import type { SolanaSwapNodes } from '../services/swaps/swap-proof.ts';
import type { Swaps } from '../services/swaps/swaps.ts';
import { createSwaps } from '../services/swaps/swaps.ts';
import type { Core } from './core.ts';
import type { ExternalServices } from './external-services.ts';
import type { OpenMoney } from './funds.ts';
import type { People } from './identity.ts';
import type { Runtime } from './runtime.ts';
import type { Tokens } from './tokens.ts';

/** Wallets whose dollars are cash in the books, where a venue is paid from them. */
const CASH_ON: Readonly<Partial<Record<Web3ChainId, CashAccount>>> = {
  BASE: 'usdc:base',
  SOLANA: 'usdc:solana',
};

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
  const paidFrom = new Set(
    [...core.venues.map(({ venue }) => venue), ...core.closedVenues].map(
      ({ cashAccount }) => cashAccount,
    ),
  );
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
    sides: { router: external.tokens.router, search: tokens.api.search },
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
    cashAccountOf({ chain, address }) {
      const account = CASH_ON[chain];
      return account !== undefined &&
        paidFrom.has(account) &&
        web3Chain(chain).tokens.some((dollar) => dollar.address === address)
        ? account
        : null;
    },
    assertMayLeave,
    dailyOutMicros: environment.PREDICTD_CAP_DAILY_OUT_USD * MICROS_PER_UNIT,
  });
}
