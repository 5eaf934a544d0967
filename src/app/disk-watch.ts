import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { DISK_WATCH } from '../../config/limits/figures.ts';
import { dataSizes } from './data-sizes.ts';
import type { Clock } from '../ports/clock.ts';
import type { Runtime } from '../ports/runtime.ts';

/**
 * Makes the periodic task that shows, every DISK_WATCH.intervalMs, the room left on the file system
 * of the data folder and the size of the text log there. One read at a time: a disk that does not
 * answer is asked once.
 */
export function createDiskWatch({
  folder,
  clock,
  metrics,
  log,
}: Pick<Runtime, 'metrics' | 'log'> & {
  /** The data folder. */
  readonly folder: string;
  /** Wall time. */
  readonly clock: Clock;
}): () => void {
  let dueAtMs = clock.nowMs();
  let sizesDueAtMs = clock.nowMs();
  let isReading = false;

  async function read(): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(folder);
    metrics.gauge('data_free_bytes', bavail * bsize);
    metrics.gauge('data_capacity_bytes', blocks * bsize);
    const file = await stat(join(folder, 'predictd.log')).catch(() => null);
    metrics.gauge('log_file_bytes', file?.size ?? 0);
    if (clock.nowMs() < sizesDueAtMs) return;
    sizesDueAtMs = clock.nowMs() + DISK_WATCH.sizesIntervalMs;
    for (const [part, bytes] of Object.entries(await dataSizes(folder)))
      metrics.gauge('data_size_bytes', bytes, { part });
  }

  return () => {
    if (isReading || clock.nowMs() < dueAtMs) return;
    isReading = true;
    read()
      .catch((cause: unknown) => log.warn({ cause }, 'disk.unread'))
      .finally(() => {
        isReading = false;
        dueAtMs = clock.nowMs() + DISK_WATCH.intervalMs;
      });
  };
}
