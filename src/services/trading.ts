import { LOCK } from '../../config/limits.ts';
import type { MarketId, VenueId } from '../domain/ids.ts';
import type { RiskCaps } from '../domain/reservation.ts';
import type { Runtime } from '../ports/runtime.ts';
import { inWallTime, type Clock } from '../ports/clock.ts';
import type { Exemplars } from '../ports/metrics.ts';
import type { Tracing } from '../ports/tracing.ts';
import type { Commit } from '../ports/commit.ts';
import { createCommit, type CommitOrder } from './commit.ts';
import type { Venues } from './venues.ts';
import { createNotificationLog } from './notifications/notification-log.ts';
import { createFunding, type Funding } from './funding/venue-deposits.ts';
import { createCashLocks } from './orders/cash-locks.ts';
import { createAccessChecks } from './orders/access-checks.ts';
import { reportDisputes } from './books/funds-disputes.ts';
import { createOrderDriver } from './orders/order-driver.ts';
import { createOrderFigures, type OrderFigures } from './orders/order-figures.ts';
import { createOrderUpdates } from './books/order-updates.ts';
import { createOrderTraces, type OrderTraces } from './orders/order-traces.ts';
import type { CoinPrice } from './orders/estimate.ts';
import { createOrders, type Orders } from './orders/orders.ts';
import { createRestingOrders } from './orders/resting-orders.ts';
import { createStopSweeps } from './orders/stop-sweeps.ts';
import { createTradingFigures } from './orders/trading-figures.ts';
import type { UserStreams } from './orders/place-order.ts';
import { createPortfolio, type Portfolio } from './portfolio/portfolio.ts';
import { createPositionWatch } from './portfolio/position-watch.ts';
import { createOrderAdoption, type OrderAdoption } from './adoption/order-adoption.ts';
import { recoverTrading } from './recovery.ts';
import { createUserSync, type UserSync } from './sync/user-sync.ts';

/** Orders, portfolio and funding over one store and its venues. */
export interface Trading {
  readonly orders: Orders;
  readonly portfolio: Portfolio;
  readonly funding: Funding;
  readonly commit: Commit;
  /** Reports whether a venue is one of this service, open or not. */
  isServed(venue: VenueId): boolean;
  /** Whether what becomes of users' orders can be seen. */
  readonly userStreams: UserStreams;
  /** The market channel says a market was resolved: have its positions looked at now. */
  resolutionHint(marketId: MarketId): void;
  /** Makes orders ours again that a restored store lacks. */
  readonly orderAdoption: OrderAdoption;
  /** Sets the gauges of open orders; called every few seconds. */
  tellOrders(): void;
}

/** Puts the trading services together. Call `orders.recover()` before anything else. */
export function createTrading(
  deps: Pick<Runtime, 'store' | 'bus' | 'clock' | 'random' | 'log' | 'metrics'> & {
    /** Wall time, where market time runs faster; absent where both are one. */
    readonly wallClock?: Clock;
    readonly venues: Venues;
    /** What the operator lets any one user have at risk; absent: no bound. */
    readonly caps?: RiskCaps;
    /** What coins are worth, in which the network is paid; absent: none has a price. */
    readonly coinPrice?: CoinPrice;
    /** Where spans of orders go, and the exemplars of those; absent: nothing is traced. */
    readonly tracing?: (Tracing & Partial<Exemplars>) | undefined;
    /** Shared by all trading over one journal; absent where there is no other. */
    readonly order?: CommitOrder;
    /** False where users are not notified of trades; default true. */
    readonly tellsUsers?: boolean;
    /** Users whose channel is watched at a time; default SYNC.activeUsersMaximum. */
    readonly watchedMaximum?: number;
    /** Default LOCK; the lease in wall time, as what its holder waits for. */
    readonly lock?: { readonly leaseMs: number; readonly queueMaximum: number };
  },
): Trading {
  const { store, bus, clock, log, lock = LOCK } = deps;
  const traces =
    deps.tracing === undefined ? null : createOrderTraces({ tracing: deps.tracing, clock });
  const commit = createCommit({
    ...deps,
    bus: traces?.timed(bus) ?? bus,
    ...(deps.tellsUsers === false
      ? {}
      : { follow: createNotificationLog({ wallClock: deps.wallClock ?? clock, log }) }),
  });
  const updates = createOrderUpdates({
    store,
    commit,
    clock,
    named: ({ intent }) => sync.named(intent.userId, intent.venue),
  });
  const portfolio = createPortfolio({ ...deps, commit, updates });
  const funding = createFunding({ ...deps, commit });
  const orderFigures = followedBy(
    createOrderFigures({ ...deps, wallClock: deps.wallClock ?? clock }),
    traces,
  );
  const driver = createOrderDriver({
    ...deps,
    figures: orderFigures,
    traces,
    commit,
    updates,
    recordFill: (fill) => portfolio.recordFill(fill),
  });
  const sync: UserSync = createUserSync({
    ...deps,
    updates,
    portfolio,
    funding,
    ask: (intentId) => driver.ask(intentId),
  });
  const positions = createPositionWatch({ ...deps, portfolio });
  const locks = createCashLocks({
    clock,
    log,
    queueMaximum: lock.queueMaximum,
    leaseMs: inWallTime(clock, lock.leaseMs),
  });
  const resting = createRestingOrders({ ...deps, commit, updates, driver, locks });
  const figures = createTradingFigures({ ...deps, userStreams: sync });
  const accessChecks = createAccessChecks({ ...deps, commit });
  const endReports = bus.subscribe(({ event }) => {
    if (event.type === 'funds.disputed' || event.type === 'funds.agreed') reportDisputes(deps);
  });
  const orders = createOrders({
    ...deps,
    caps: deps.caps ?? {},
    coinPrice: deps.coinPrice ?? (() => null),
    figures: orderFigures,
    traces,
    commit,
    locks,
    updates,
    driver,
    resting,
    sync,
    async recover() {
      const recovery = {
        ...deps,
        commit,
        driver,
        resting,
        sync,
        positions,
        figures,
        orderFigures,
      };
      const report = await recoverTrading(recovery);
      sweeps.recover();
      accessChecks.recover();
      return report;
    },
    async stop() {
      sweeps.stop();
      accessChecks.stop();
      resting.stop();
      sync.stop();
      positions.stop();
      driver.stop();
      endReports();
      figures.stop();
    },
  });
  const sweeps = createStopSweeps({ ...deps, commit, orders });
  return {
    orders,
    portfolio,
    funding,
    commit,
    isServed: (venue) => deps.venues.isServed(venue),
    userStreams: sync,
    resolutionHint: (marketId) => positions.hint(marketId),
    orderAdoption: createOrderAdoption({ ...deps, commit, driver, portfolio, sync }),
    tellOrders: () => orderFigures.tell(),
  };
}

/** Figures that give every order to the traces too. */
function followedBy(figures: OrderFigures, traces: OrderTraces | null): OrderFigures {
  if (traces === null) return figures;
  return {
    ...figures,
    found(record) {
      figures.found(record);
      traces.found(record);
    },
    changed(record) {
      figures.changed(record);
      traces.changed(record);
    },
  };
}
