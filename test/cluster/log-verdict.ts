import type { Postgres } from '../support/fixtures/postgres.ts';

/** What the log of a shard says of its owners. Everything but the frames is to be 0. */
export interface LogVerdict {
  readonly frames: number;
  /** Numbers that are missing between the first frame and the last. */
  readonly missing: number;
  /** Frames of an owner behind one of a later owner. */
  readonly afterReplaced: number;
}

/** Reads the whole log of shard 0. */
export async function judgeLog(node: Postgres): Promise<LogVerdict> {
  const [row] = await node.ask<Readonly<Record<'frames' | 'missing' | 'after', string>>>(
    `select count(*) as frames, coalesce(max(seq) - min(seq) + 1 - count(*), 0) as missing,
       count(*) filter (where epoch < before) as after
     from (select seq, epoch, lag(epoch) over (order by seq) as before
           from shard_log where shard = 0) as frames`,
  );
  return {
    frames: Number(row?.frames ?? 0),
    missing: Number(row?.missing ?? 0),
    afterReplaced: Number(row?.after ?? 0),
  };
}
