import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { BACKUP } from '../../config/limits/backup.ts';
import type { Clock } from '../ports/clock.ts';
import type { Runtime } from '../ports/runtime.ts';
import { replaceFile } from './storage.ts';

const schema = z.object({
  /** When the newest copy of this folder was whole, epoch ms; 0 without one. */
  backupAtMs: z.number().nonnegative(),
  /** Copies that were asked for and not made, or not made at the time, ever. */
  backupFailures: z.int().nonnegative(),
  /** When the journal was last read and found whole, epoch ms; 0 where it never was. */
  verifiedAtMs: z.number().nonnegative(),
});

/** What other programs have done for a data folder. */
export type Upkeep = Readonly<z.output<typeof schema>>;

const NOTHING_DONE: Upkeep = { backupAtMs: 0, backupFailures: 0, verifiedAtMs: 0 };

/** Reads what was reported; nothing where nothing was, or what is there cannot be read. */
export function readUpkeep(folder: string): Upkeep {
  const file = fileIn(folder);
  if (!existsSync(file)) return NOTHING_DONE;
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return NOTHING_DONE;
  }
}

/**
 * Reports to the daemon of a data folder, the one that runs or the next to start, by a file there,
 * `upkeep.json`. Errors: `store_unavailable`.
 */
export function reportUpkeep(folder: string, change: (known: Upkeep) => Partial<Upkeep>): void {
  const known = readUpkeep(folder);
  replaceFile(fileIn(folder), `${JSON.stringify({ ...known, ...change(known) })}\n`);
}

/**
 * Makes the periodic task that shows, every BACKUP.reportReadMs, when the newest copy of the data
 * folder was made and the journal verified, and counts copies that failed since the start.
 */
export function createUpkeepWatch({
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
  let counted = readUpkeep(folder).backupFailures;
  return () => {
    if (clock.nowMs() < dueAtMs) return;
    dueAtMs = clock.nowMs() + BACKUP.reportReadMs;
    const { backupAtMs, backupFailures, verifiedAtMs } = readUpkeep(folder);
    metrics.gauge('backup_timestamp_seconds', backupAtMs / 1_000);
    metrics.gauge('verify_timestamp_seconds', verifiedAtMs / 1_000);
    if (backupFailures > counted) {
      metrics.count('backup_failures_total', {}, backupFailures - counted);
      log.error({ failures: backupFailures - counted }, 'backup.failed');
    }
    counted = backupFailures;
  };
}

function fileIn(folder: string): string {
  return join(folder, 'upkeep.json');
}
