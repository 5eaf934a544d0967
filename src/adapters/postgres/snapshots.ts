import { createHash, randomUUID } from 'node:crypto';
import { SHARD_SNAPSHOT } from '../../../config/limits/shard-snapshot.ts';
import { AppError } from '../../domain/errors.ts';
import type { ShardSnapshots, SnapshotHead, SnapshotWriter } from '../../ports/shard-snapshots.ts';
import { untilAnswered, type Engine } from './engine.ts';

const STATE = `select
    coalesce((select head from shard where id = $1), 0) as head,
    (select seq from shard_log where shard = $1 order by seq limit 1) as first,
    newest.seq as restored_seq,
    round(extract(epoch from clock_timestamp() - newest.restored_at) * 1000) as restored_ago_ms
  from (select 1) as always left join lateral (
    select seq, restored_at from shard_snapshot_head
    where shard = $1 and restored_at is not null order by seq desc limit 1) as newest on true`;
const RESTORED = `select seq, hash, parts, digest from shard_snapshot_head
  where shard = $1 and restored_at is not null order by seq desc`;
const IS_LEFT = `restored_at is null and touched_at < clock_timestamp() - $2 * interval '1 ms'`;
/** One that was left is begun anew; another one that is under way is waited for. */
const BEGIN = `insert into shard_snapshot_head (shard, seq, hash, writer)
  select $1, $3, $4, $5 where not exists (
    select from shard_snapshot_head where shard = $1 and restored_at is null and not (${IS_LEFT}))
  on conflict (shard, seq) do update
    set hash = $4, writer = $5, parts = 0, digest = '', touched_at = clock_timestamp()
    where shard_snapshot_head.restored_at is null
  returning seq`;
const EMPTY = `delete from shard_snapshot where shard = $1 and seq = $2`;
const ADD = `with own as (
    update shard_snapshot_head set touched_at = clock_timestamp()
    where shard = $1 and seq = $2 and writer = $3 and restored_at is null returning seq)
  insert into shard_snapshot select $1, $2, $4, $5, $6, $7 from own
  on conflict (shard, seq, part) do update
    set file = excluded.file, digest = excluded.digest, bytes = excluded.bytes
  returning part`;
const FINISH = `update shard_snapshot_head set parts = $4, digest = $5, touched_at = clock_timestamp()
  where shard = $1 and seq = $2 and writer = $3 and restored_at is null returning seq`;
const PART = `select file, digest, bytes from shard_snapshot
  where shard = $1 and seq = $2 and part = $3`;
/** The frame is asked for in the statement that counts it: a failover may have taken it back. */
const MARK = `update shard_snapshot_head as head set restored_at = clock_timestamp()
  where shard = $1 and seq = $2 and digest = $3 and digest <> '' and exists (
    select from shard_log where shard = $1 and seq = $2 and hash = head.hash)
  returning seq`;
const DISTRUST = `update shard_snapshot_head set restored_at = null, writer = ''
  where shard = $1 and seq = $2 and digest = $3 returning seq`;
const COUNTED = `select seq from shard_snapshot_head
  where shard = $1 and restored_at is not null order by seq desc`;
/** Nothing goes while the log is copied to the shard that a split makes. */
const IS_COPYING = `exists (select from shard_split where shard = $1 and state <> 'divided')`;
/** Those that count and have newer ones enough, and those that were left behind one that counts. */
const PASSED = `select seq from shard_snapshot_head
  where shard = $1 and not ${IS_COPYING} and (
    (restored_at is not null and seq in (${COUNTED} offset $3))
    or (${IS_LEFT} and seq < (${COUNTED} limit 1)))
  order by seq limit 1`;
const DROP_PARTS = `delete from shard_snapshot where shard = $1 and seq = $2 and part in (
    select part from shard_snapshot where shard = $1 and seq = $2 order by part limit $3)
  returning part`;
const DROP_HEAD = 'delete from shard_snapshot_head where shard = $1 and seq = $2';
/** What no snapshot covers is not found by it, whoever asks. */
const TRIM = `delete from shard_log where shard = $1 and seq in (
    select seq from shard_log
    where shard = $1 and not ${IS_COPYING}
      and seq < (${COUNTED} offset $4 limit 1)
      and exists (select from shard where id = $1 and epoch = $2)
    order by seq limit $3)
  returning seq`;

