import type { Backlog } from '../adapters/lmdb/disk-store.ts';
import type { Runtime } from '../ports/runtime.ts';

/**
 * Makes the periodic task that shows how LMDB keeps up with the store's log, and logs once when
 * that begins to fail and once when it goes well again.
 */
export function createStoreWatch({
  backlog,
  metrics,
  log,
}: Pick<Runtime, 'metrics' | 'log'> & {
  readonly backlog: () => Backlog;
}): () => void {
  let wasFailing = false;
  let seen = 0;
  return () => {
    const { bytes, failedInARow, cause, catchUps, lastMs } = backlog();
    if (catchUps > seen) metrics.observe('store_catch_up_seconds', lastMs / 1_000);
    seen = catchUps;
    metrics.gauge('store_log_bytes', bytes);
    metrics.gauge('store_catch_ups_failed', failedInARow);
    const isFailing = failedInARow > 0;
    if (isFailing && !wasFailing) log.error({ bytes, cause }, 'store.falls_behind');
    if (!isFailing && wasFailing) log.info({ bytes }, 'store.keeps_up');
    wasFailing = isFailing;
  };
}
