import type { Postgres } from '../support/fixtures/postgres.ts';

/** What the logs of shards say of their owners. All but frames and bytes is to be 0. */
export interface LogVerdict {
  readonly frames: number;
  /** What they take in the database, made small. */
  readonly bytes: number;
  /** Numbers that are missing between the first frame and the last. */
  readonly missing: number;
  /** Frames of an owner behind one of a later owner. */
  readonly afterReplaced: number;
}

/** Reads the whole logs of all shards. */
export async function judgeLog(node: Postgres): Promise<LogVerdict> {
  const [row] = await node.ask<Readonly<Record<'frames' | 'bytes' | 'missing' | 'after', string>>>(
    `select coalesce(sum(frames), 0) as frames, coalesce(sum(bytes), 0) as bytes,
       coalesce(sum(missing), 0) as missing, coalesce(sum(after), 0) as after
     from (select count(*) as frames, sum(size) as bytes, max(seq) - min(seq) + 1 - count(*) as missing,
             count(*) filter (where epoch < before) as after
           from (select shard, seq, epoch, octet_length(frame) as size,
                   lag(epoch) over (partition by shard order by seq) as before
                 from shard_log) as frames
           group by shard) as shards`,
  );
  return {
    frames: Number(row?.frames ?? 0),
    bytes: Number(row?.bytes ?? 0),
    missing: Number(row?.missing ?? 0),
    afterReplaced: Number(row?.after ?? 0),
  };
}
