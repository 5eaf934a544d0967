import { asId, type UserId } from '../../src/domain/ids.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import type { Store, Table } from '../../src/ports/store.ts';
import { anOrder } from '../support/worlds/money-records.ts';

export const ORDERS: Table<OrderRecord> = { name: 'orders' };
export const OPEN: Table<{ readonly sinceMs: number }> = { name: 'open_orders' };

/** Stores an order with its mark and a fact, as the service does; resolves once it is durable. */
export async function makeDurable(store: Store, round: number, user = 'usr_a'): Promise<void> {
  const key = [asId<UserId>(user), `int_${round}`];
  await store.write((tx) => {
    tx.put(ORDERS, key, anOrder(), 0);
    tx.put(OPEN, key, { sinceMs: round });
    tx.append({
      type: 'market.resolved',
      atMs: round,
      marketId: anOrder().intent.marketId,
      resolution: {
        marketId: anOrder().intent.marketId,
        payoutTicks: [10_000, 0],
        resolvedAtMs: round,
      },
    });
  });
  await store.flushed();
}
