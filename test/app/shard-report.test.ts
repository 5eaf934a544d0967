import { describe, expect, it } from 'vitest';
import { SHARD_SNAPSHOT } from '../../config/limits/shard-snapshot.ts';
import type { SeenMember, ShardSummary } from '../../src/adapters/postgres/shard-members.ts';
import type { ShardSplit } from '../../src/adapters/postgres/split.ts';
import { reportShards } from '../../src/app/shard-report.ts';

const aShard = (change: Partial<ShardSummary> = {}): ShardSummary => ({
  shard: 0,
  epoch: 3,
  owner: 'one:11',
  address: 'http://one:8787',
  head: 120,
  isConnected: true,
  restoredAgoMs: 3 * 3_600_000,
  ...change,
});
const aMember = (change: Partial<SeenMember> = {}): SeenMember => ({
  name: 'two:/data',
  shard: 0,
  owner: 'two:22',
  state: 'following',
  reason: '',
  sentence: '',
  seq: 120,
  version: '0.1.0',
  sinceMs: Date.UTC(2026, 10, 29),
  seenAgoMs: 500,
  ...change,
});
const SPLIT: ShardSplit = {
  shard: 0,
  successor: 2,
  state: 'copying',
  seq: null,
  hasForgotten: { shard: false, successor: false },
};
const OWNER = aMember({ name: 'one:/data', owner: 'one:11', state: 'owner' });
const SINCE = 'since 2026-11-29T00:00:00.000Z, version 0.1.0';

describe('the report on shards', () => {
  it('says who owns a shard and what each of its processes is', () => {
    const other = aMember({ name: 'three:/data', seq: 100, state: 'catching_up' });
    expect(reportShards([aShard()], [OWNER, aMember(), other])).toEqual({
      isWell: true,
      lines: [
        'shard 0  owned by one:11 at http://one:8787, epoch 3, 120 frames, snapshot 3 h old',
        `  one:/data  owner, ${SINCE}`,
        `  two:/data  following, ${SINCE}`,
        `  three:/data  catching_up, 20 frames behind, ${SINCE}`,
      ],
    });
  });

  it.each<[string, Partial<SeenMember>, string, string | null]>([
    [
      'is parked',
      { state: 'broken', reason: 'snapshot_missing', sentence: 'the log begins at 9' },
      'broken (snapshot_missing): the log begins at 9',
      'start a process whose folder is whole',
    ],
    [
      'has written nothing for a while',
      { seenAgoMs: SHARD_SNAPSHOT.memberSilentMs + 1 },
      'silent for 10 s (was following)',
      'start it, or bring its way to the database back',
    ],
    ['was fenced', { state: 'fenced' }, 'fenced: it ends and is started again', null],
    ['was replaced', { state: 'owner' }, 'owner until it was replaced', null],
  ])('says what to do about a process that %s', (_what, change, state, remedy) => {
    const waits = aMember({ name: 'three:/data' });
    const { lines, isWell } = reportShards([aShard()], [OWNER, aMember(change), waits]);
    expect(lines[2]).toContain(`two:/data  ${state}`);
    expect(isWell).toBe(remedy === null);
    if (remedy !== null) expect(lines[3]).toContain(`do: ${remedy}`);
  });

  it('says that a process is lacking: one to take the shard, or one to take it over', () => {
    const [, alone] = reportShards([aShard()], [OWNER]).lines;
    expect(alone).toBe('  do: start a second process, on another machine: none waits to take over');
    const free = reportShards([aShard({ owner: '', address: '', restoredAgoMs: null })], []);
    expect(free).toEqual({
      isWell: false,
      lines: [
        'shard 0  no owner, epoch 3, 120 frames, no snapshot yet',
        '  do: start a process for this shard',
      ],
    });
    expect(reportShards([], []).isWell).toBe(false);
  });

  it.each<[string, Partial<ShardSplit>, readonly string[], boolean]>([
    [
      'is copied',
      {},
      [
        'shard 0  is being split: its log is copied to shard 2, and it goes on',
        '  do: start two processes with PREDICTD_SHARD=2, and give predictd shards split 0 again unless that runs: it goes on where it ended',
      ],
      false,
    ],
    [
      'is asked for',
      { state: 'asked' },
      ['shard 0  is being split: the process that takes it next divides it with shard 2'],
      true,
    ],
    [
      'is not forgotten yet',
      { state: 'divided', seq: 120, hasForgotten: { shard: true, successor: false } },
      [
        "shard 0  was divided at frame 120 with shard 2; to forget the other's users: shard 2, as it starts",
      ],
      true,
    ],
    [
      'is over',
      { state: 'divided', seq: 120, hasForgotten: { shard: true, successor: true } },
      [],
      true,
    ],
  ])('says of a split what it waits for while it %s', (_what, change, lines, isWell) => {
    const split = { ...SPLIT, ...change };
    const report = reportShards([aShard()], [OWNER, aMember()], [split]);
    expect(report.lines.slice(3)).toEqual(lines);
    expect(report.isWell).toBe(isWell);
  });

  it('says that processes are to be started for a shard that a split has made', () => {
    const made = aShard({ shard: 2, owner: '', address: '', restoredAgoMs: null });
    const split = { ...SPLIT, state: 'divided', seq: 120 } as const;
    const { lines, isWell } = reportShards([aShard(), made], [OWNER, aMember()], [split]);
    expect(isWell).toBe(false);
    expect(lines.slice(3, 5)).toEqual([
      'shard 2  no owner, epoch 3, 120 frames, no snapshot yet',
      '  do: start two processes with PREDICTD_SHARD=2, on two machines: its users wait for them',
    ]);
  });
});
