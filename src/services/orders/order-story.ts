import { TRACING } from '../../../config/limits/tracing.ts';
import type { VenueId } from '../../domain/ids.ts';
import { isAtRest, isResting, isTerminal, type OrderRecord } from '../../domain/order.ts';
import { traceparentOf } from '../../domain/trace-context.ts';
import type { EndedSpan, SpanEvent, Tracing } from '../../ports/tracing.ts';
import { hexOfId } from '../new-id.ts';

/** What of an order is timed, named as its span. */
export type StageName =
  | 'order.durable'
  | 'order.wire'
  | 'order.ack'
  | 'order.unknown'
  | 'fill'
  | 'publish';

/** A stage that has ended, wall time. */
interface Stage {
  readonly name: StageName;
  readonly startMs: number;
  readonly endMs: number;
  readonly events: readonly SpanEvent[];
}

/** Where a story begins, and in which trace. */
export interface StoryBegin {
  readonly venue: VenueId;
  readonly agent: string | null;
  readonly traceId: string;
  /** The span that the order's own is below; null where that is the root. */
  readonly parentSpanId: string | null;
  /** The tick an agent decided by; null for a manual order, and where it is not known any more. */
  readonly tick: { readonly spanId: string; readonly atMs: number } | null;
  /** When it was asked for, wall time. */
  readonly startMs: number;
  /** True where the order's own span was made before: it rests, and the process was another. */
  readonly isShown: boolean;
  readonly filled: number;
}

/** Spans of a part of a story, and those of its stages that a histogram has too. */
export interface StoryPart {
  readonly traceId: string;
  readonly venue: VenueId;
  readonly spans: readonly EndedSpan[];
  readonly stages: readonly Pick<Stage, 'name' | 'startMs' | 'endMs'>[];
}

/**
 * Times of one order, kept as numbers while it is on its way. Spans are made of them once its end,
 * or its rest at the venue, is stored, and only where what became of it is worth keeping.
 */
export class OrderStory {
  readonly #tracing: Pick<Tracing, 'nowMs' | 'newSpanId'>;
  readonly #begin: StoryBegin;
  #stages: Stage[] = [];
  #answeredMs: number | null = null;
  #onItsWayMs: number | null = null;
  #unknownSinceMs: number | null = null;
  #questions: SpanEvent[] = [];
  #filled: number;
  #isShown: boolean;
  #isKept = false;
  #own: string | null = null;
  /** Stages that have not ended: the user's channel may tell of the end before the answer comes. */
  #running = 0;
  #show: (() => void) | null = null;
  readonly #shown: (part: StoryPart) => void;

  /** `shown` takes each part that is worth keeping. */
  constructor(
    tracing: Pick<Tracing, 'nowMs' | 'newSpanId'>,
    begin: StoryBegin,
    shown: (part: StoryPart) => void,
  ) {
    this.#tracing = tracing;
    this.#shown = shown;
    this.#begin = begin;
    this.#isShown = begin.isShown;
    this.#filled = begin.filled;
  }

  get traceId(): string {
    return this.#begin.traceId;
  }

  /**
   * What the order's record keeps: its trace and the span that its own is below, or that one itself
   * where it is the root. Its own follows from the order's id, so that a later process has both.
   */
  traceparentOf(intentId: string): string {
    const own = this.#ownOf(intentId);
    const { traceId, parentSpanId } = this.#begin;
    return traceparentOf({ traceId, spanId: parentSpanId ?? own, isSampled: isUsual(own) });
  }

