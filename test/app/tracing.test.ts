import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSystemRandom } from '../../src/adapters/random/system-random.ts';
import { createPromMetrics } from '../../src/adapters/metrics/prom-metrics.ts';
import { createTeardown } from '../../src/app/teardown.ts';
import { openTracing } from '../../src/app/tracing.ts';
import { observedLog } from '../../src/app/observed-log.ts';
import { createMemoryStore } from '../../src/adapters/memory/memory-store.ts';
import { aMarketBuy } from '../support/builders.ts';
import { startOtlpReceiver, type OtlpSpan } from '../support/fakes/otlp-receiver.ts';
import { createKeptLog } from '../support/quiet.ts';
import { aWorld, during } from '../support/worlds/trading-world.ts';
import { importsOf, sourceFiles } from '../repository/source-files.ts';

const version = (): string => '1.2.3';
afterEach(() => {
  vi.useRealTimers();
});

describe('tracing', () => {
  it('is not opened without a receiver, and none of its packages is loaded for that', async () => {
    const runtime = {
      random: createSystemRandom(),
      metrics: createPromMetrics(),
      log: observedLog(createKeptLog()),
    };
    const teardown = createTeardown();
    expect(
      await openTracing({ PREDICTD_OTLP_URL: undefined }, runtime, { teardown, version }),
    ).toBeNull();
    const importers = sourceFiles(['src']).flatMap((file) =>
      importsOf(file)
        .filter((specifier) => /opentelemetry|adapters\/tracing/.test(specifier))
        .map(() => file.path),
    );
    expect([...new Set(importers)].sort()).toEqual([
      'src/adapters/tracing/otlp-tracing.ts',
      'src/app/tracing.ts',
    ]);
  });

  it('shows a receiver the tree of one order, and readers of metrics its trace', async () => {
    const receiver = await startOtlpReceiver();
    const metrics = createPromMetrics();
    const teardown = createTeardown();
    const tracing = await openTracing(
      { PREDICTD_OTLP_URL: receiver.url },
      { random: createSystemRandom(), metrics, log: observedLog(createKeptLog()) },
      { teardown, version },
    );
    if (tracing === null) return expect.unreachable();
    const world = aWorld();
    const life = world.live(createMemoryStore(), { tracing });
    await life.orders.recover();
    await during(world, life.funding.syncDeposits(world.user));
    world.venue.submitFaults.push({ kind: 'rejected', reason: 'not today' });
    const { intent } = await during(world, life.orders.place(world.user, aMarketBuy()));
    // an end without a limit: what is sent arrives, however long the machine takes
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await teardown.run();
    await receiver.close();
    const of = (name: string): OtlpSpan =>
      receiver.spans.find((span) => span.name === name) ?? expect.unreachable();
    const order = of('order');
    expect(intent.traceparent).toContain(order.traceId);
    for (const name of ['order.durable', 'order.wire', 'order.ack']) {
      const stage = of(name);
      expect([stage.traceId, stage.parentSpanId]).toEqual([order.traceId, order.spanId]);
      expect(BigInt(stage.startTimeUnixNano)).toBeGreaterThanOrEqual(
        BigInt(order.startTimeUnixNano),
      );
      expect(BigInt(stage.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(order.endTimeUnixNano));
    }
    // the histogram's own timers are not those of this world; an observation gives its buckets
    metrics.observe('order_stage_seconds', 0.001, { venue: 'venue_a', stage: 'wire' });
    const text = await metrics.renderMetrics('openmetrics');
    expect(text).toMatch(
      new RegExp(
        `^predictd_order_stage_seconds_bucket\\{.*stage="wire".*\\} \\d+ # \\{trace_id="${order.traceId}"\\} [\\d.e-]+ [\\d.]+$`,
        'm',
      ),
    );
    expect(await metrics.renderMetrics()).not.toContain('trace_id');
  });
});
