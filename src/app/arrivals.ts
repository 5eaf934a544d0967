import { readTokenFacts } from '../adapters/evm/token-facts.ts';
import type { Address } from '../domain/ids.ts';
import { createEvmArrivals } from '../services/funding/evm-arrivals.ts';
import { createAddressIndex } from '../services/funding/address-index.ts';
import { USERS } from '../services/sign-in/tables.ts';
import { swapReceipts } from '../services/swaps/swap-records.ts';
import { cashAccountsOf, venuesOf } from './cash-accounts.ts';
import { evmNodesOf } from './chains.ts';
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
  const wallets = createAddressIndex({
    bus,
    clock,
    addressOf: (userId): Address => identity.accounts.profile(userId).wallets.evm,
    users: (after, limit) =>
      store
        .range(USERS, { limit, ...(after === null ? {} : { after: [after] }) })
        .map(({ value: { userId, address } }) => ({ userId, address })),
  });
  const followed = evmNodesOf(external.chains).map((node) =>
    createEvmArrivals({
      ...node,
      store,
      wallets,
      clock,
      log,
      commit: core.trading.commit,
      swaps: swapReceipts(store),
      factsOf: (token) => readTokenFacts(node.evm, token),
      ownTokensOf: (userId) =>
        ownTokens(store, userId, node.chain).filter(({ origin }) => origin !== 'unknown'),
      cashAccountOf: cashAccountsOf(venuesOf(core)),
    }),
  );
  return {
    start: () => followed.forEach((each) => each.start()),
    async stop() {
      wallets.stop();
      await Promise.all(followed.map((each) => each.stop()));
    },
  };
}
