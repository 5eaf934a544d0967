import { SHARD_SPLIT } from '../../../config/limits/shared-log.ts';
import { AppError } from '../../domain/errors.ts';
import { untilAnswered, type Engine } from './engine.ts';

/**
 * How far a split is. `copying`: the log is copied to the successor, and the shard goes on as
 * before. `asked`: its owner is to end, and the next one divides it. `divided`: both go on.
 */
const SPLIT_STATES = ['copying', 'asked', 'divided'] as const;
type SplitState = (typeof SPLIT_STATES)[number];

/** A split of a shard. */
export interface ShardSplit {
  readonly shard: number;
  /** Number of the shard that comes of it. */
  readonly successor: number;
  readonly state: SplitState;
  /** The last frame that both have; null before that is known. */
  readonly seq: number | null;
  /** Whether each has forgotten the users of the other one. */
  readonly hasForgotten: { readonly shard: boolean; readonly successor: boolean };
}

type Ask = Pick<Engine, 'ask'>;

/** Every second slot; one split at a time, of a shard that has an owner and two slots. */
const BEGIN = `insert into shard_split (successor, shard, slots, state)
  select greatest((select max(id) from shard), (select max(shard) from slot)) + 1, $1,
    array_agg(slot order by slot) filter (where place % 2 = 0), 'copying'
  from (select slot, row_number() over (order by slot) as place from slot where shard = $1) as own
  where exists (select from shard where id = $1 and owner <> '')
    and not exists (select from shard_split where not (shard_forgot and successor_forgot))
  having count(*) > 1
  on conflict do nothing returning successor`;
const SPLITS = `select shard, successor, state, seq, shard_forgot, successor_forgot
  from shard_split order by successor`;
/** Held against a division: no frame behind it is copied. */
const OPEN = `open as (
    select from shard_split where successor = $2 and state <> 'divided' for share)`;
const HEADS = `select seq, parts from shard_snapshot_head as head
  where shard = $1 and restored_at is not null and not exists (
    select from shard_snapshot_head where shard = $2 and seq = head.seq)
  order by seq desc`;
const COPY_PARTS = `with ${OPEN}
  insert into shard_snapshot
  select $2, seq, part, file, digest, bytes from shard_snapshot
  where shard = $1 and seq = $3 and part >= $4 and part < $5 and exists (select from open)
  on conflict do nothing`;
const COPY_HEAD = `with ${OPEN}
  insert into shard_snapshot_head
  select $2, seq, hash, writer, parts, digest, touched_at, restored_at from shard_snapshot_head
  where shard = $1 and seq = $3 and restored_at is not null and exists (select from open)
  on conflict do nothing`;
const COPY_FRAMES = `with ${OPEN}
  insert into shard_log
  select $2, seq, epoch, hash, frame from shard_log
  where shard = $1 and exists (select from open)
    and seq > coalesce((select max(seq) from shard_log where shard = $2), 0)
  order by seq limit $3
  on conflict do nothing returning seq`;
/** Frames before one that was trimmed while they were copied. */
const BEFORE_GAP = `delete from shard_log where shard = $1 and seq < (
    select max(seq) from (
      select seq, lag(seq) over (order by seq) as before from shard_log where shard = $1) as frames
    where before <> seq - 1)`;
const ASK_OWNER = `update shard_split set asked = asked + 1,
    state = case when state = 'copying' then 'asked' else state end
  where successor = $1 returning state`;
const ASKED = `select successor from shard_split where shard = $1 and state = 'asked'`;
/**
 * The shard's log ends for its successor where it is now: only its owner of this epoch finds that,
 * who adds nothing meanwhile. All of it is there afterwards, or nothing.
 */
const DIVIDE = `with own as (
    update shard set beat = beat + 1
    where id = $1 and epoch = $2
      and exists (select from shard_split where successor = $3 and state = 'asked')
      and head = coalesce((select max(seq) from shard_log where shard = $3), 0)
    returning epoch, head),
  made as (
    insert into shard (id, epoch, beat, owner, head) select $3, epoch, 0, '', head from own),
  moved as (
    update slot set shard = $3
    where shard = $1 and exists (select from own)
      and slot in (select unnest(slots) from shard_split where successor = $3))
  update shard_split set state = 'divided', seq = own.head from own where successor = $3`;
/** A write: its answer proves that what it says is on two nodes. */
const CONFIRM = 'update shard_split set asked = asked + 1 where successor = $1 returning state';
const FORGOT = `update shard_split set
    shard_forgot = shard_forgot or shard = $1, successor_forgot = successor_forgot or successor = $1
  where state = 'divided' and (shard = $1 or successor = $1)`;

/**
 * Begins a split of a shard, or goes on with the one of this shard that is under way; resolves with
 * the number of its successor. Nothing has happened to the shard yet. Errors: `not_found` where no
 * slot is its, `conflict` with what is in the way, `store_unavailable`.
 */
