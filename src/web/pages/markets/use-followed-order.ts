import { useQuery } from '@tanstack/react-query';
import type { Problem } from '../../api/problem.ts';
import type { Order, OrderCalls } from '../../api/venues.ts';
import { isOver } from './placed-sentence.ts';

/** The order's topic publishes changes; this is for changes while it was not subscribed. */
const READ_EVERY_MS = 2_000;

/** Follows an order until it has ended and settled; null follows none. */
export function useFollowedOrder(
  first: Order | null,
  calls: Pick<OrderCalls, 'order'> | null,
): Order | null {
  const { data } = useQuery<Order | null, Problem>({
    queryKey: ['placed order', first?.id ?? null],
    queryFn: () => (first === null || calls === null ? null : calls.order(first.id)),
    enabled: first !== null && calls !== null,
    initialData: first,
    staleTime: 0,
    refetchInterval: ({ state: { data: order } }) =>
      !order || isOver(order) ? false : READ_EVERY_MS,
  });
  return data;
}
