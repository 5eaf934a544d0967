import { SHARD_SNAPSHOT } from '../../../config/limits/shard-snapshot.ts';
import type { Engine } from './engine.ts';

/** What a process says of itself. */
export interface ShardMember {
  /** Machine and folder: the same after a start. */
  readonly name: string;
  readonly shard: number;
  /** As the shard's row names it while it owns that. */
  readonly owner: string;
  readonly state: string;
  /** Empty but for a state that has a reason. */
  readonly reason: string;
  readonly sentence: string;
  /** Newest frame it has. */
  readonly seq: number;
  readonly version: string;
}

/** A process as others find it; times are of the engine's clock. */
export interface SeenMember extends ShardMember {
  /** Since when it has been in its state, epoch ms. */
  readonly sinceMs: number;
  /** How long ago it wrote that, ms. */
  readonly seenAgoMs: number;
}

/** A shard as its row, its log and its snapshots have it. */
export interface ShardSummary {
  readonly shard: number;
  readonly epoch: number;
  readonly owner: string;
  readonly address: string;
  readonly head: number;
  /** Whether the owner's connection is there. */
  readonly isConnected: boolean;
  /** How long ago the newest snapshot that counts was restored, ms; null without one. */
  readonly restoredAgoMs: number | null;
}

const NOTE = `insert into shard_member
  select $1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp() - $9 * interval '1 ms', clock_timestamp()
  on conflict (name) do update set shard = excluded.shard, owner = excluded.owner,
    state = excluded.state, reason = excluded.reason, sentence = excluded.sentence,
    seq = excluded.seq, version = excluded.version, since = excluded.since, seen = excluded.seen`;
const FORGET = `delete from shard_member where seen < clock_timestamp() - $1 * interval '1 ms'`;
const MEMBERS = `select name, shard, owner, state, reason, sentence, seq, version,
    round(extract(epoch from since) * 1000) as since_ms,
    round(extract(epoch from clock_timestamp() - seen) * 1000) as seen_ago_ms
  from shard_member order by shard, name`;
const SHARDS = `select id, epoch, owner, address, head,
    exists (select from pg_stat_activity where application_name = shard.session) as connected,
    (select round(extract(epoch from clock_timestamp() - max(restored_at)) * 1000)
      from shard_snapshot_head where shard = shard.id and restored_at is not null) as restored_ago_ms
  from shard order by id`;
/** Who may not see more of others' connections sees that they are there. */
const STANDBYS = `select count(*) as standbys from pg_stat_replication
  where sync_state in ('sync', 'quorum') or sync_state is null`;

/** Writes what a process is, for how long. Errors: `store_unavailable`. */
export async function noteMember(
  engine: Engine,
  { name, shard, owner, state, reason, sentence, seq, version }: ShardMember,
  forMs: number,
): Promise<void> {
  const values = [name, shard, owner, state, reason, sentence, seq, version, Math.round(forMs)];
  await engine.ask(NOTE, values);
}

/** Forgets processes that have written nothing for days. Errors: `store_unavailable`. */
export async function forgetMembers(engine: Engine): Promise<void> {
  await engine.ask(FORGET, [SHARD_SNAPSHOT.memberKeptMs]);
}

/** Reads every shard. Errors: `store_unavailable`. */
export async function readShards(engine: Engine): Promise<readonly ShardSummary[]> {
  const { rows } = await engine.ask<ShardRow>(SHARDS);
  return rows.map(({ id, epoch, head, connected, restored_ago_ms: agoMs, ...rest }) => ({
    ...rest,
    shard: id,
    epoch: Number(epoch),
    head: Number(head),
    isConnected: connected,
    restoredAgoMs: agoMs === null ? null : Number(agoMs),
  }));
}

/** Reads every process that was seen within days. Errors: `store_unavailable`. */
export async function readMembers(engine: Engine): Promise<readonly SeenMember[]> {
  const { rows } = await engine.ask<MemberRow>(MEMBERS);
  return rows.map(({ seq, since_ms: sinceMs, seen_ago_ms: seenAgoMs, ...rest }) => ({
    ...rest,
    seq: Number(seq),
    sinceMs: Number(sinceMs),
    seenAgoMs: Number(seenAgoMs),
  }));
}

/** How many nodes a commit may wait for. Errors: `store_unavailable`. */
export async function countStandbys(engine: Engine): Promise<number> {
  const { rows } = await engine.ask<{ readonly standbys: string }>(STANDBYS);
  return Number(rows[0]?.standbys ?? 0);
}

interface ShardRow {
  readonly id: number;
  readonly epoch: string;
  readonly owner: string;
  readonly address: string;
  readonly head: string;
  readonly connected: boolean;
  readonly restored_ago_ms: string | null;
}

interface MemberRow extends Omit<SeenMember, 'seq' | 'sinceMs' | 'seenAgoMs'> {
  readonly seq: string;
  readonly since_ms: string;
  readonly seen_ago_ms: string;
}
