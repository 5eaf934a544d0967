import { solanaMessages } from '../adapters/solana/messages.ts';
import { createSolanaTrials } from '../adapters/solana/trials.ts';
import { AppError } from '../domain/errors.ts';
import type { TokenTransfers } from '../services/funding/token-transfers.ts';
import { createTokenTransfers } from '../services/funding/token-transfers.ts';
import { createSolanaTransfers } from '../services/funding/transfer-chains.ts';
import type { TokenPrices } from '../services/tokens/token-prices.ts';
import { USERS } from '../services/sign-in/tables.ts';
import type { Core } from './core.ts';
import type { ExternalServices } from './external-services.ts';
import type { OpenMoney } from './funds.ts';
import type { People } from './identity.ts';
import type { Runtime } from './runtime.ts';

/** What transfers out of users' own wallets are joined from. */
export interface TransferParts {
  readonly runtime: Runtime;
  readonly external: ExternalServices;
  readonly core: Core;
  readonly people: Pick<People, 'codes'>;
  readonly money: Pick<OpenMoney, 'transactions'>;
  readonly prices: Pick<TokenPrices, 'newest'>;
}

/** Joins transfers with the chains they can be made on. */
export function openTransfers({
  runtime,
  external,
  core,
  people,
  money,
  prices,
}: TransferParts): TokenTransfers {
  const { store, vault, wallClock, clock } = runtime;
  const paysHere = [...core.venues.map(({ venue }) => venue), ...core.closedVenues].some(
    ({ cashAccount }) => cashAccount === 'usdc:solana',
  );
  return createTokenTransfers({
    store,
    vault,
    prices,
    commit: core.trading.commit,
    transactions: money.transactions,
    codes: people.codes,
    clock: wallClock,
    marketClock: clock,
    chains: [
      createSolanaTransfers({
        solana: external.chains.solana,
        accounts: createSolanaTrials(external.chains.solanaNode),
        messages: solanaMessages,
        cashAccount: paysHere ? 'usdc:solana' : null,
        addressOf(userId) {
          const user = store.get(USERS, [userId])?.value;
          if (user === undefined) throw new AppError('not_found', `there is no user ${userId}`);
          return user.solanaAddress;
        },
      }),
    ],
  });
}
