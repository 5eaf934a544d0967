import { VENUE_A_TRAITS } from '../../../config/limits/venue-a.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import type { VenueTraits } from '../../../src/domain/venue.ts';
import type { OrderGateway } from '../../../src/ports/venue.ts';
import { createOrderUpdates } from '../../../src/services/books/order-updates.ts';
import { putOrder } from '../../../src/services/books/record-changes.ts';
import { ORDERS, TRADED_MARKETS } from '../../../src/services/books/tables.ts';
import type { Commit } from '../../../src/services/commit.ts';
import { createOrderOutlet } from '../../../src/services/orders/order-effects.ts';
import { aMarket, T0 } from '../builders.ts';
import { createKeptMetrics } from '../quiet.ts';
import { onOneVenue } from '../traded-venues.ts';

/** The effects of one stored order, some time after it was signed; its venue does as told only. */
export async function anOutlet(
  order: OrderRecord,
  gateway: Partial<OrderGateway>,
  { afterMs = 0, traits = {} }: { afterMs?: number; traits?: Partial<VenueTraits> } = {},
) {
  const store = createMemoryStore();
  const clock = createVirtualClock(T0 + afterMs);
  const metrics = createKeptMetrics();
  const commit = (async (change: Parameters<typeof store.write>[0]) =>
    store.write(change)) as Commit; // what is said once a commit is durable is not used here
  const refuse = () => Promise.reject(new Error('nobody said what the venue does'));
  const { intentId, userId } = order.intent;
  const { effects, depart } = createOrderOutlet(
    {
      store,
      commit,
      clock,
      updates: createOrderUpdates({ store, commit, clock, named: () => undefined }),
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
      recordFill: () => Promise.resolve(),
    },
    () => order.intent,
  );
  await store.write((tx) => {
    tx.put(TRADED_MARKETS, [order.intent.marketId], aMarket(1));
    putOrder(tx, null, order);
  });
  const stored = () => store.get(ORDERS, [userId, intentId])?.value;
  const put = (after: OrderRecord) => store.write((tx) => putOrder(tx, order, after));
  return { effects, depart, stored, put, metrics, input: { intentId } };
}
