import type { Environment } from '../../config/schema.ts';
import { createLedgerProof } from '../services/books/ledger-proof.ts';
import { followConfirmations } from '../services/confirmations/confirmation-figures.ts';
import { followAgentMoney } from '../services/portfolio/agent-money.ts';
import { isShadow } from '../domain/shadow-account.ts';
import { createRiskSurvey } from '../services/portfolio/risk-survey.ts';
import { createClockOffsets } from './clock-offsets.ts';
import { ASSETS, type Core } from './core.ts';
import { createDiskWatch } from './disk-watch.ts';
import { followFeedAges, type FeedAges } from './feed-ages.ts';
import type { OpenFunds } from './funds.ts';
import { createJournalAnchor } from './journal-anchor.ts';
import { operatorCaps } from './operator-caps.ts';
import type { OpenRuntime } from './runtime.ts';
import { createStoreProbe } from './store-probe.ts';
import { supervise } from './supervise.ts';
import type { Teardown } from './teardown.ts';
import { createUpkeepWatch } from './upkeep.ts';

/**
 * Checks a running daemon every few seconds: clocks, feeds, books, store, disk, and sets what its
 * metrics show of orders and money.
 */
export function watchRuntime(
  {
    environment,
    runtime,
    core,
    money,
  }: {
    readonly environment: Environment;
    readonly runtime: OpenRuntime;
    readonly core: Core;
    readonly money: Pick<OpenFunds, 'tellFigures'>;
  },
  teardown: Teardown,
): FeedAges {
  const { folder, wallClock, clock, metrics, log, store, keepTime, watchStore } = runtime;
  const feedAges = followFeedAges({
    clock,
    metrics,
    feeds: ASSETS.flatMap((asset) => [
      { feed: 'oracle', readings: core.oracle.price(asset, null) },
      { feed: 'exchange', readings: core.exchange.price(asset) },
      { feed: 'inference', readings: core.predictions.latest(asset, '5m') },
    ]),
  });
  teardown.add(async () => feedAges.stop());
  const stopConfirmations = followConfirmations({ bus: runtime.bus, clock: wallClock, metrics });
  teardown.add(async () => stopConfirmations());
  const agentMoney = followAgentMoney({
    buses: { live: runtime.bus, paper: core.paper.bus },
    isShadow,
    metrics,
  });
  teardown.add(async () => agentMoney.stop());
  const stop = supervise({
    wallClock,
    serviceClock: clock,
    venues: core.venues,
    metrics,
    log,
    periodicTasks: [
      { name: 'market time', run: keepTime },
      { name: 'feed ages', run: feedAges.gauge },
      { name: 'store', run: watchStore },
      { name: 'store probe', run: createStoreProbe(store) },
      { name: 'upkeep', run: createUpkeepWatch({ folder, clock: wallClock, metrics, log }) },
      { name: 'disk', run: createDiskWatch({ folder, clock: wallClock, metrics, log }) },
      {
        name: 'clock offsets',
        run: createClockOffsets({
          sources: core.venues.map(({ venue }) => venue),
          clock,
          wallClock,
          metrics,
          log,
        }),
      },
      { name: 'orders', run: core.trading.tellOrders },
      { name: 'money', run: money.tellFigures },
      { name: 'ledger', run: createLedgerProof({ store, clock: wallClock, metrics, log }) },
      {
        name: 'risk',
        run: createRiskSurvey({
          store,
          paperStore: core.paper.store,
          found: agentMoney.found,
          clock,
          wallClock,
          metrics,
          caps: operatorCaps(environment),
        }),
      },
      {
        name: 'journal anchor',
        run: createJournalAnchor({ store, tree: runtime.journalTree, clock: wallClock, log }),
      },
    ],
  });
  teardown.add(async () => stop());
  return feedAges;
}
