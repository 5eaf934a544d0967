import type { ListedOrder, Order } from '../../api/venues.ts';
import { isWithVenue } from './placed-sentence.ts';

/** An order that was placed so long before the page was opened still belongs to its ticket, ms. */
export const RECENT_MS = 120_000;

/** Which orders a ticket that was just opened goes on with. */
interface Opened {
  readonly venue: string;
  /** When the ticket was opened, by the daemon's wall time, epoch ms. */
  readonly openedAtMs: number;
  /** The Idempotency-Key of a request whose answer the page has not seen; null without one. */
  readonly pendingKey: string | null;
}

/**
 * Returns the person's own last order in a market, for a page that was loaded again in the middle
 * of it: one of these minutes, one without a decision yet, or the one whose answer went to the page
 * before. Null without one. `orders` are those of the market, newest first.
 */
export function lastOrder(
  orders: readonly ListedOrder[],
  { venue, openedAtMs, pendingKey }: Opened,
): Order | null {
  return (
    orders.find(
      (order) =>
        order.venue === venue &&
        order.origin.kind === 'manual' &&
        order.origin.keyId === null &&
        !order.isRedemption &&
        (order.createdAtMs >= openedAtMs - RECENT_MS ||
          isWithVenue(order) ||
          (pendingKey !== null && order.clientOrderId === pendingKey)),
    ) ?? null
  );
}
