import { skipToken, useQuery } from '@tanstack/react-query';
import type { Problem } from '../../api/problem.ts';
import { type Order, VENUE_CALLS } from '../../api/venues.ts';
import { PlacedOrder } from '../markets/placed-order.tsx';
import { placedSentence, placedTitle } from '../markets/placed-sentence.ts';
import { useFollowedOrder } from '../markets/use-followed-order.ts';

interface PlacedOf {
  readonly venue: string;
  readonly orderId: string;
}

/** What became of the order that was confirmed, followed to its end: filled, resting or ended. */
export function Placed({ venue, orderId }: PlacedOf) {
  const calls = VENUE_CALLS[venue]?.orders ?? null;
  const order = useConfirmedOrder({ venue, orderId });
  const followed = useFollowedOrder(order ?? null, calls);
  return calls === null || followed === null ? null : (
    <PlacedOrder order={followed} calls={calls} />
  );
}

/** The same in a line, as it stood when the list was opened. */
export function PlacedLine(of: PlacedOf) {
  const order = useConfirmedOrder(of);
  if (order === undefined) return null;
  return (
    <div className="faint">
      {placedTitle(order)} {placedSentence(order)}
    </div>
  );
}

function useConfirmedOrder({ venue, orderId }: PlacedOf): Order | undefined {
  const calls = VENUE_CALLS[venue]?.orders ?? null;
  const { data } = useQuery<Order, Problem>({
    queryKey: ['confirmed order', venue, orderId],
    queryFn: calls === null ? skipToken : () => calls.order(orderId),
  });
  return data;
}
