import type { FillRecord, VenueFill } from '../../domain/fill.ts';
import type { OrderHandle } from '../../domain/order.ts';
import { asId, type OrderId } from '../../domain/ids.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { LookupOutcome } from '../../ports/order-gateway.ts';
import { failureOf } from './fill-booking.ts';
import { FILLS } from './tables.ts';

/** Words by which a venue ends an order: what it states of its fills then is all there will be. */
const ENDED: ReadonlySet<string> = new Set(['matched', 'unmatched', 'cancelled', 'expired']);

/**
 * Returns what a lookup teaches of an order's fills, where the venue tells them with the order:
 * those it states, and the failure of those that were not final and are stated no more, or whose
 * order is proven never to have landed (L3). Nothing where fills come by a list.
 */
export function fillsLearned(
  reader: StoreReader,
  { intent: { userId }, attempt }: OrderHandle,
  outcome: LookupOutcome,
): readonly VenueFill[] {
  const orderId = attempt.orderId ?? asId<OrderId>(attempt.attemptId);
  const provisional = (): readonly FillRecord[] =>
    reader
      .range(FILLS, { prefix: [userId, orderId] })
      .map(({ value }) => value)
      .filter(({ settlement }) => settlement === 'provisional');
  if (outcome.kind === 'absent') return outcome.proof === null ? [] : provisional().map(failureOf);
  if (outcome.kind !== 'found' || outcome.fills === undefined) return [];
  const stated = new Set(outcome.fills.map(({ tradeId }) => tradeId));
  const lost = ENDED.has(outcome.order.status)
    ? provisional().filter(({ tradeId }) => !stated.has(tradeId))
    : [];
  return [...lost.map(failureOf), ...outcome.fills];
}
