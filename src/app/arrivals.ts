import { readTokenFacts } from '../adapters/evm/token-facts.ts';
import type { Address } from '../domain/ids.ts';
import { WEB3_CHAINS } from '../domain/web3-chains.ts';
import { createEvmArrivals, type EvmArrivals } from '../services/funding/evm-arrivals.ts';
import { createAddressIndex } from '../services/funding/address-index.ts';
import { USERS } from '../services/sign-in/tables.ts';
import { swapReceipts } from '../services/swaps/swap-records.ts';
import { cashAccountsOf, venuesOf } from './cash-accounts.ts';
import type { Core } from './core.ts';
import type { ExternalServices } from './external-services.ts';
import type { Identity } from './identity.ts';
import { ownTokens } from './own-tokens.ts';
import type { OpenRuntime } from './runtime.ts';

/** What others send to users' own EVM wallets, on every chain there is a node of. */
export interface FollowedArrivals {
  start(): void;
  /** Resolves when no poll is under way. */
  stop(): Promise<void>;
}

/** Joins what follows arrivals with the chains. Nothing is asked before `start`. */
export function followArrivals({
  runtime,
  external,
  core,
  identity,
}: {
  readonly runtime: OpenRuntime;
  readonly external: Pick<ExternalServices, 'chains'>;
  readonly core: Core;
  readonly identity: Pick<Identity, 'accounts'>;
}): FollowedArrivals {
  const { store, bus, wallClock: clock, log } = runtime;
  const { evm, evmAccounts } = external.chains;
  const wallets = createAddressIndex({
    bus,
    clock,
    addressOf: (userId): Address => identity.accounts.profile(userId).wallets.evm,
    users: (after, limit) =>
      store
        .range(USERS, { limit, ...(after === null ? {} : { after: [after] }) })
        .map(({ value: { userId, address } }) => ({ userId, address })),
  });
  const followed = WEB3_CHAINS.flatMap(({ chain }): readonly EvmArrivals[] => {
    const [node, accounts] = [evm[chain], evmAccounts[chain]];
    if (node === undefined || accounts === undefined) return [];
    return [
      createEvmArrivals({
        chain,
        store,
        accounts,
        wallets,
        clock,
        log,
        evm: node,
        commit: core.trading.commit,
        swaps: swapReceipts(store),
        factsOf: (token) => readTokenFacts(node, token),
        ownTokensOf: (userId) =>
          ownTokens(store, userId, chain).filter(({ origin }) => origin !== 'unknown'),
        cashAccountOf: cashAccountsOf(venuesOf(core)),
      }),
    ];
  });
  return {
    start: () => followed.forEach((each) => each.start()),
    async stop() {
      wallets.stop();
      await Promise.all(followed.map((each) => each.stop()));
    },
  };
}
