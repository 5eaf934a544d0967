import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createMemoryBus } from '../../src/adapters/bus/memory-bus.ts';
import { FAULTS } from '../../src/adapters/metrics/table/process.ts';
import { createPromMetrics } from '../../src/adapters/metrics/prom-metrics.ts';
import { countedLog } from '../../src/app/counted-log.ts';
import { aUserId, T0 } from '../support/builders.ts';
import { createKeptLog } from '../support/quiet.ts';

it('counts a fault that is logged and gone on from, by its name, and nothing else', async () => {
  const [kept, metrics] = [createKeptLog(), createPromMetrics()];
  const log = countedLog(kept, metrics);
  const bus = createMemoryBus({ log });
  bus.subscribe(() => {
    throw new Error('an invariant');
  });
  bus.publish([
    {
      seq: 1,
      event: { type: 'notifications.read', userId: aUserId(1), atMs: T0, upTo: 1, unread: 0 },
    },
  ]);
  log.error({}, 'money.mismatched');
  log.info({}, 'order.actor_failed');
  expect(kept.lines.map(({ level, event }) => `${level} ${event}`)).toEqual([
    'error bus.listener_failed',
    'error money.mismatched',
    'info order.actor_failed',
  ]);
  const shown = (await metrics.renderMetrics())
    .split('\n')
    .filter((line) => line.startsWith('predictd_faults_total{'));
  expect(shown.filter((line) => !line.endsWith(' 0'))).toEqual([
    'predictd_faults_total{event="bus.listener_failed"} 1',
  ]);
  expect(shown).toHaveLength(FAULTS.length);
});

it('knows faults by the names they are logged under', () => {
  const sources = ['src', 'machines', 'streams'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(folder, name), 'utf8')),
  );
  expect(
    FAULTS.filter(
      (event) => !sources.some((text) => new RegExp(`\\.error\\(.*'${event}'\\)`).test(text)),
    ),
  ).toEqual([]);
});
