import { describe, expect, it } from 'vitest';
import { createStoreWatch } from '../../src/app/store-watch.ts';
import { createKeptLog, createKeptMetrics } from '../support/quiet.ts';

describe('the watch over the store', () => {
  it('shows how far LMDB is behind, and logs once that it falls behind and once that it keeps up again, however often it failed', () => {
    const [log, metrics, cause] = [
      createKeptLog(),
      createKeptMetrics(),
      new Error('no space left on device'),
    ];
    let failedInARow = 0;
    const check = createStoreWatch({
      backlog: () => ({
        bytes: 1_000 + failedInARow,
        failedInARow,
        cause: failedInARow === 0 ? null : cause,
        catchUps: 0,
        lastMs: 0,
      }),
      metrics,
      log,
    });
    const shown = [0, 1, 2, 70, 0, 0, 3].map((failed) => {
      failedInARow = failed;
      check();
      return [metrics.counts.get('store_catch_ups_failed'), metrics.counts.get('store_log_bytes')];
    });
    expect(shown).toEqual([
      [0, 1_000],
      [1, 1_001],
      [2, 1_002],
      [70, 1_070],
      [0, 1_000],
      [0, 1_000],
      [3, 1_003],
    ]);
    expect(log.lines).toEqual([
      { level: 'error', event: 'store.falls_behind', fields: { bytes: 1_001, cause } },
      { level: 'info', event: 'store.keeps_up', fields: { bytes: 1_000 } },
      { level: 'error', event: 'store.falls_behind', fields: { bytes: 1_003, cause } },
    ]);
  });

  it('observes each time LMDB has caught up once', () => {
    const seconds: number[] = [];
    let catchUps = 0;
    const watch = createStoreWatch({
      backlog: () => ({ bytes: 0, failedInARow: 0, cause: null, catchUps, lastMs: 250 }),
      metrics: { ...createKeptMetrics(), observe: (_name, value) => void seconds.push(value) },
      log: createKeptLog(),
    });
    for (const seen of [0, 1, 1, 2]) {
      catchUps = seen;
      watch();
    }
    expect(seconds).toEqual([0.25, 0.25]);
  });
});
