import { SYNC } from '../../../config/limits.ts';
import { asId, type OrderId } from '../../domain/ids.ts';
import type { OrderHandle, OrderRecord } from '../../domain/order.ts';
import { shareMicros } from '../../domain/units.ts';
import type { VenueTraits } from '../../domain/venue.ts';
import { inWallTime, type Clock } from '../../ports/clock.ts';
import { foldAttempt } from '../books/kept-order.ts';
import { foldNeverBooked, foldVenueOrder, isUndecided } from '../books/order-fold.ts';
import type { OrderUpdates } from '../books/order-updates.ts';
import type { TradedVenue } from '../venues.ts';
import { isLast } from './order-attempts.ts';

/**
 * When even a late booking would have been seen, ms of the market clock after the bytes left: an
 * answer is awaited by the wall, and the rest counts from its end.
 */
export function absenceFinalAfterMs(
  clock: Clock,
  { absenceFinalAfterMs, submitTimeoutMs }: VenueTraits,
): number {
  return absenceFinalAfterMs === null
    ? Infinity
    : inWallTime(clock, submitTimeoutMs) + absenceFinalAfterMs - submitTimeoutMs;
}

/**
 * Ends an order the venue does not know when even a late booking would have been seen. It keeps
 * ended orders for a while only, and their trades for good: what was matched is known from those,
 * and is awaited; only where there are none was an undecided order never booked.
 */
export async function endAbsent(
  { updates }: { readonly updates: OrderUpdates },
  { gateway, traits }: Pick<TradedVenue, 'gateway' | 'traits'>,
  { intent: ref, attempt }: OrderHandle,
): Promise<OrderRecord> {
  const before = updates.read(ref);
  const orderId = attempt.orderId ?? asId<OrderId>(attempt.attemptId);
  const isOfOrder = (reported: { readonly orderId: OrderId }) => reported.orderId === orderId;
  if (!isUndecided(before.state)) {
    const resting = await gateway.openOrders(ref.userId);
    if (resting.unread > 0 || resting.read.some(isOfOrder)) return updates.read(ref);
  }
  // Where trades come with their order alone, it has none that comes without it.
  const trades = (await gateway.fills?.(
    ref.userId,
    before.intent.createdAtMs - SYNC.overlapMs,
  )) ?? { read: [], unread: 0 };
  if (trades.unread > 0) return updates.read(ref);
  const traded = trades.read
    .filter(isOfOrder)
    .flatMap(({ legs }) => legs)
    .reduce((sum, { shares }) => sum + shares, 0);
  const absent = (record: OrderRecord, nowMs: number) => {
    if (isUndecided(record.state) && traded === 0)
      return foldNeverBooked(
        record,
        `never booked by the venue (${record.reason ?? 'no answer'})`,
        nowMs,
      );
    const matchedShares = shareMicros(
      Math.max(record.matchedShares ?? record.filledShares, traded),
    );
    return foldVenueOrder(
      record,
      { orderId, status: 'cancelled', matchedShares, reason: 'no longer known to the venue' },
      true,
      { nowMs, traits },
    );
  };
  return updates.apply(
    ref,
    // Time proves nothing for ever: no other attempt may follow this one (L1).
    (record, nowMs) =>
      isLast(record, attempt)
        ? foldAttempt(record, (one) => absent(one, nowMs), { nowMs, mayRest: false })
        : record,
    'actor',
  );
}
