import type { Execution } from './execution.ts';
import { createReceipts } from '../execution/receipts.ts';
import { createTrading, loggingFailures, type TradingDeps } from './trading.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Random } from '../../ports/random.ts';
import type { PaperTrading } from '../paper/paper-trading.ts';

/** What the execution shares with that of real money. */
export type PaperExecutionDeps = Pick<
  TradingDeps,
  'clock' | 'signals' | 'strategies' | 'metrics' | 'log'
> & { readonly random: Random };

/**
 * Makes the execution on paper: what agents do there is the same code, over the paper orders,
 * positions and cash of their user.
 */
export function paperExecution(
  deps: PaperExecutionDeps,
  { store, bus, commit, orders, portfolio }: PaperTrading,
): Execution {
  const receipts = createReceipts({ ...deps, store, commit }, 'paper');
  const metrics = uncounted(deps.metrics);
  return {
    mode: 'paper',
    store,
    bus,
    orders,
    portfolio,
    receipts,
    effects: loggingFailures(
      createTrading({
        ...deps,
        metrics,
        store,
        orders,
        portfolio,
        receipts,
        degradedReasons: NOT_DEGRADED,
      }),
      deps.log,
    ),
  };
}

/** Decisions are counted where money is: a shadow run's would count every one twice. */
export function uncounted(metrics: Metrics): Metrics {
  return { ...metrics, count: () => undefined };
}

/** What is wrong with a user's stream or with settlement does not degrade paper trading. */
const NOT_DEGRADED = () => [];
