import { AppError } from '../../domain/errors.ts';
import type { UserId, VenueId } from '../../domain/ids.ts';
import { isTerminal, type OrderRecord } from '../../domain/order.ts';
import type { Orders } from './orders.ts';

/**
 * What became of one order that was to be cancelled: it ended in time (`cancelled`), a fill was
 * faster (`filled`), the request is stored and pursued (`pending`), or it cannot be cancelled now
 * (`refused`), with why.
 */
export interface CancelledOrder {
  readonly order: OrderRecord;
  readonly outcome: 'cancelled' | 'filled' | 'pending' | 'refused';
  readonly reason: string | null;
}

/**
 * Cancels every open order of a user, those at one venue where it is named, manually and by agents,
 * at most ORDER.openPerUserMaximum, all at once; gives what became of each, newest first. Again it
 * finds what is still open and changes nothing else.
 */
export async function cancelAll(
  orders: Pick<Orders, 'listOpen' | 'cancel' | 'get'>,
  userId: UserId,
  venue?: VenueId,
): Promise<readonly CancelledOrder[]> {
  const open = orders
    .listOpen(userId)
    .filter(({ intent }) => venue === undefined || intent.venue === venue);
  return Promise.all([...open].reverse().map((order) => cancelOne(orders, order)));
}

async function cancelOne(
  orders: Pick<Orders, 'cancel' | 'get'>,
  open: OrderRecord,
): Promise<CancelledOrder> {
  const { userId, intentId } = open.intent;
  try {
    const order = await orders.cancel(userId, intentId);
    return { order, outcome: outcomeOf(order), reason: order.reason };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const order = orders.get(userId, intentId) ?? open;
    // It may have ended while it was being asked for.
    return isTerminal(order.state)
      ? { order, outcome: outcomeOf(order), reason: order.reason }
      : { order, outcome: 'refused', reason: error.message };
  }
}

function outcomeOf({ state }: OrderRecord): CancelledOrder['outcome'] {
  if (!isTerminal(state)) return 'pending';
  return state === 'filled' ? 'filled' : 'cancelled';
}
