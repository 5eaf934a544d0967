import { describe, expect, it } from 'vitest';
import { SHARD_SNAPSHOT } from '../../config/limits/shard-snapshot.ts';
import { createPromMetrics } from '../../src/adapters/metrics/prom-metrics.ts';
import {
  createSnapshotRound,
  isSnapshotDue,
  type SnapshotRole,
} from '../../src/app/snapshot-rounds.ts';
import type { SnapshotHead, SnapshotState } from '../../src/ports/shard-snapshots.ts';

const { everyMs, logBytes, ownerLatenessPart, ownerFirstMs, partBytes } = SHARD_SNAPSHOT;
const NEWEST: SnapshotHead = { seq: 5, hash: 'f'.repeat(64), parts: 3, digest: 'e'.repeat(64) };
const aState = (change: Partial<SnapshotState> = {}): SnapshotState => ({
  head: 9,
  first: 1,
  restoredSeq: 5,
  restoredAgoMs: 1_000,
  ...change,
});
const NONE = { restoredSeq: null, restoredAgoMs: null };

describe('a snapshot of a shared log', () => {
  it.each<[string, Partial<SnapshotState>, number, number | null, boolean]>([
    ['no frame', { head: 0, first: null, ...NONE }, 0, null, false],
    ['frames and no snapshot', NONE, 0, null, true],
    ['frames and no snapshot, taken just now', NONE, 0, ownerFirstMs - 1, false],
    ['frames and no snapshot, taken minutes ago', NONE, 0, ownerFirstMs, true],
    ['one of today', {}, 0, null, false],
    ['one of a day ago', { restoredAgoMs: everyMs }, 0, null, true],
    [
      'one of a day ago, and nothing since',
      { restoredSeq: 9, restoredAgoMs: everyMs },
      0,
      null,
      false,
    ],
    ['one of a day ago, owned', { restoredAgoMs: everyMs }, 0, everyMs, false],
    [
      'one of more than a day ago, owned',
      { restoredAgoMs: everyMs * ownerLatenessPart },
      0,
      everyMs,
      true,
    ],
    ['one of today and much since', {}, logBytes + 3 * partBytes, null, true],
    ['one of today and less since', {}, logBytes + 3 * partBytes - 1, null, false],
  ])('is made, or not, of a log with %s', (_what, change, bytes, ownedMs, isDue) => {
    const state = aState(change);
    const newest = state.restoredSeq === null ? undefined : NEWEST;
    expect(isSnapshotDue({ state, newest, logBytes: bytes, ownedMs })).toBe(isDue);
  });

  const rounds = (role: SnapshotRole, made: readonly (number | null | Error)[]) => {
    const clock = { ms: 0 };
    const done: string[] = [];
    const metrics = createPromMetrics();
    let state = aState(NONE);
    const answers = [...made];
    const trims = [2, 1, 0];
    const round = createSnapshotRound({
      snapshots: {
        state: async () => state,
        restored: async () => [],
        trim: async (epoch) => (done.push(`trims in ${epoch}`), trims.shift() ?? 0),
      },
      path: 'nowhere',
      role: () => role,
      clock: { nowMs: () => clock.ms },
      metrics,
      print: (line) => done.push(line),
      async make() {
        done.push('makes');
        const answer = answers.shift() ?? null;
        if (answer instanceof Error) throw answer;
        return answer;
      },
    });
    return {
      round,
      clock,
      done,
      found: (next: SnapshotState) => void (state = next),
      age: async () =>
        /^predictd_snapshot_age_seconds (.*)$/m.exec(await metrics.renderMetrics())?.[1],
    };
  };
  const follower = (put: () => void = () => undefined): SnapshotRole => ({ kind: 'follower', put });

  it('is made of all that was read, and its age is that since', async () => {
    const put: number[] = [];
    const { round, clock, age, done } = rounds(
      follower(() => put.push(1)),
      [7],
    );
    clock.ms = 60_000;
    expect(await age()).toBe('60');
    await round();
    clock.ms += 5_000;
    expect([await age(), done, put]).toEqual(['5', ['makes'], [1]]);
  });

  it('has the age of one that another process made', async () => {
    const { round, found, age } = rounds(follower(), []);
    found(aState({ restoredAgoMs: 90_000 }));
    await round();
    expect(await age()).toBe('90');
  });

  it('is tried again later each time it fails, and says so', async () => {
    const { round, clock, done } = rounds(follower(), [new Error('disk'), new Error('disk'), 7]);
    const { askedMs } = SHARD_SNAPSHOT;
    for (const waitMs of [0, askedMs - 1, 1, askedMs, askedMs]) {
      clock.ms += waitMs;
      await round();
    }
    const failed = 'predictd: no snapshot was made: disk';
    expect(done).toEqual(['makes', failed, 'makes', failed, 'makes']);
  });

  it('has the owner trim until nothing is left, and no process that waits', async () => {
    const owner = rounds({ kind: 'owner', epoch: 3, sinceMs: 0 }, []);
    await owner.round();
    expect(owner.done).toEqual(Array.from({ length: 3 }, () => 'trims in 3'));
    const other = rounds(null, []);
    await other.round();
    expect(other.done).toEqual([]);
  });
});
