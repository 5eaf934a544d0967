import type { AttemptId, OrderId } from '../../domain/ids.ts';
import type { OrderRecord } from '../../domain/order.ts';
import type { StoreReader } from '../../ports/store.ts';
import { ORDER_IDS, ORDERS } from './tables.ts';

/**
 * Returns the order that has an attempt of that name, or that a venue knows by it; null for an
 * unknown one. A venue's id is stored once the answer that states it has come.
 */
export function orderNamed(reader: StoreReader, id: OrderId | AttemptId): OrderRecord | null {
  const ref = reader.get(ORDER_IDS, [id])?.value;
  return ref === undefined ? null : (reader.get(ORDERS, [ref.userId, ref.intentId])?.value ?? null);
}
