import { SpanKind, SpanStatusCode, TraceFlags, type HrTime } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { TRACING } from '../../../config/limits/tracing.ts';
import type { Log } from '../../ports/log.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Random } from '../../ports/random.ts';
import type { EndedSpan, Tracing } from '../../ports/tracing.ts';

/** Tracing that can be ended. */
export interface OtlpTracing extends Tracing {
  /** Sends what is left, for TRACING.endTimeoutMs at most. Never rejects. */
  stop(): Promise<void>;
}

/** Chance that is drawn at once: ids of a hundred orders. */
const ID_POOL_BYTES = 4_096;
/** Result code of an export that went through (`@opentelemetry/core`, ExportResultCode). */
const EXPORTED = 0;

/**
 * Sends spans to an OTLP receiver by OpenTelemetry's own exporter. Spans come with their ids and
 * times, so that no tracer, provider, processor or context of it is used: they are gathered as they
 * are, and what the exporter reads is made of them when they are sent, so that an order costs the
 * next one nothing. One request is under way at a time. At most TRACING.queueMaximum wait; what is
 * beyond that, and what the receiver did not take, is counted and dropped.
 */
export function createOtlpTracing(parts: {
  /** Where an OTLP receiver takes traces over HTTP as JSON, path included. */
  readonly url: string;
  readonly version: string;
  /** Which of several daemons this is. */
  readonly instance: string;
  readonly random: Random;
  readonly metrics: Pick<Metrics, 'count'>;
  readonly log: Pick<Log, 'warn'>;
}): OtlpTracing {
  const { random, metrics, log } = parts;
  const exporter = new OTLPTraceExporter({
    url: parts.url,
    timeoutMillis: TRACING.sendTimeoutMs,
    // at the end all that waits is sent at once, beside what is under way
    concurrencyLimit: Math.ceil(TRACING.queueMaximum / TRACING.batchMaximum) + 1,
  });
  const origin = {
    resource: resourceFromAttributes({
      'service.name': 'predictd',
      'service.version': parts.version,
      'service.instance.id': parts.instance,
    }),
    instrumentationScope: { name: 'predictd', version: parts.version },
  };
  const gathered: EndedSpan[] = [];
  /** Those under way too. */
  let waiting = 0;
  let isSending = false;
  let isFailing = false;
  let timer: NodeJS.Timeout | null = null;
  const lose = (reason: 'queue' | 'receiver', spans: number): void =>
    metrics.count('trace_spans_dropped_total', { reason }, spans);

  function sendBatch(): Promise<void> {
    const batch = gathered.splice(0, TRACING.batchMaximum);
    const spans = batch.map((span) => ({ ...readable(span), ...origin }));
    return new Promise((resolve) =>
      exporter.export(spans, ({ code, error }) => {
        waiting -= batch.length;
        if (code !== EXPORTED) {
          lose('receiver', batch.length);
          // once for a receiver that is away, however long
          if (!isFailing)
            log.warn({ cause: error?.message ?? 'refused' }, 'tracing.receiver_failed');
        }
        isFailing = code !== EXPORTED;
        resolve();
      }),
    );
  }

  async function send(): Promise<void> {
    if (isSending || gathered.length === 0) return;
    isSending = true;
    clearTimeout(timer ?? undefined);
    do await sendBatch();
    while (gathered.length >= TRACING.batchMaximum);
    isSending = false;
    timer = null;
    if (gathered.length > 0) sendLater();
  }

  function sendLater(): void {
    timer ??= setTimeout(() => void send(), TRACING.gatherMs).unref();
  }

  const hex = idsOf(random);
  return {
    nowMs: () => performance.timeOrigin + performance.now(),
    newTraceId: () => hex(16),
    newSpanId: () => hex(8),
    keep(spans) {
      if (waiting + spans.length > TRACING.queueMaximum) return lose('queue', spans.length);
      waiting += spans.length;
      gathered.push(...spans);
      sendLater();
      if (gathered.length >= TRACING.batchMaximum && !isSending) setImmediate(() => void send());
    },
    async stop() {
      clearTimeout(timer ?? undefined);
      const left: Promise<void>[] = [];
      while (gathered.length > 0) left.push(sendBatch());
      await new Promise<void>((resolve) => {
        const limit = setTimeout(resolve, TRACING.endTimeoutMs);
        const ended = (): void => {
          clearTimeout(limit);
          resolve();
        };
        // a receiver that is away was counted and logged
        Promise.all(left)
          .then(() => exporter.shutdown())
          .then(ended, ended);
      });
      if (waiting > 0) lose('receiver', waiting);
    },
  };
}

/** Gives hex digits of so many fresh bytes; one system call for many of them. */
function idsOf(random: Random): (bytes: number) => string {
  let digits = '';
  let used = 0;
  const next = (bytes: number): string => {
    if (used + bytes * 2 > digits.length) {
      digits = Buffer.from(random.bytes(ID_POOL_BYTES)).toString('hex');
      used = 0;
    }
    const id = digits.slice(used, used + bytes * 2);
    used += bytes * 2;
    return /^0+$/.test(id) ? next(bytes) : id;
  };
  return next;
}

function readable(span: EndedSpan): Omit<ReadableSpan, 'resource' | 'instrumentationScope'> {
  const { name, traceId, parentSpanId, startMs, endMs, isFailed, attributes, events } = span;
  const context = { traceId, spanId: span.spanId, traceFlags: TraceFlags.SAMPLED };
  return {
    name,
    kind: SpanKind.INTERNAL,
    spanContext: () => context,
    ...(parentSpanId === null ? {} : { parentSpanContext: { ...context, spanId: parentSpanId } }),
    startTime: hrTimeOf(startMs),
    endTime: hrTimeOf(endMs),
    duration: hrTimeOf(Math.max(0, endMs - startMs)),
    status: { code: isFailed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: { ...attributes },
    events: events.map(({ name: what, atMs }) => ({ name: what, time: hrTimeOf(atMs) })),
    links: [],
    ended: true,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function hrTimeOf(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
}