  /** Begins a stage; the function it gives ends it. */
  stage(name: StageName): () => void {
    const startMs = this.#tracing.nowMs();
    this.#running += 1;
    return () => {
      const endMs = this.#tracing.nowMs();
      if (name === 'order.ack') this.#answeredMs = endMs;
      this.#stages.push({ name, startMs, endMs, events: [] });
      this.#running -= 1;
      if (this.#running > 0) return;
      const show = this.#show;
      this.#show = null;
      show?.();
    };
  }

  /** The venue is asked what became of it. */
  asked(): void {
    if (this.#questions.length < TRACING.questionsMaximum)
      this.#questions.push({ name: 'question', atMs: this.#tracing.nowMs() });
  }

  /** A change of it was published from then on until now. */
  published(startMs: number): void {
    this.#stages.push({ name: 'publish', startMs, endMs: this.#tracing.nowMs(), events: [] });
  }

  /** Follows the record. */
  changed(record: OrderRecord): void {
    const { intent, state, filledShares } = record;
    const nowMs = this.#tracing.nowMs();
    const rests = isResting(intent);
    if (state === 'unknown') this.#unknownSinceMs ??= nowMs;
    else if (this.#unknownSinceMs !== null) this.#endUnknown(this.#unknownSinceMs, nowMs);
    if (rests ? filledShares > this.#filled : state === 'filled')
      this.#stages.push({
        name: 'fill',
        startMs: rests ? nowMs : (this.#onItsWayMs ?? nowMs),
        endMs: nowMs,
        events: [],
      });
    this.#onItsWayMs ??= nowMs;
    this.#filled = filledShares;
    const isOver = isTerminal(state);
    if (!isOver && !(rests && (state === 'live' || isAtRest(record)))) return;
    const show = () =>
      this.#build(intent.intentId, {
        outcome: state,
        endMs: isOver ? nowMs : (this.#answeredMs ?? nowMs),
        isFailed: state === 'rejected',
      });
    if (this.#running > 0) this.#show = show;
    else show();
  }

  /** Ends a story of which no order came. */
  refused(code: string): void {
    const endMs = this.#tracing.nowMs();
    this.#build(null, { outcome: 'refused', code, endMs, isFailed: true });
  }

  #ownOf(intentId: string): string {
    this.#own ??= hexOfId(intentId);
    return this.#own;
  }

  #endUnknown(startMs: number, endMs: number): void {
    this.#isKept = true;
    this.#stages.push({ name: 'order.unknown', startMs, endMs, events: this.#questions });
    this.#questions = [];
    this.#unknownSinceMs = null;
  }

  /** `intentId` null: no order was made. */
  #build(
    intentId: string | null,
    how: {
      readonly outcome: string;
      readonly code?: string;
      readonly endMs: number;
      readonly isFailed: boolean;
    },
  ): void {
    const { traceId, parentSpanId, venue, agent, tick, startMs } = this.#begin;
    const own = intentId === null ? this.#tracing.newSpanId() : this.#ownOf(intentId);
    this.#isKept ||= how.isFailed || isUsual(own) || this.#wasSlow();
    const stages = this.#stages;
    this.#stages = [];
    const isFirst = !this.#isShown;
    this.#isShown = true;
    if (!this.#isKept || (!isFirst && stages.length === 0)) return;
    const attributes = {
      'predictd.venue': venue,
      ...(agent === null ? {} : { 'predictd.agent': agent }),
      ...(intentId === null ? {} : { 'predictd.order': intentId }),
    };
    const usual = { traceId, isFailed: false, attributes, events: [] };
    const spans: EndedSpan[] = [];
    if (isFirst && tick !== null && parentSpanId !== null)
      spans.push(
        {
          ...usual,
          name: 'tick',
          spanId: tick.spanId,
          parentSpanId: null,
          startMs: tick.atMs,
          endMs: how.endMs,
        },
        {
          ...usual,
          name: 'decision',
          spanId: parentSpanId,
          parentSpanId: tick.spanId,
          startMs: tick.atMs,
          endMs: startMs,
        },
      );
    if (isFirst)
      spans.push({
        ...usual,
        name: 'order',
        spanId: own,
        parentSpanId,
        startMs,
        endMs: how.endMs,
        isFailed: how.isFailed,
        attributes: {
          ...attributes,
          'predictd.outcome': how.outcome,
          ...(how.code === undefined ? {} : { 'predictd.code': how.code }),
        },
      });
    for (const { name, startMs: beganMs, endMs, events } of stages)
      spans.push({
        ...usual,
        name,
        spanId: this.#tracing.newSpanId(),
        parentSpanId: own,
        startMs: beganMs,
        endMs,
        events,
      });
    this.#shown({ traceId, venue, spans, stages });
  }

  #wasSlow(): boolean {
    const untilMs = this.#answeredMs ?? this.#tracing.nowMs();
    return !this.#begin.isShown && untilMs - this.#begin.startMs > TRACING.slowMs;
  }
}

/**
 * Chosen by digits of the order's id, which no caller has in hand, and which a later process reads
 * the same way.
 */
function isUsual(spanId: string): boolean {
  return Number.parseInt(spanId.slice(8), 16) < TRACING.usualPart * 0x1_0000_0000;
}
