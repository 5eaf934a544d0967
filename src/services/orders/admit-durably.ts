import type { Market } from '../../domain/market.ts';
import { isAtRest, type OrderIntent } from '../../domain/order.ts';
import type { RiskCaps } from '../../domain/reservation.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Prepared } from '../../ports/order-signer.ts';
import type { TradedVenue } from '../venues.ts';
import { admit, type Admitted, type OrderWaits } from './admission.ts';
import type { OrderDriver } from './order-driver.ts';
import type { OrderFigures } from './order-figures.ts';
import type { OrderStory } from './order-story.ts';
import type { OrderTraces } from './order-traces.ts';
import type { PlaceOrder, UserStreams } from './place-order.ts';
import type { RestingOrders } from './resting-orders.ts';

/**
 * Reserves, signs and stores in one transaction, and lets the bytes leave the moment they would
 * survive a power failure (L1).
 */
export function admitDurably(
  deps: Pick<Runtime, 'commit' | 'metrics'> & {
    readonly caps: RiskCaps;
    readonly driver: Pick<OrderDriver, 'durable'>;
    readonly resting: Pick<RestingOrders, 'keep'>;
    readonly sync: Pick<UserStreams, 'activate'>;
    readonly figures: Pick<OrderFigures, 'changed'>;
    /** Null where nothing is traced. */
    readonly traces: Pick<OrderTraces, 'made'> | null;
  },
  {
    venue: { id, signer, rules },
    story,
    ...input
  }: {
    readonly venue: TradedVenue;
    readonly market: Market;
    readonly request: PlaceOrder;
    readonly waits: OrderWaits;
    readonly intent: OrderIntent;
    readonly prepared: Prepared | null;
    readonly story: OrderStory | null;
  },
): Promise<Admitted> {
  const { commit, caps, driver, sync, metrics } = deps;
  const timed = (stage: string) => metrics.startTimer('order_stage_seconds', { venue: id, stage });
  const stored = timed('durable');
  const traced = story?.stage('order.durable');
  return commit(
    (tx) => admit(tx, { ...input, signer, rules, caps, signing: () => timed('sign') }),
    ({ isNew, record }) => {
      stored();
      traced?.();
      if (!isNew) return;
      if (story !== null) deps.traces?.made(story, record);
      const left = timed('wire');
      const tracedOut = story?.stage('order.wire');
      if (isAtRest(record)) deps.resting.keep(record);
      else driver.durable(record);
      left();
      tracedOut?.();
      deps.figures.changed(record);
      // Now there is something in motion to be looked after.
      sync.activate(input.intent.userId, id);
    },
  );
}
