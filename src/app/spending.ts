import type { Environment } from '../../config/schema.ts';
import { MICROS_PER_UNIT } from '../domain/units.ts';
import { assertMayLeave } from '../services/funding/stopped-money.ts';
import type { Core } from './core.ts';
import type { ExternalServices } from './external-services.ts';
import type { OpenFunds } from './funds.ts';
import type { Identity } from './identity.ts';
import type { OpenRuntime } from './runtime.ts';
import type { Tokens } from './tokens.ts';

/** What everything that spends from users' own wallets is joined from. */
export interface SpendingParts {
  readonly environment: Pick<Environment, 'PREDICTD_CAP_DAILY_OUT_USD'>;
  readonly runtime: OpenRuntime;
  readonly external: ExternalServices;
  readonly core: Core;
  readonly identity: Pick<Identity, 'accounts'>;
  readonly money: Pick<OpenFunds, 'transactions'>;
  readonly tokens: Tokens;
}

/**
 * Returns what swaps, launches and the registry share: the queues of transactions, prices, and what
 * may leave in a day, in wall time.
 */
export function spendingDeps({ environment, runtime, core, money, tokens }: SpendingParts) {
  const { store, random, wallClock: clock } = runtime;
  return {
    store,
    random,
    clock,
    commit: core.trading.commit,
    transactions: money.transactions,
    prices: tokens.prices,
    assertMayLeave,
    dailyOutMicros: environment.PREDICTD_CAP_DAILY_OUT_USD * MICROS_PER_UNIT,
  };
}