/** Opens the snapshots of a shard, over a connection of their own. */
export function openSnapshots(engine: Engine, shard: number): ShardSnapshots {
  /** Errors: `store_unavailable` also where no standby has it. */
  async function surely<Row extends object>(
    text: string,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    const { rows, isDoubtful } = await engine.ask<Row>(text, values);
    if (isDoubtful)
      throw new AppError('store_unavailable', 'no standby has confirmed it', { retryable: true });
    return rows;
  }
  const headsOf = async (): Promise<readonly SnapshotHead[]> => {
    const { rows } = await engine.ask<Record<'seq' | 'hash' | 'digest', string> & HeadRow>(
      RESTORED,
      [shard],
    );
    return rows.map(({ seq, ...rest }) => ({ ...rest, seq: Number(seq) }));
  };

  return {
    restored: headsOf,
    async state() {
      const { rows } = await engine.ask<StateRow>(STATE, [shard]);
      const [row] = rows;
      return {
        head: Number(row?.head ?? 0),
        first: numberOf(row?.first),
        restoredSeq: numberOf(row?.restored_seq),
        restoredAgoMs: numberOf(row?.restored_ago_ms),
      };
    },
    async begin({ seq, hash }) {
      const writer = randomUUID();
      const values = [shard, SHARD_SNAPSHOT.abandonedMs, seq, hash, writer];
      if ((await surely(BEGIN, values)).length === 0) return null;
      await surely(EMPTY, [shard, seq]);
      return writerOf({ seq, hash }, (text, more) => surely(text, [shard, seq, writer, ...more]));
    },
    async *read(head) {
      const whole = createHash('sha256');
      for (let part = 0; part < head.parts; part += 1) {
        const found = await untilAnswered(
          () => engine.ask<PartRow>(PART, [shard, head.seq, part]),
          () => false,
        );
        const [row] = found.rows;
        if (row === undefined) throw corrupt(head, `lacks part ${part} of ${head.parts}`);
        if (digestOf(row.bytes) !== row.digest)
          throw corrupt(head, `has a damaged part ${part} of ${head.parts}`);
        whole.update(row.digest);
        yield { file: row.file, bytes: row.bytes };
      }
      if (whole.digest('hex') !== head.digest) throw corrupt(head, 'has other parts than it had');
    },
    async markRestored({ seq, digest }) {
      return (await surely(MARK, [shard, seq, digest])).length > 0;
    },
    async distrust({ seq, digest }) {
      await surely(DISTRUST, [shard, seq, digest]);
    },
    async prune() {
      const { abandonedMs, kept, rowsPerTrim } = SHARD_SNAPSHOT;
      for (;;) {
        const [passed] = await surely<{ readonly seq: string }>(PASSED, [shard, abandonedMs, kept]);
        if (passed === undefined) return;
        // The parts first: what is left of them after a crash still has its head.
        const few = [shard, passed.seq, rowsPerTrim];
        while ((await surely(DROP_PARTS, few)).length > 0);
        await surely(DROP_HEAD, [shard, passed.seq]);
      }
    },
    async trim(epoch) {
      const { rowsPerTrim, kept } = SHARD_SNAPSHOT;
      return (await surely(TRIM, [shard, epoch, rowsPerTrim, kept - 1])).length;
    },
  };
}

interface HeadRow {
  readonly parts: number;
}

interface PartRow {
  readonly file: string;
  readonly digest: string;
  readonly bytes: Buffer;
}

/** Numbers of PostgreSQL's 64 bits come as text. */
type StateRow = Readonly<
  Record<'head' | 'first' | 'restored_seq' | 'restored_ago_ms', string | null>
>;

type Put = (text: string, values: readonly unknown[]) => Promise<readonly object[]>;

function writerOf(
  { seq, hash }: { readonly seq: number; readonly hash: string },
  put: Put,
): SnapshotWriter {
  const whole = createHash('sha256');
  let parts = 0;
  const own = async (text: string, values: readonly unknown[]): Promise<void> => {
    // Written over itself where its answer was lost.
    const rows = await untilAnswered(
      () => put(text, values),
      () => false,
    );
    if (rows.length > 0) return;
    throw new AppError('conflict', `another process writes the snapshot at frame ${seq}`);
  };
  return {
    async add({ file, bytes }) {
      const digest = digestOf(bytes);
      await own(ADD, [parts, file, digest, bytes]);
      whole.update(digest);
      parts += 1;
    },
    async finish() {
      const digest = whole.digest('hex');
      await own(FINISH, [parts, digest]);
      return { seq, hash, parts, digest };
    },
  };
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function numberOf(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Number(text);
}

function corrupt({ seq }: SnapshotHead, what: string): AppError {
  return new AppError('store_corrupt', `the snapshot at frame ${seq} ${what}`);
}
