import { useAttempt } from '../../api/attempt.ts';
import { type Order, VENUE_CALLS } from '../../api/venues.ts';
import { sentence } from '../../format/text.ts';
import { Button } from '../../ui/button.tsx';

/** Cancels an order that rests; says so of one that the venue holds, which no cancel ends. */
export function CancelOrder({ order }: { readonly order: Order }) {
  const { isBusy, problem, make } = useAttempt();
  if (order.state === 'delayed')
    return <span className="muted">the venue decides within seconds</span>;
  if (order.state !== 'live') return null;
  const cancel = () =>
    make(async () => {
      await VENUE_CALLS[order.venue]?.orders?.cancel(order.id);
    });
  return (
    <Button
      isSmall
      isBusy={isBusy}
      disabled={order.cancelRequested}
      blocked={problem === null ? null : sentence(problem.message)}
      onClick={() => void cancel()}
    >
      {order.cancelRequested ? 'Being cancelled' : 'Cancel'}
    </Button>
  );
}
