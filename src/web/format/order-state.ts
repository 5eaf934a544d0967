import type { Order } from '../api/venues.ts';
import { words } from './text.ts';

type Ended = Pick<Order, 'state' | 'filledShares'>;

const PART_ENDS: readonly Order['state'][] = ['cancelled', 'expired', 'rejected'];

/** Reports whether an order is over of which a part has filled, and the rest never will. */
export function isPartFilled({ state, filledShares }: Ended): boolean {
  return PART_ENDS.includes(state) && Number(filledShares) > 0;
}

/** Writes the state of an order as lists name it: "in the book", "filled in part, then expired". */
export function orderState(order: Ended): string {
  const state = order.state === 'live' ? 'in the book' : words(order.state);
  return isPartFilled(order) ? `filled in part, then ${state}` : state;
}