export async function beginSplit(engine: Ask, shard: number): Promise<number> {
  const { rows } = await engine.ask<{ readonly successor: number }>(BEGIN, [shard]);
  const [begun] = rows;
  if (begun !== undefined) return begun.successor;
  const open = (await readSplits(engine)).find((split) => !isOver(split));
  if (open?.shard === shard && open.state !== 'divided') return open.successor;
  if (open !== undefined)
    throw new AppError(
      'conflict',
      `shard ${open.shard} is being split into ${open.shard} and ${open.successor}, and that is not over: \`predictd shards\` says what to do`,
    );
  const own = await engine.ask<{ readonly count: string }>(
    'select count(*) from slot where shard = $1',
    [shard],
  );
  const slots = Number(own.rows[0]?.count ?? 0);
  if (slots === 0) throw new AppError('not_found', `there is no shard ${shard} with users`);
  if (slots === 1)
    throw new AppError('conflict', `shard ${shard} has one slot alone, which cannot be split`);
  throw new AppError(
    'conflict',
    `no process owns shard ${shard}: \`predictd shards\` says why, and who is to divide it`,
  );
}

/** All splits there were. Errors: `store_unavailable`. */
export async function readSplits(engine: Ask): Promise<readonly ShardSplit[]> {
  const { rows } = await engine.ask<SplitRow>(SPLITS);
  return rows.map(({ seq, shard_forgot: shard, successor_forgot: successor, ...rest }) => ({
    ...rest,
    seq: seq === null ? null : Number(seq),
    hasForgotten: { shard, successor },
  }));
}

/** True once both shards of a split are whole without users of the other one. */
export function isOver({ hasForgotten }: ShardSplit): boolean {
  return hasForgotten.shard && hasForgotten.successor;
}

interface SplitRow extends Pick<ShardSplit, 'shard' | 'successor' | 'state'> {
  readonly seq: string | null;
  readonly shard_forgot: boolean;
  readonly successor_forgot: boolean;
}

/** The two shards of a split. */
export type SplitPair = Pick<ShardSplit, 'shard' | 'successor'>;

/**
 * Copies snapshots that count, and frames, to the successor within the database, until `left`
 * frames at most are lacking; whoever is cut off goes on where it ended. Waits for a database that
 * is away until `ending` is aborted. Errors: `store_unavailable`.
 */
export async function copyLog(
  engine: Ask,
  { shard, successor }: SplitPair,
  { left, ending = NEVER }: { readonly left: number; readonly ending?: AbortSignal },
): Promise<void> {
  const surely = surelyOver(engine, ending);
  const { partsPerCopy, framesPerCopy } = SHARD_SPLIT;
  const { rows } = await engine.ask<{ readonly seq: string; readonly parts: number }>(HEADS, [
    shard,
    successor,
  ]);
  for (const { seq, parts } of rows) {
    for (let part = 0; part < parts; part += partsPerCopy)
      await surely(COPY_PARTS, [shard, successor, seq, part, part + partsPerCopy]);
    await surely(COPY_HEAD, [shard, successor, seq]);
  }
  for (;;) {
    const copied = await surely(COPY_FRAMES, [shard, successor, framesPerCopy]);
    if (copied.length < Math.min(framesPerCopy, left + 1)) return;
  }
}

/**
 * Leaves out copied frames before those that a statement under way has trimmed while the split
 * began; snapshots cover them. Reads the whole of the copy. Errors: `store_unavailable`.
 */
export async function dropBeforeGap(
  engine: Ask,
  { successor }: SplitPair,
  ending: AbortSignal = NEVER,
): Promise<void> {
  await surelyOver(engine, ending)(BEFORE_GAP, [successor]);
}

/** Asks the owner to end, so that the next one divides the shard. Errors: `store_unavailable`. */
export async function askOwner(engine: Ask, { successor }: SplitPair): Promise<void> {
  await surelyOver(engine)(ASK_OWNER, [successor]);
}

/**
 * Returns the successor that a shard is to be divided with; null where that is not asked. Errors:
 * `store_unavailable`.
 */
export async function askedSplit(engine: Ask, shard: number): Promise<number | null> {
  const { rows } = await engine.ask<{ readonly successor: number }>(ASKED, [shard]);
  return rows[0]?.successor ?? null;
}

/**
 * Divides a shard, for its owner, before that has added a frame: the successor's log is what the
 * shard's is, and half of the slots are the successor's. Errors: `store_unavailable` (retryable),
 * also where another process owns the shard by now.
 */
export async function divideShard(
  engine: Ask,
  {
    epoch,
    ending = NEVER,
    ...pair
  }: SplitPair & { readonly epoch: number; readonly ending?: AbortSignal },
): Promise<void> {
  const surely = surelyOver(engine, ending);
  await copyLog(engine, pair, { left: 0, ending });
  await dropBeforeGap(engine, pair, ending);
  await surely(DIVIDE, [pair.shard, epoch, pair.successor]);
  const [row] = await surely<{ readonly state: SplitState }>(CONFIRM, [pair.successor]);
  if (row?.state !== 'divided')
    throw new AppError(
      'store_unavailable',
      `shard ${pair.shard} was not divided here: another process has taken it`,
      { retryable: true },
    );
}

/** Notes that a shard has forgotten the users of the other one. Errors: `store_unavailable`. */
export async function noteForgotten(engine: Ask, shard: number): Promise<void> {
  await surelyOver(engine)(FORGOT, [shard]);
}

const NEVER = new AbortController().signal;

/** Puts a statement again until it is answered and a standby has it, or `ending` is aborted. */
function surelyOver(engine: Ask, ending: AbortSignal = NEVER) {
  return <Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]> =>
    untilAnswered(
      async () => {
        const { rows, isDoubtful } = await engine.ask<Row>(text, values);
        if (!isDoubtful) return rows;
        throw new AppError('store_unavailable', 'no standby has confirmed it', {
          retryable: true,
        });
      },
      () => ending.aborted,
    );
}
