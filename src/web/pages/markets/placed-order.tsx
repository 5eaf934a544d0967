import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useAttempt } from '../../api/attempt.ts';
import type { Problem } from '../../api/problem.ts';
import type { Order, OrderCalls } from '../../api/venues.ts';
import { Button } from '../../ui/button.tsx';
import { ProblemNote } from '../../ui/state.tsx';
import { isEnded, isTaken, placedSentence, placedTitle } from './placed-sentence.ts';

/** The order's topic publishes changes; this is for changes while it was not subscribed. */
const READ_EVERY_MS = 2_000;

/** An order that was just placed, as it is now: followed until it has ended and settled. */
export function PlacedOrder({
  order: first,
  calls,
  isPool = false,
  onTaken,
}: {
  readonly order: Order;
  /** Called once it is open or something of it has filled, at once or while it is followed. */
  onTaken?(): void;
  readonly calls: OrderCalls;
  /** True where it is traded with a contract that has no book. */
  readonly isPool?: boolean;
}) {
  const { isBusy, problem, make } = useAttempt();
  const { data: order = first } = useQuery<Order, Problem>({
    queryKey: ['placed order', first.id],
    queryFn: () => calls.order(first.id),
    initialData: first,
    staleTime: 0,
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && isOver(data) ? false : READ_EVERY_MS,
  });
  const wasTaken = isTaken(order);
  const takenCallback = useRef(onTaken);
  useEffect(() => {
    takenCallback.current = onTaken;
  });
  useEffect(() => {
    if (wasTaken) takenCallback.current?.();
  }, [wasTaken]);
  const cancel = () =>
    make(async () => {
      await calls.cancel(first.id);
    });
  return (
    <div style={{ display: 'grid', gap: 8 }}>
      <p>
        <strong>{placedTitle(order, isPool)}</strong> {placedSentence(order)}
      </p>
      {order.state === 'live' || (order.state === 'delayed' && !isPool) ? (
        <Button
          isSmall
          isBusy={isBusy}
          onClick={() => void cancel()}
          disabled={order.cancelRequested}
        >
          {order.cancelRequested ? 'Being cancelled' : 'Cancel order'}
        </Button>
      ) : null}
      {problem === null ? null : <ProblemNote problem={problem} />}
    </div>
  );
}

function isOver({ state, settlementState }: Order): boolean {
  return isEnded(state) && settlementState !== 'provisional';
}
