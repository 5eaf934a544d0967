import { readAddress } from '../adapters/evm/address.ts';
import { readTokenFacts } from '../adapters/evm/token-facts.ts';
import { solanaMessages } from '../adapters/solana/messages.ts';
import { createSolanaTrials } from '../adapters/solana/trials.ts';
import { createEvmTransfers } from '../services/funding/evm-transfers.ts';
import { createSolanaTransfers } from '../services/funding/solana-transfers.ts';
import { createTokenTransfers, type TokenTransfers } from '../services/funding/token-transfers.ts';
import { cashAccountsOf, venuesOf } from './cash-accounts.ts';
import { evmNodesOf } from './chains.ts';
import type { Core } from './core.ts';
import type { ExternalServices } from './external-services.ts';
import type { OpenFunds } from './funds.ts';
import type { Identity } from './identity.ts';
import { ownTokens } from './own-tokens.ts';
import type { OpenRuntime } from './runtime.ts';
import type { Tokens } from './tokens.ts';

/** Joins transfers with the chains they can be made on: those there is a node of. */
export function openTransfers({
  runtime,
  external,
  core,
  identity,
  money,
  tokens,
}: {
  readonly runtime: OpenRuntime;
  readonly external: ExternalServices;
  readonly core: Core;
  readonly identity: Pick<Identity, 'codes' | 'accounts'>;
  readonly money: Pick<OpenFunds, 'transactions'>;
  readonly tokens: Pick<Tokens, 'prices'>;
}): TokenTransfers {
  const { store, vault, wallClock, clock } = runtime;
  const cashAccountOf = cashAccountsOf(venuesOf(core));
  return createTokenTransfers({
    store,
    vault,
    prices: tokens.prices,
    commit: core.trading.commit,
    transactions: money.transactions,
    codes: identity.codes,
    clock: wallClock,
    marketClock: clock,
    chains: [
      ...evmNodesOf(external.chains).map((node) =>
        createEvmTransfers({
          ...node,
          readAddress,
          cashAccountOf,
          factsOf: (token) => readTokenFacts(node.evm, token),
          walletsOf: (userId) => identity.accounts.profile(userId).wallets,
          ownTokensOf: (userId) => ownTokens(store, userId, node.chain),
        }),
      ),
      createSolanaTransfers({
        solana: external.chains.solana,
        accounts: createSolanaTrials(external.chains.solanaNode),
        messages: solanaMessages,
        cashAccountOf,
        addressOf: (userId) => identity.accounts.profile(userId).wallets.solana,
      }),
    ],
  });
}
