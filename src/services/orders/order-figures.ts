import type { IntentId, VenueId } from '../../domain/ids.ts';
import { isResting, isTerminal, type OrderRecord, type OrderState } from '../../domain/order.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Metrics } from '../../ports/metrics.ts';

/** Figures of orders that have not ended; they follow the records and read no table. */
export interface OrderFigures {
  /** The start: an order that was found open. */
  found(record: OrderRecord): void;
  /** An order after a change, or newly made. */
  changed(record: OrderRecord): void;
  /** Sets the gauges. */
  tell(): void;
}

/** What an open order is followed by. */
interface Followed {
  readonly venue: VenueId;
  readonly state: OrderState;
  /** Since when it is unknown, epoch ms of people's clock; null while it is not. */
  readonly unknownSinceMs: number | null;
  readonly decided: ((more: { readonly outcome: OrderState }) => void) | null;
  /** Stops the time until it is filled; null for orders that rest. */
  readonly filled: (() => void) | null;
}

/** States of orders that have not ended. */
const OPEN_STATES = [
  'intended',
  'signed',
  'submitting',
  'live',
  'delayed',
  'matched',
  'unknown',
] as const satisfies readonly OrderState[];

/** Makes the figures. They hold one small entry for each open order, which are bounded by user. */
export function createOrderFigures({
  metrics,
  wallClock,
  clock,
  venues,
}: {
  readonly metrics: Metrics;
  readonly wallClock: Clock;
  readonly clock: Clock;
  readonly venues: { readonly open: readonly { readonly id: VenueId }[] };
}): OrderFigures {
  const open = new Map<IntentId, Followed>();
  const counts = new Map<string, number>();
  const add = (venue: VenueId, state: OrderState, by: number): void => {
    const name = `${venue} ${state}`;
    counts.set(name, (counts.get(name) ?? 0) + by);
  };

  function follow(record: OrderRecord, unknownSinceMs: number): void {
    const { intent, state } = record;
    const { venue } = intent;
    const before = open.get(intent.intentId);
    // One that has ended is reported again when a late fill of it is booked.
    if (before?.state === state || (before === undefined && isTerminal(state))) return;
    if (before !== undefined) {
      add(venue, before.state, -1);
      if (before.state === 'unknown') before.decided?.({ outcome: state });
    }
    if (state === 'filled') before?.filled?.();
    if (state === 'rejected')
      metrics.count('order_rejections_total', { venue, reason: 'refused_by_venue' });
    if (isTerminal(state)) return void open.delete(intent.intentId);
    const isUnknown = state === 'unknown';
    add(venue, state, 1);
    open.set(intent.intentId, {
      venue,
      state,
      unknownSinceMs: isUnknown ? unknownSinceMs : null,
      decided: isUnknown ? metrics.startTimer('order_unknown_seconds', { venue }) : null,
      filled:
        before?.filled ??
        (before !== undefined || isResting(intent)
          ? null
          : metrics.startTimer('order_stage_seconds', { venue, stage: 'fill' })),
    });
  }

  return {
    found(record) {
      const agoMs = Math.max(0, clock.nowMs() - record.updatedAtMs) / (clock.speed ?? 1);
      follow(record, wallClock.nowMs() - agoMs);
    },
    changed: (record) => follow(record, wallClock.nowMs()),
    tell() {
      const nowMs = wallClock.nowMs();
      for (const { id: venue } of venues.open) {
        for (const state of OPEN_STATES)
          metrics.gauge('orders_open', counts.get(`${venue} ${state}`) ?? 0, { venue, state });
        let oldestMs = 0;
        // Orders are walked only where one of them is unknown.
        if ((counts.get(`${venue} unknown`) ?? 0) > 0)
          for (const one of open.values())
            if (one.venue === venue && one.unknownSinceMs !== null)
              oldestMs = Math.max(oldestMs, nowMs - one.unknownSinceMs);
        metrics.gauge('orders_unknown_oldest_seconds', oldestMs / 1_000, { venue });
      }
    },
  };
}
