import { readAddress } from '../adapters/evm/address.ts';
import { readTokenFacts } from '../adapters/evm/token-facts.ts';
import { solanaMessages } from '../adapters/solana/messages.ts';
import { createSolanaTrials } from '../adapters/solana/trials.ts';
import { WEB3_CHAINS } from '../domain/web3-chains.ts';
import { createEvmTransfers } from '../services/funding/evm-transfers.ts';
import { createSolanaTransfers } from '../services/funding/solana-transfers.ts';
import { createTokenTransfers, type TokenTransfers } from '../services/funding/token-transfers.ts';
import type { TransferChain } from '../services/funding/transfer-chains.ts';
import { cashAccountsOf, venuesOf } from './cash-accounts.ts';
import type { Core } from './core.ts';
import type { ExternalServices } from './external-services.ts';
import type { OpenFunds } from './funds.ts';
import type { Identity } from './identity.ts';
import { ownTokens } from './own-tokens.ts';
import type { OpenRuntime } from './runtime.ts';
import type { Tokens } from './tokens.ts';

/** What transfers out of users' own wallets are joined from. */
export interface TransferParts {
  readonly runtime: OpenRuntime;
  readonly external: ExternalServices;
  readonly core: Core;
  readonly identity: Pick<Identity, 'codes' | 'accounts'>;
  readonly money: Pick<OpenFunds, 'transactions'>;
  readonly tokens: Pick<Tokens, 'prices'>;
}

/** Joins transfers with the chains they can be made on: those there is a node of. */
export function openTransfers(parts: TransferParts): TokenTransfers {
  const { runtime, external, core, identity, money, tokens } = parts;
  const { store, vault, wallClock, clock } = runtime;
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
      ...evmTransfers(parts),
      createSolanaTransfers({
        solana: external.chains.solana,
        accounts: createSolanaTrials(external.chains.solanaNode),
        messages: solanaMessages,
        cashAccountOf: cashAccountsOf(venuesOf(core)),
        addressOf: (userId) => identity.accounts.profile(userId).wallets.solana,
      }),
    ],
  });
}

function evmTransfers({
  runtime,
  external,
  core,
  identity,
}: TransferParts): readonly TransferChain[] {
  const { evm, evmAccounts } = external.chains;
  return WEB3_CHAINS.flatMap(({ chain }) => {
    const [node, accounts] = [evm[chain], evmAccounts[chain]];
    return node === undefined || accounts === undefined
      ? []
      : [
          createEvmTransfers({
            chain,
            accounts,
            readAddress,
            evm: node,
            factsOf: (token) => readTokenFacts(node, token),
            walletsOf: (userId) => identity.accounts.profile(userId).wallets,
            ownTokensOf: (userId) => ownTokens(runtime.store, userId, chain),
            cashAccountOf: cashAccountsOf(venuesOf(core)),
          }),
        ];
  });
}
