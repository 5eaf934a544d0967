import type { Postgres } from '../support/fixtures/postgres.ts';

/** What the logs of shards say of their owners. Everything but the frames is to be 0. */
export interface LogVerdict {
  readonly frames: number;
  /** Numbers that are missing between the first frame and the last. */
  readonly missing: number;
  /** Frames of an owner behind one of a later owner. */
  readonly afterReplaced: number;
}

/** Reads the whole logs of all shards. */
export async function judgeLog(node: Postgres): Promise<LogVerdict> {
  const [row] = await node.ask<Readonly<Record<'frames' | 'missing' | 'after', string>>>(
    `select coalesce(sum(frames), 0) as frames, coalesce(sum(missing), 0) as missing,
       coalesce(sum(after), 0) as after
     from (select count(*) as frames, max(seq) - min(seq) + 1 - count(*) as missing,
             count(*) filter (where epoch < before) as after
           from (select shard, seq, epoch,
                   lag(epoch) over (partition by shard order by seq) as before
                 from shard_log) as frames
           group by shard) as shards`,
  );
  return {
    frames: Number(row?.frames ?? 0),
    missing: Number(row?.missing ?? 0),
    afterReplaced: Number(row?.after ?? 0),
  };
}
