import type { Environment } from '../../config/schema.ts';
import { launchMessages } from '../adapters/solana/launch-messages.ts';
import { createSolanaTrials } from '../adapters/solana/trials.ts';
import { MICROS_PER_UNIT } from '../domain/units.ts';
import { assertMayLeave } from '../services/funding/token-transfers.ts';
import { createLaunches, type Launches } from '../services/launches/launches.ts';
import type { Core } from './core.ts';
import type { ExternalServices } from './external-services.ts';
import type { OpenMoney } from './funds.ts';
import type { People } from './identity.ts';
import type { Runtime } from './runtime.ts';
import type { Tokens } from './tokens.ts';

/** What launches are joined from. */
export interface LaunchParts {
  readonly environment: Pick<Environment, 'PREDICTD_CAP_DAILY_OUT_USD'>;
  readonly runtime: Runtime;
  readonly external: ExternalServices;
  readonly core: Core;
  readonly people: Pick<People, 'accounts'>;
  readonly money: Pick<OpenMoney, 'transactions'>;
  readonly tokens: Pick<Tokens, 'prices'>;
}

/** Joins launches with Solana, the store of public files and the queues of transactions. */
export function openLaunches({
  environment,
  runtime,
  external,
  core,
  people,
  money,
  tokens,
}: LaunchParts): Launches {
  const { store, vault, random, wallClock: clock, clock: marketClock } = runtime;
  return createLaunches({
    store,
    vault,
    random,
    clock,
    marketClock,
    commit: core.trading.commit,
    transactions: money.transactions,
    files: external.files,
    solana: external.chains.solana,
    trials: createSolanaTrials(external.chains.solanaNode),
    messages: launchMessages,
    prices: tokens.prices,
    walletOf: (userId) => people.accounts.profile(userId).wallets.solana,
    assertMayLeave,
    dailyOutMicros: environment.PREDICTD_CAP_DAILY_OUT_USD * MICROS_PER_UNIT,
  });
}
