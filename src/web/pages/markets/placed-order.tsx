import { useEffect, useRef } from 'react';
import { useAttempt } from '../../api/attempt.ts';
import type { Order, OrderCalls } from '../../api/venues.ts';
import { Button } from '../../ui/button.tsx';
import { Moment } from '../../ui/figures.tsx';
import { ProblemNote } from '../../ui/state.tsx';
import { sentence } from '../../format/text.ts';
import { isTaken, placedSentence, placedTitle } from './placed-sentence.ts';

/** An order that was placed, as it is now, with its cancel while it rests. */
export function PlacedOrder({
  order,
  calls,
  isPool = false,
  earlier = null,
  onTaken,
}: {
  readonly order: Order;
  /** Called once it is open or something of it has filled, at once or while it is followed. */
  onTaken?(): void;
  readonly calls: OrderCalls;
  /** True where it is traded with a contract that has no book. */
  readonly isPool?: boolean;
  /** Of one from before the page was opened: what it is, as in "buy Yes". */
  readonly earlier?: string | null;
}) {
  const { isBusy, problem, make } = useAttempt();
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
      await calls.cancel(order.id);
    });
  return (
    <div style={{ display: 'grid', gap: 8 }}>
      {earlier === null ? null : (
        <p className="muted">
          Your last order here ({earlier}, <Moment atMs={order.createdAtMs} />
          ):
        </p>
      )}
      <p>
        <strong>{placedTitle(order, isPool)}</strong> {placedSentence(order, isPool)}
      </p>
      {order.state === 'live' ? (
        <Button
          isSmall
          isBusy={isBusy}
          onClick={() => void cancel()}
          disabled={order.cancelRequested}
        >
          {order.cancelRequested ? 'Being cancelled' : 'Cancel order'}
        </Button>
      ) : null}
      {problem === null ? null : problem.code === 'order_not_cancellable' ? (
        <p className="warn" role="alert">
          {sentence(problem.message)}
        </p>
      ) : (
        <ProblemNote problem={problem} />
      )}
    </div>
  );
}
