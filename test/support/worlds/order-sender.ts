import { VENUE_A_TRAITS } from '../../../config/limits/venue-a.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import type { VenueTraits } from '../../../src/domain/venue.ts';
import type { OrderGateway } from '../../../src/ports/order-gateway.ts';
import { createOrderUpdates } from '../../../src/services/books/order-updates.ts';
import { putOrder } from '../../../src/services/books/record-changes.ts';
import { ORDERS, TRADED_MARKETS } from '../../../src/services/books/tables.ts';
import type { Commit } from '../../../src/ports/commit.ts';
import { createOrderDriver } from '../../../src/services/orders/order-driver.ts';
import {
  createOrderSender,
  type OrderEffectDeps,
} from '../../../src/services/orders/order-effects.ts';
import { aMarket, T0 } from '../builders.ts';
import { createKeptLog, createKeptMetrics } from '../quiet.ts';
import { onOneVenue } from '../traded-venues.ts';

/** What a venue does in a test, and when. */
interface Circumstances {
  readonly afterMs?: number;
  readonly traits?: Partial<VenueTraits>;
}

/** What effects of one stored order are made of, some time after it was signed. */
async function oneOrder(
  order: OrderRecord,
  gateway: Partial<OrderGateway>,
  { afterMs = 0, traits = {} }: Circumstances,
) {
  const store = createMemoryStore();
  const clock = createVirtualClock(T0 + afterMs);
  const metrics = createKeptMetrics();
  const commit = (async (change: Parameters<typeof store.write>[0]) =>
    store.write(change)) as Commit; // what is said once a commit is durable is not used here
  const refuse = () => Promise.reject(new Error('the test has not said what the venue does'));
  const updates = createOrderUpdates({ store, commit, clock, named: () => undefined });
  const deps: OrderEffectDeps = {
    store,
    commit,
    clock,
    updates,
    random: createSeededRandom('unused'),
    venues: onOneVenue({
      gateway: {
        submit: refuse,
        cancel: refuse,
        lookup: refuse,
        openOrders: refuse,
        fills: refuse,
        watch: () => () => undefined,
        ...gateway,
      },
      traits: { ...VENUE_A_TRAITS, ...traits },
    }),
    metrics,
    traces: null,
    recordFill: () => Promise.resolve(),
  };
  await store.write((tx) => {
    tx.put(TRADED_MARKETS, [order.intent.marketId], aMarket(1));
    putOrder(tx, null, order);
  });
  const { userId, intentId } = order.intent;
  const stored = () => store.get(ORDERS, [userId, intentId])?.value;
  const put = (after: OrderRecord) => store.write((tx) => putOrder(tx, order, after));
  return { deps, clock, metrics, updates, stored, put };
}

/**
 * The effects of one stored order, some time after it was signed; its venue does only what is set.
 */
export async function anOrderSender(
  order: OrderRecord,
  gateway: Partial<OrderGateway>,
  circumstances: Circumstances = {},
) {
  const { deps, ...world } = await oneOrder(order, gateway, circumstances);
  const { effects, submit } = createOrderSender(deps, () => order.intent);
  return { effects, submit, ...world, input: { intentId: order.intent.intentId } };
}

/** The driver of one stored order, at a venue that does only what is set. */
export async function anOrderDriver(
  order: OrderRecord,
  gateway: Partial<OrderGateway>,
  changes: Partial<OrderEffectDeps> = {},
) {
  const { deps, ...world } = await oneOrder(order, gateway, {});
  const log = createKeptLog();
  return {
    driver: createOrderDriver({
      ...deps,
      ...changes,
      log,
      figures: { changed: () => undefined },
    }),
    log,
    ...world,
  };
}
