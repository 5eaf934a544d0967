import { createPancakeSwap } from '../adapters/evm/pancake-swap.ts';
import { readTokenFacts } from '../adapters/evm/token-facts.ts';
import { AppError } from '../domain/errors.ts';
import { asId, type Address } from '../domain/ids.ts';
import type { ApiServices } from '../http/services.ts';
import type { RouterTokens } from '../ports/router.ts';
import { pageOfTokenArrivals } from '../services/funding/token-arrivals.ts';
import type { Deposits } from '../services/funding/deposit-addresses.ts';
import { awaitsBooking } from '../services/funding/swap-booking.ts';
import { transfersUnderWay } from '../services/transfers-under-way.ts';
import { createProfileRemoval } from '../services/profile-removal.ts';
import { createAddedTokens } from '../services/web3/added-tokens.ts';
import { createBscReads } from '../services/web3/bsc.ts';
import { createIndexedTokens } from '../services/web3/indexed-tokens.ts';
import { createSolanaGate } from '../services/web3/solana-gate.ts';
import { cashAccountsOf, venuesOf } from './cash-accounts.ts';
import { createWalletViews } from '../services/web3/wallet-views.ts';
import { ownTokens } from './own-tokens.ts';
import type { Core } from './core.ts';
import type { OpenRuntime } from './runtime.ts';
import type { Tokens } from './tokens.ts';
import type { ExternalServices } from './external-services.ts';
import type { Identity } from './identity.ts';

/** Joins the views of wallets with the chains and the prices of tokens. */
export function createWallets({
  runtime,
  external,
  core,
  identity,
  tokens: { prices, api },
  deposits,
}: {
  readonly runtime: OpenRuntime;
  readonly external: ExternalServices;
  readonly core: Core;
  readonly identity: Identity;
  readonly tokens: Pick<Tokens, 'prices' | 'api'>;
  readonly deposits: Deposits;
}): Pick<
  ApiServices,
  | 'wallets'
  | 'solana'
  | 'bsc'
  | 'walletLacks'
  | 'tokenArrivals'
  | 'transfersUnderWay'
  | 'awaitsBooking'
  | 'profileRemoval'
> {
  const { store, wallClock: clock, log } = runtime;
  const {
    chains,
    tokens: { index },
  } = external;
  const [bsc, accounts] = [chains.evm.BSC, chains.evmAccounts.BSC];
  const cashAccountOf = cashAccountsOf(venuesOf(core));
  const wallets = createWalletViews({
    walletsOf: (userId) => identity.accounts.profile(userId).wallets,
    evm: chains.evm,
    solana: chains.solana,
    prices,
    indexed:
      index === null
        ? null
        : createIndexedTokens({
            index,
            clock,
            log,
            async factsOf(chain, token) {
              const node = chains.evm[chain];
              return node === undefined ? null : readTokenFacts(node, token);
            },
          }),
    added: createAddedTokens({ store, commit: core.trading.commit, clock }),
    async textsOf(chain, address) {
      // a mint of Solana holds no texts by itself
      if (chain === 'SOLANA') return routedTexts(external.tokens.router, address);
      const node = chains.evm[chain];
      return node === undefined ? null : readTokenFacts(node, asId<Address>(address));
    },
    routedOnSolana: async (userId) =>
      (await api.browseRouted(userId, { chains: ['SOLANA'], text: '' })).found,
    ownTokensOf: (userId, chain) => ownTokens(store, userId, chain),
    cashAccountOf,
    clock,
  });
  return {
    bsc: createBscReads({
      nodes:
        bsc === undefined || accounts === undefined
          ? null
          : { evm: bsc, accounts, exchange: createPancakeSwap(bsc) },
      prices,
      clock,
    }),
    wallets,
    profileRemoval: createProfileRemoval({
      store,
      commit: core.trading.commit,
      clock,
      digests: identity.digests,
      directory: runtime.directory,
      log: runtime.log,
      vault: runtime.vault,
      codes: identity.codes,
      agents: core.agents,
      wallets,
      deposits,
    }),
    async walletLacks(id, userId) {
      const found = core.venues.find(({ venue }) => venue.id === id);
      return (await found?.venue.accounts.missing?.(userId)) ?? [];
    },
    tokenArrivals: (userId, page) => pageOfTokenArrivals(store, userId, page),
    transfersUnderWay: (userId) => transfersUnderWay(store, userId),
    awaitsBooking: (swap) => awaitsBooking(store, swap, cashAccountOf),
    solana: createSolanaGate({ node: chains.solanaNode, clock }),
  };
}

/** What the router calls a token of Solana; empty where it lists none, or does not answer. */
async function routedTexts(
  router: RouterTokens,
  mint: string,
): Promise<{ readonly symbol: string; readonly name: string }> {
  try {
    return (await router.token('SOLANA', mint)) ?? UNNAMED;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return UNNAMED;
  }
}

const UNNAMED = { symbol: '', name: '' };
