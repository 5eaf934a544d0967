import { afterEach, describe, expect, it, vi } from 'vitest';
import { TRACING } from '../../../config/limits/tracing.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { createOtlpTracing } from '../../../src/adapters/tracing/otlp-tracing.ts';
import type { EndedSpan } from '../../../src/ports/tracing.ts';
import { eventually } from '../../support/eventually.ts';
import { startOtlpReceiver } from '../../support/fakes/otlp-receiver.ts';
import { createKeptLog, createKeptMetrics } from '../../support/quiet.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN: EndedSpan = {
  name: 'order',
  traceId: TRACE,
  spanId: '00f067aa0ba902b7',
  parentSpanId: null,
  startMs: 1_800_000_000_000.25,
  endMs: 1_800_000_000_003.5,
  isFailed: true,
  attributes: { 'predictd.venue': 'venue_a' },
  events: [{ name: 'question', atMs: 1_800_000_000_001 }],
};

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const end of ends.splice(0)) await end();
});

async function receiver(options?: Parameters<typeof startOtlpReceiver>[0]) {
  const started = await startOtlpReceiver(options);
  ends.push(() => started.close());
  return started;
}

function tracingTo(url: string) {
  const metrics = createKeptMetrics();
  const log = createKeptLog();
  const random = createSeededRandom('ids');
  const tracing = createOtlpTracing({ url, version: '1.2.3', instance: 'i', random, metrics, log });
  return { tracing, metrics, log };
}

/** An end waits for what arrives, however long the machine takes. */
function holdTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
}

describe('spans to an OTLP receiver', () => {
  it('arrive with their ids, parents, times and events when tracing ends', async () => {
    const { url, spans } = await receiver();
    const { tracing, metrics } = tracingTo(url);
    holdTimers();
    const child = { ...SPAN, name: 'fill', spanId: '00000000000000aa', parentSpanId: SPAN.spanId };
    tracing.keep([SPAN, { ...child, isFailed: false, events: [] }]);
    await tracing.stop();
    expect(spans).toEqual([
      expect.objectContaining({
        name: 'order',
        traceId: TRACE,
        spanId: SPAN.spanId,
        startTimeUnixNano: '1800000000000250000',
        endTimeUnixNano: '1800000000003500000',
        flags: 257,
        status: { code: 2 },
        attributes: [{ key: 'predictd.venue', value: { stringValue: 'venue_a' } }],
        events: [
          expect.objectContaining({ name: 'question', timeUnixNano: '1800000000001000000' }),
        ],
      }),
      expect.objectContaining({ name: 'fill', parentSpanId: SPAN.spanId, status: { code: 0 } }),
    ]);
    expect(spans[0]?.parentSpanId).toBeUndefined();
    expect(metrics.counts.size).toBe(0);
  });

  it('that are more than may wait are dropped and counted, and what waits arrives', async () => {
    const { url, spans } = await receiver();
    const { tracing, metrics } = tracingTo(url);
    holdTimers();
    for (let index = 0; index < TRACING.queueMaximum + 5; index += 1) tracing.keep([SPAN]);
    await tracing.stop();
    expect(spans).toHaveLength(TRACING.queueMaximum);
    expect(metrics.counts.get('trace_spans_dropped_total queue')).toBe(5);
  });

  it('are lost where no receiver is, counted and logged once, and nothing else happens', async () => {
    const { url, close } = await startOtlpReceiver();
    await close();
    const { tracing, metrics, log } = tracingTo(url);
    // tries again pass at once
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    for (let index = 0; index < TRACING.batchMaximum * 2; index += 1) tracing.keep([SPAN]);
    await eventually(() =>
      expect(metrics.counts).toEqual(
        new Map([['trace_spans_dropped_total receiver', TRACING.batchMaximum * 2]]),
      ),
    );
    await tracing.stop();
    expect(log.lines.map(({ event }) => event)).toEqual(['tracing.receiver_failed']);
  });

  it('do not hold up the end for longer than TRACING.endTimeoutMs where a receiver is silent', async () => {
    const { url, arrived } = await receiver({ isSilent: true });
    const { tracing, metrics } = tracingTo(url);
    tracing.keep([SPAN]);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let isOver = false;
    const stopping = tracing.stop().then(() => (isOver = true));
    await arrived;
    await vi.advanceTimersByTimeAsync(TRACING.endTimeoutMs - 1);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await stopping;
    expect(metrics.counts.get('trace_spans_dropped_total receiver')).toBe(1);
  });
});

it('ids are hex digits of their length, each another', () => {
  const { tracing } = tracingTo('http://127.0.0.1:1/v1/traces');
  const [one, other] = [tracing.newTraceId(), tracing.newTraceId()];
  expect([one, other]).toEqual([1, 2].map(() => expect.stringMatching(/^[0-9a-f]{32}$/)));
  expect(one).not.toBe(other);
  expect(tracing.newSpanId()).toMatch(/^[0-9a-f]{16}$/);
});
