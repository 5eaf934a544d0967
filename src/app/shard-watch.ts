import { setTimeout as wait } from 'node:timers/promises';
import { SHARD_SNAPSHOT } from '../../config/limits/shard-snapshot.ts';
import { BROKEN_REASONS, SHARD_STATE_KINDS, type ShardState } from '../domain/shard-states.ts';
import type { Metrics } from '../ports/metrics.ts';

/** What a process is to its shard, for people and Prometheus. */
export interface ShardWatch {
  state(): ShardState;
  became(state: ShardState): void;
  close(): Promise<void>;
}

/** Begins to watch a process, which is catching up. */
export function watchShard({
  shard,
  metrics,
  nowMs,
  note,
  rounds,
}: {
  readonly shard: number;
  readonly metrics: Metrics;
  /** Monotonic ms. */
  readonly nowMs: () => number;
  /** Writes a state and how long it has lasted, for those who ask the database. */
  readonly note: (state: ShardState, forMs: number) => Promise<void>;
  /** Tasks with how often they are run, ms; one that fails is run again in its turn. */
  readonly rounds: readonly { readonly everyMs: number; readonly run: () => Promise<void> }[];
}): ShardWatch {
  let state: ShardState = { kind: 'catching_up' };
  let sinceMs = nowMs();
  const ending = new AbortController();
  metrics.beforeRead(() => {
    for (const kind of SHARD_STATE_KINDS)
      metrics.gauge('shard_state', state.kind === kind ? 1 : 0, {
        shard: String(shard),
        state: kind,
      });
    const broken = state.kind === 'broken' ? state.reason : null;
    for (const reason of BROKEN_REASONS)
      metrics.gauge('shard_broken_state', reason === broken ? 1 : 0, { reason });
  });
  const write = (): Promise<void> => note(state, nowMs() - sinceMs).catch(() => undefined);
  const running = [{ everyMs: SHARD_SNAPSHOT.memberMs, run: write }, ...rounds].map(
    async ({ everyMs, run }) => {
      while (!ending.signal.aborted) {
        await run().catch(() => undefined);
        await wait(everyMs, undefined, { signal: ending.signal, ref: false }).catch(
          () => undefined,
        );
      }
    },
  );
  return {
    state: () => state,
    became(next) {
      if (next.kind === state.kind) return;
      state = next;
      sinceMs = nowMs();
      if (!ending.signal.aborted) void write();
    },
    async close() {
      ending.abort();
      await Promise.all(running);
      await write();
    },
  };
}
