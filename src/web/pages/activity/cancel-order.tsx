import { useAttempt } from '../../api/attempt.ts';
import { type Order, VENUE_CALLS } from '../../api/venues.ts';
import { sentence } from '../../format/text.ts';
import { Button } from '../../ui/button.tsx';

/** Cancels an order that rests; nothing where one cannot be cancelled. */
export function CancelOrder({ order }: { readonly order: Order }) {
  const { isBusy, problem, make } = useAttempt();
  if (order.state !== 'live' && order.state !== 'delayed') return null;
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
