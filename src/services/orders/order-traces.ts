import { TRACING } from '../../../config/limits/tracing.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { IntentId } from '../../domain/ids.ts';
import { isTerminal, type OrderRecord } from '../../domain/order.ts';
import { readTraceparent } from '../../domain/trace-context.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Exemplars } from '../../ports/metrics.ts';
import type { Tracing } from '../../ports/tracing.ts';
import { hexOfId } from '../new-id.ts';
import { OrderStory, type StageName, type StoryPart } from './order-story.ts';
import type { PlaceOrder } from './place-order.ts';

/** Traces of orders, from the tick behind one to its fills. */
export interface OrderTraces {
  /** Begins the trace of a request; null where none is kept. */
  begin(
    request: Pick<PlaceOrder, 'venue' | 'origin' | 'judgedAtMs' | 'traceparent'>,
  ): OrderStory | null;
  /** The order of a story is stored. */
  made(story: OrderStory, record: OrderRecord): void;
  /** The story of an open order; null where none is kept. */
  of(intentId: IntentId): OrderStory | null;
  /** The start: an order that was found open goes on in its trace. */
  found(record: OrderRecord): void;
  /** An order after a change, or newly made. */
  changed(record: OrderRecord): void;
  /** Returns a bus that times how long changes of orders and their fills take to be published. */
  timed(bus: Bus): Bus;
  /** No order came of a request. */
  refused(story: OrderStory, code: string): void;
}

/** Stages as `order_stage_seconds` names them. */
const HISTOGRAM_STAGES: Partial<Record<StageName, string>> = {
  'order.durable': 'durable',
  'order.wire': 'wire',
  'order.ack': 'ack',
  fill: 'fill',
};

/** Makes the traces; one small entry for each open order, TRACING.ordersMaximum at most. */
export function createOrderTraces({
  tracing,
  clock,
}: {
  readonly tracing: Tracing & Partial<Exemplars>;
  /** Market time. */
  readonly clock: Clock;
}): OrderTraces {
  const open = new Map<IntentId, OrderStory>();
  /** When a moment of market time was on the wall. */
  const wallOf = (atMs: number): number =>
    tracing.nowMs() - Math.max(0, clock.nowMs() - atMs) / (clock.speed ?? 1);

  function storyOf(event: DomainEvent): OrderStory | undefined {
    if (event.type === 'order.changed') return open.get(event.intentId);
    return event.type === 'fill.recorded' ? open.get(event.fill.intentId) : undefined;
  }

  function show(part: StoryPart): void {
    tracing.keep(part.spans);
    for (const { name, startMs, endMs } of part.stages) {
      const stage = HISTOGRAM_STAGES[name];
      if (stage !== undefined)
        tracing.exemplar?.('order_stage_seconds', (endMs - startMs) / 1_000, {
          labels: { venue: part.venue, stage },
          traceId: part.traceId,
        });
    }
  }

  return {
    begin({ venue, origin, judgedAtMs, traceparent }) {
      if (open.size >= TRACING.ordersMaximum) return null;
      const caller = traceparent === undefined ? null : readTraceparent(traceparent);
      const tick =
        judgedAtMs === undefined ? null : { spanId: tracing.newSpanId(), atMs: wallOf(judgedAtMs) };
      return new OrderStory(
        tracing,
        {
          venue,
          agent: origin.kind === 'agent' ? origin.agentId : null,
          traceId: caller?.traceId ?? tracing.newTraceId(),
          parentSpanId: tick === null ? (caller?.spanId ?? null) : tracing.newSpanId(),
          tick,
          startMs: tracing.nowMs(),
          isShown: false,
          filled: 0,
        },
        show,
      );
    },
    made: (story, { intent }) => void open.set(intent.intentId, story),
    of: (intentId) => open.get(intentId) ?? null,
    found(record) {
      const { intent, state, filledShares } = record;
      const parent = intent.traceparent === undefined ? null : readTraceparent(intent.traceparent);
      if (parent === null || isTerminal(state) || open.size >= TRACING.ordersMaximum) return;
      const story = new OrderStory(
        tracing,
        {
          venue: intent.venue,
          agent: intent.origin.kind === 'agent' ? intent.origin.agentId : null,
          traceId: parent.traceId,
          parentSpanId: parent.spanId === hexOfId(intent.intentId) ? null : parent.spanId,
          tick: null,
          startMs: wallOf(intent.createdAtMs),
          isShown: state === 'live',
          filled: filledShares,
        },
        show,
      );
      open.set(intent.intentId, story);
      story.changed(record);
    },
    changed(record) {
      const { intentId } = record.intent;
      const story = open.get(intentId);
      if (story === undefined) return;
      story.changed(record);
      if (isTerminal(record.state)) open.delete(intentId);
    },
    timed: (bus) => ({
      ...bus,
      publish(entries) {
        const startMs = tracing.nowMs();
        bus.publish(entries);
        // no list and no set for each commit: most are of one order, or of none
        let last: OrderStory | undefined;
        for (const { event } of entries) {
          const story = storyOf(event);
          if (story === undefined || story === last) continue;
          story.published(startMs);
          last = story;
        }
      },
    }),
    refused: (story, code) => story.refused(code),
  };
}
