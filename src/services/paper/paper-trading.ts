import { PAPER } from '../../../config/limits/paper.ts';
import type { UserId } from '../../domain/ids.ts';
import { isShadow } from '../../domain/shadow-account.ts';
import { readerOf } from '../../domain/user-topic.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Log } from '../../ports/log.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Store } from '../../ports/store.ts';
import type { CommitOrder } from '../commit.ts';
import { createTrading, type Trading } from '../trading.ts';
import { createVenues, type Venues } from '../venues.ts';
import { createPaperExchange, type PaperExchange } from './paper-exchange.ts';
import { createPaperStore, recordedOnPaper, type VirtualAgents } from './paper-store.ts';

/**
 * Trading with paper money: the same services as for real money, over a modelled exchange and
 * tables of their own.
 */
export interface PaperTrading
  extends Pick<Trading, 'orders' | 'portfolio' | 'commit' | 'resolutionHint'> {
  /** The store as paper trading sees it. */
  readonly store: Store;
  readonly bus: Bus;
  readonly onTrade: PaperExchange['onTrade'];
  /** Books the paper money a user begins with, once for each cash account. */
  fund(userId: UserId): Promise<void>;
  /** Names where records of shadow runs come from; none before. */
  setShadows(records: VirtualAgents): void;
  /** The only start (L9). Call once, first. */
  recover(): Promise<void>;
  stop(): Promise<void>;
}

/** Real figures are not mixed with paper ones. */
const NO_METRICS: Metrics = {
  count: () => undefined,
  gauge: () => undefined,
  observe: () => undefined,
  startTimer: () => () => undefined,
  beforeRead: () => undefined,
};

/**
 * Puts paper trading together. No key is read, no order leaves, and no record of real money
 * changes.
 */
export function createPaperTrading({
  store: real,
  bus,
  realBus,
  log: realLog,
  order,
  clock,
  random,
  venues,
}: Pick<Runtime, 'store' | 'clock' | 'random' | 'log'> & {
  readonly venues: Venues;
  /** Shared by all trading over one journal; absent where there is no other. */
  readonly order?: CommitOrder;
  /** A bus of its own: no listener takes a paper order for a real one. */
  readonly bus: Bus;
  /** Where what topics tell of paper is published too, as the journal has it. */
  readonly realBus: Bus;
}): PaperTrading {
  let shadows: VirtualAgents = () => null;
  const store = createPaperStore(real, (userId, agentId) => shadows(userId, agentId));
  const log = paperLog(realLog);
  const startingUsdc = (userId: UserId): number =>
    isShadow(userId) ? PAPER.shadowUsdcMicros : PAPER.startingUsdcMicros;
  const traded = venues.mechanisms().map((venue) => {
    const exchange = createPaperExchange({ store, clock, log, venue, startingUsdc });
    const { gateway, signer, accounts } = exchange;
    return {
      exchange,
      venue: {
        ...venue,
        gateway,
        signer,
        accounts,
        access: null,
        identity: null,
        funds: null,
        redeemsByOrder: false,
      },
    };
  });
  const { orders, portfolio, funding, commit, resolutionHint } = createTrading({
    store,
    bus,
    clock,
    random,
    log,
    venues: createVenues(
      traded.map(({ venue }) => venue),
      venues.closed,
    ),
    metrics: NO_METRICS,
    ...(order === undefined ? {} : { order }),
    tellsUsers: false,
  });
  const endForwarding = bus.subscribe(({ seq, event }) => {
    const recorded = recordedOnPaper(event);
    if (readerOf(recorded) !== null) realBus.publish([{ seq, event: recorded }]);
  });
  return {
    store,
    bus,
    orders,
    portfolio,
    commit,
    resolutionHint,
    onTrade: (tokenId, trade) => traded.forEach(({ exchange }) => exchange.onTrade(tokenId, trade)),
    async fund(userId) {
      await funding.syncDeposits(userId);
    },
    setShadows(records) {
      shadows = records;
    },
    async recover() {
      for (const { exchange } of traded) exchange.recover();
      await orders.recover();
    },
    async stop() {
      endForwarding();
      for (const { exchange } of traded) exchange.stop();
      await orders.stop();
    },
  };
}

/** Lines of paper say so. */
function paperLog(log: Log): Log {
  return {
    debug: (fields, event) => log.debug({ ...fields, paper: true }, event),
    info: (fields, event) => log.info({ ...fields, paper: true }, event),
    warn: (fields, event) => log.warn({ ...fields, paper: true }, event),
    error: (fields, event) => log.error({ ...fields, paper: true }, event),
  };
}
