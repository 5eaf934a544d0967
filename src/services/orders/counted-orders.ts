import { AppError } from '../../domain/errors.ts';
import type { OrderRecord } from '../../domain/order.ts';
import { CapExceeded } from '../../domain/reservation.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { OrderStory } from './order-story.ts';
import type { OrderTraces } from './order-traces.ts';
import type { PlaceOrder } from './place-order.ts';

/** Times an order from request to answer, and counts what it is refused by. */
export async function counted(
  {
    metrics,
    traces,
  }: {
    readonly metrics: Metrics;
    readonly traces: Pick<OrderTraces, 'begin' | 'refused'> | null;
  },
  request: PlaceOrder,
  work: (story: OrderStory | null) => Promise<OrderRecord>,
): Promise<OrderRecord> {
  const { venue } = request;
  const story = traces?.begin(request) ?? null;
  const stopTimer = metrics.startTimer('order_stage_seconds', { venue, stage: 'total' });
  try {
    const record = await work(story);
    stopTimer();
    return record;
  } catch (error) {
    const reason = error instanceof AppError ? error.code : 'internal';
    metrics.count('order_rejections_total', { venue, reason });
    if (story !== null) {
      traces?.refused(story, reason);
      if (error instanceof AppError) error.traceId = story.traceId;
    }
    if (reason === 'cap_exceeded')
      metrics.count('cap_refusals_total', {
        cap: error instanceof CapExceeded ? error.cap : 'key',
      });
    throw error;
  }
}
