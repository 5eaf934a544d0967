import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { SHARD_SNAPSHOT } from '../../config/limits/shard-snapshot.ts';
import { logFolder } from '../adapters/lmdb/segment-log.ts';
import type { EngineAddress } from '../adapters/postgres/engine.ts';
import { backOffMs } from '../domain/back-off.ts';
import type { Clock } from '../ports/clock.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { ShardSnapshots, SnapshotHead, SnapshotState } from '../ports/shard-snapshots.ts';

/** What the thread of a snapshot is given. */
export interface ThreadOrder {
  readonly engine: EngineAddress;
  readonly shard: number;
  /** Folder of the store. */
  readonly store: string;
  readonly scratch: string;
}

/** What it answers: the snapshot's last frame; null where none was made, and none is lacking. */
export interface SnapshotAnswer {
  readonly seq: number | null;
}

/** What this process is to the shard, as far as snapshots go. */
export type SnapshotRole =
  /** `put` writes what was read of the log and is not in the folder yet. */
  | { readonly kind: 'follower'; put(): void }
  | { readonly kind: 'owner'; readonly epoch: number; readonly sinceMs: number }
  | null;

/** Whether a snapshot is to be made now, and by whom. */
export interface SnapshotDue {
  readonly state: SnapshotState;
  readonly newest: SnapshotHead | undefined;
  /** Bytes of the folder's log, made small. */
  readonly logBytes: number;
  /** For how long this process has owned the shard, ms; null for one that waits. */
  readonly ownedMs: number | null;
}

/**
 * Reports whether a process makes a snapshot: daily, or once the log has grown by
 * SHARD_SNAPSHOT.logBytes; the owner only where it is later than a process that waits would be.
 */
export function isSnapshotDue({ state, newest, logBytes, ownedMs }: SnapshotDue): boolean {
  const { everyMs, ownerLatenessPart, ownerFirstMs, partBytes } = SHARD_SNAPSHOT;
  if (state.head === 0 || state.restoredSeq === state.head) return false;
  const lateness = ownedMs === null ? 1 : ownerLatenessPart;
  if (state.restoredAgoMs === null || newest === undefined)
    return ownedMs === null || ownedMs >= ownerFirstMs;
  const grown = logBytes - newest.parts * partBytes;
  return state.restoredAgoMs >= everyMs * lateness || grown >= SHARD_SNAPSHOT.logBytes * lateness;
}

/** One round: notes the age, makes a snapshot where one is due, and trims as the owner. */
export function createSnapshotRound(deps: {
  readonly snapshots: Pick<ShardSnapshots, 'state' | 'restored' | 'trim'>;
  readonly path: string;
  readonly role: () => SnapshotRole;
  /** Makes one; gives its last frame, null where another process does. */
  readonly make: () => Promise<number | null>;
  /** Monotonic, epoch ms. */
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly metrics: Metrics;
  readonly print: (line: string) => void;
}): () => Promise<void> {
  const { snapshots, path, role, make, clock, metrics, print } = deps;
  const beganMs = clock.nowMs();
  let restoredAtMs = beganMs;
  let failures = 0;
  let againAtMs = 0;
  metrics.beforeRead(() =>
    metrics.gauge('snapshot_age_seconds', (clock.nowMs() - restoredAtMs) / 1_000),
  );

  async function makeOne(): Promise<void> {
    try {
      const seq = await make();
      failures = 0;
      if (seq === null) return;
      restoredAtMs = clock.nowMs();
      metrics.count('snapshots_total', { result: 'made' });
    } catch (cause) {
      const { askedMs: firstMs, againMaximumMs: maximumMs } = SHARD_SNAPSHOT;
      againAtMs = clock.nowMs() + backOffMs(failures, { firstMs, maximumMs });
      failures += 1;
      metrics.count('snapshots_total', { result: 'failed' });
      print(`predictd: no snapshot was made: ${cause instanceof Error ? cause.message : cause}`);
    }
  }

  return async () => {
    const current = role();
    if (current === null) return;
    const state = await snapshots.state();
    if (state.restoredAgoMs !== null) restoredAtMs = clock.nowMs() - state.restoredAgoMs;
    const ownedMs = current.kind === 'owner' ? clock.nowMs() - current.sinceMs : null;
    if (clock.nowMs() >= againAtMs) {
      const [newest] = await snapshots.restored();
      if (isSnapshotDue({ state, newest, logBytes: logBytesIn(path), ownedMs })) {
        if (current.kind === 'follower') current.put();
        await makeOne();
      }
    }
    if (current.kind !== 'owner') return;
    for (let trims = 0; trims < SHARD_SNAPSHOT.trimsPerRound; trims += 1)
      if ((await snapshots.trim(current.epoch)) === 0) return;
  };
}

/** Makes a snapshot on a thread, which `ending` ends. Errors: those of `makeSnapshot`. */
export async function snapshotOnThread(
  order: ThreadOrder,
  ending: AbortSignal,
): Promise<number | null> {
  const entry = new URL(`./snapshot-thread${extname(import.meta.url)}`, import.meta.url);
  const thread = new Worker(entry, { workerData: order });
  thread.unref();
  try {
    // `once` rejects with the thread's error.
    const [answer] = await once(thread, 'message', { signal: ending });
    // its one message
    return (answer as SnapshotAnswer).seq;
  } finally {
    await thread.terminate();
  }
}

function logBytesIn(path: string): number {
  const folder = logFolder(path);
  if (!existsSync(folder)) return 0;
  return readdirSync(folder).reduce((bytes, name) => {
    const size = statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
    return bytes + (name.endsWith('.gz') ? size : size / SHARD_SNAPSHOT.smallerBy);
  }, 0);
}
