import { SHARED_LOG } from '../../../config/limits/shared-log.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import { AppendError, type LogHead } from '../../ports/commit-log.ts';
import type { Lease } from '../../ports/lease.ts';
import type { SharedFrame, SharedLog, SharedReads } from '../../ports/shared-log.ts';
import { type Compression, ON_THREAD } from './compression.ts';
import { STEADY_CLOCK, untilAnswered, wait, type Engine } from './engine.ts';
import { makeTables } from './tables.ts';

/** Which shard, and who asks for it. */
export interface ShardOptions {
  readonly shard: number;
  /** Names this process to people who read the table. */
  readonly owner: string;
  /** Wall time: a monotonic clock rests in a machine that is suspended. */
  readonly wallClock: Pick<Clock, 'nowMs'>;
  /** Counts steadily, and times polls and renewals; the machine's monotonic clock unless stated. */
  readonly steadyClock?: Clock;
  /** On a thread of the runtime's own unless stated. */
  readonly compression?: Compression;
  /** Aborted where the process is to end: it waits for the shard no longer. */
  readonly ending: AbortSignal;
  /** Called once where another process owns the shard; null where a split is to make it yet. */
  readonly waits: (owner: string | null) => void;
  /** Called after each poll while another process owns it. */
  readonly meanwhile: (log: SharedReads) => Promise<void>;
  /** Called once when the shard was taken by another process. */
  readonly fenced: () => void;
  /** Called when it is not known whether a frame was committed, before that is found out. */
  readonly undecided?: () => void;
}

/**
 * Why a shard could be taken: it had no owner before, its owner let it go, the owner's connection
 * had left the engine, or it had written nothing for a lease.
 */
const TAKE_CAUSES = ['first', 'released', 'disconnected', 'expired'] as const;
type TakeCause = (typeof TAKE_CAUSES)[number];

/** A shard that this process owns, until another one takes it. */
export interface OwnedShard extends SharedLog, Lease {
  /** Grows by one with each take. */
  readonly epoch: number;
  readonly cause: TakeCause;
  /** Has gateways call this process, at an address of its own, however long the engine takes. */
  announce(url: string): Promise<void>;
  /** Lets the shard go, so that the next process takes it at once. */
  close(): Promise<void>;
}

/** Only its owner adds a frame, and only behind the head (cluster.md section 3). */
const APPEND = `with own as (
    update shard set head = $3, beat = beat + 1
    where id = $1 and epoch = $2 and head = $3::bigint - 1 returning id)
  insert into shard_log select $1, $3, $2, $4, $5 from own returning seq`;
/** A split makes the row of the shard that comes of it. */
const MAKE = `insert into shard select $1, 0, 0, '', 0
  where not exists (select from shard_split where successor = $1)
  on conflict (id) do nothing`;
const POLL = `select epoch, beat, owner, exists (
    select from pg_stat_activity where application_name = session) as connected
  from shard where id = $1`;
const RENEW = 'update shard set beat = beat + 1 where id = $1 and epoch = $2 returning head';
const TAKE = `update shard set epoch = epoch + 1, beat = beat + 1, owner = $2, address = '', session = $5
  where id = $1 and epoch = $3 and beat = $4 returning epoch, head`;
const ANNOUNCE = `update shard set address = $3, beat = beat + 1
  where id = $1 and epoch = $2 returning head`;
const RELEASE = `update shard set owner = '', address = '', beat = beat + 1
  where id = $1 and epoch = $2`;

const OTHER_OWNER = 'the shard has another owner';
/** Hash before the first frame. */
const NO_HASH = '0'.repeat(64);

/** A shard's row: numbers of PostgreSQL's 64 bits come as text. */
interface ShardRow {
  readonly epoch: string;
  readonly beat: string;
  readonly owner: string;
  readonly connected: boolean;
}

/** What is read of a shard that a split is to make. */
const NOT_MADE: ShardRow = { epoch: '', beat: '', owner: 'a split', connected: true };

/** What a waiting process has seen of an owner since that wrote last. */
interface Seen extends ShardRow {
  readonly sinceMs: number;
  /** Polls in a row that its connection was gone from the engine; null before it was there. */
  readonly gone: number | null;
}

/**
 * Waits until the shard is free and takes it: at once where its owner let it go; after two polls
 * where the owner's connection has left the engine, as the system closes that of a killed process;
 * else once the owner has written nothing for a lease, in which it was polled all the while. An
 * owner whose connection is gone knows it before, and sends nothing. Errors: `store_unavailable`
 * where the engine is not reached at first, or the process is to end.
 */
export async function takeShard(engine: Engine, options: ShardOptions): Promise<OwnedShard> {
  const { shard, owner, ending } = options;
  await makeTables(engine);
  await engine.ask(MAKE, [shard]);
  let seen: Seen | null = null;
  let hasWaited = false;
  const { nowMs } = steadyOf(options);
  let polledAtMs = nowMs();
  const reads = readsOf(engine, shard, options.compression);
  for (;;) {
    ending.throwIfAborted();
    const begun = nowOf(options);
    try {
      const { rows } = await engine.ask<ShardRow>(POLL, [shard]);
      const [row = NOT_MADE] = rows;
      // Whoever was held up itself has not watched an owner.
      const answeredAtMs = nowMs();
      if (answeredAtMs - polledAtMs > SHARED_LOG.pollsApartMaximumMs) seen = null;
      polledAtMs = answeredAtMs;
      seen = seenOf(seen, row, answeredAtMs);
      const isFree =
        row.owner === '' ||
        (row !== NOT_MADE &&
          ((seen.gone ?? 0) >= SHARED_LOG.pollsGone ||
            begun.atMs - seen.sinceMs >= SHARED_LOG.leaseMs));
      if (isFree) {
        const proven = nowOf(options);
        const taken = await engine.ask<{ readonly epoch: string; readonly head: string }>(TAKE, [
          shard,
          owner,
          row.epoch,
          row.beat,
          engine.session,
        ]);
        const [own] = taken.rows;
        if (own !== undefined && !taken.isDoubtful)
          return await Shard.of(engine, options, {
            epoch: Number(own.epoch),
            seq: Number(own.head),
            proven,
            cause: causeOf(seen),
          });
        seen = null;
      } else {
        if (!hasWaited) options.waits(row === NOT_MADE ? null : row.owner);
        hasWaited = true;
        await options.meanwhile(reads);
      }
    } catch (cause) {
      // An engine that was away says nothing of its owner: the wait begins anew.
      if (!(cause instanceof AppError) || !cause.retryable) throw cause;
      seen = null;
    }
    await wait(steadyOf(options), SHARED_LOG.pollMs);
  }
}

function causeOf({ epoch, owner, gone }: Seen): TakeCause {
  if (epoch === '0') return 'first';
  if (owner === '') return 'released';
  return (gone ?? 0) >= SHARED_LOG.pollsGone ? 'disconnected' : 'expired';
}

function seenOf(before: Seen | null, row: ShardRow, atMs: number): Seen {
  const isSame = before?.epoch === row.epoch;
  const gone = row.connected ? 0 : isSame && before.gone !== null ? before.gone + 1 : null;
  const hasWritten = !isSame || before.beat !== row.beat;
  return { ...row, sinceMs: hasWritten ? atMs : before.sinceMs, gone };
}

/**
 * Returns which other shard's log has a frame; null where none has. Errors: `store_unavailable`.
 */
export async function otherShardOf(
  engine: Pick<Engine, 'ask'>,
  { shard, seq, hash }: LogHead & { readonly shard: number },
): Promise<number | null> {
  const { rows } = await engine.ask<{ readonly shard: number }>(
    `select shard from shard_log where shard in (select id from shard where id <> $1)
       and seq = $2 and hash = $3`,
    [shard, seq, hash],
  );
  return rows[0]?.shard ?? null;
}

/** Reads of a shard's log, whoever owns it. */
export function readsOf(
  engine: Pick<Engine, 'ask'>,
  shard: number,
  { inflated }: Pick<Compression, 'inflated'> = ON_THREAD,
): SharedReads {
  return {
    async hashOf(seq) {
      const { rows } = await engine.ask<{ readonly hash: string }>(
        'select hash from shard_log where shard = $1 and seq = $2',
        [shard, seq],
      );
      return rows[0]?.hash ?? null;
    },
    async *read(afterSeq) {
      for (let after = afterSeq; ; ) {
        const { rows } = await engine.ask<{
          readonly seq: string;
          readonly hash: string;
          readonly frame: Buffer;
        }>(
          'select seq, hash, frame from shard_log where shard = $1 and seq > $2 order by seq limit $3',
          [shard, after, SHARED_LOG.framesPerRead],
        );
        for (const { seq, hash, frame } of rows)
          yield { seq: (after = Number(seq)), hash, bytes: await inflated(frame) };
        if (rows.length < SHARED_LOG.framesPerRead) return;
      }
    },
  };
}

class Shard implements OwnedShard {
  readonly epoch: number;
  readonly cause: TakeCause;
  readonly hashOf: SharedReads['hashOf'];
  readonly read: SharedReads['read'];
  readonly #engine: Engine;
  readonly #options: ShardOptions;
  #head: LogHead;
  /** When the last statement began that proved the ownership: monotonic and wall time, ms. */
  #proven: Moment;
  #isLost = false;
  #isClosed = false;
  #renewing: Timer | null = null;

  private constructor(
    engine: Engine,
    options: ShardOptions,
    { epoch, cause, head, proven }: Taken & { readonly head: LogHead },
  ) {
    this.#engine = engine;
    this.#options = options;
    this.epoch = epoch;
    this.cause = cause;
    const { hashOf, read } = readsOf(engine, options.shard, options.compression);
    this.hashOf = hashOf;
    this.read = read;
    this.#head = head;
    this.#proven = proven;
    this.#renewLater();
  }

  static async of(
    engine: Engine,
    options: ShardOptions,
    { seq, ...taken }: Taken & { readonly seq: number },
  ): Promise<OwnedShard> {
    const owned = new Shard(engine, options, { ...taken, head: { seq, hash: NO_HASH } });
    if (seq > 0) {
      const hash = await owned.hashOf(seq);
      if (hash === null)
        throw new AppError('store_corrupt', `the log of shard ${options.shard} lacks frame ${seq}`);
      owned.#head = { seq, hash };
    }
    return owned;
  }

  head(): LogHead {
    return this.#head;
  }

  isHeld(): boolean {
    if (this.#isLost || this.#isClosed || !this.#engine.isConnected()) return false;
    const { atMs, wallMs } = nowOf(this.#options);
    const forMs = SHARED_LOG.leaseMs * SHARED_LOG.heldPart;
    return atMs - this.#proven.atMs < forMs && Math.abs(wallMs - this.#proven.wallMs) < forMs;
  }

  async append({ seq, hash, bytes }: SharedFrame): Promise<void> {
    if (this.#isLost) throw new AppendError('fenced', OTHER_OWNER);
    const { compression: { deflated } = ON_THREAD } = this.#options;
    const frame = await deflated(bytes);
    const values = [this.#options.shard, this.epoch, seq, hash, frame];
    const rows = await this.#owning(APPEND, values).catch((cause: unknown) => {
      if (cause instanceof AppError && cause.retryable) return [];
      throw new AppendError('refused', textOf(cause), { cause });
    });
    if (rows.length === 0) await this.#decide({ seq, hash }, values);
    this.#head = { seq, hash };
  }

  /**
   * Finds out whether a frame was committed, and adds it again where it was not. A write that is
   * answered proves what came before it, where a read would show what a failover may take back.
   */
  async #decide({ seq, hash }: LogHead, values: readonly unknown[]): Promise<void> {
    this.#options.undecided?.();
    const asked = <T>(ask: () => Promise<T>): Promise<T> =>
      untilAnswered(ask, () => this.#isClosed, steadyOf(this.#options)).catch((cause: unknown) => {
        throw new AppendError('undecided', textOf(cause), { cause });
      });
    for (;;) {
      const head = await asked(() => this.#renew());
      if (head === 'fenced') throw new AppendError('fenced', OTHER_OWNER);
      if (head === seq && (await asked(() => this.hashOf(seq))) === hash) return;
      if (head !== seq - 1)
        throw new AppendError('undecided', `the log of the shard is at ${head}, not at ${seq - 1}`);
      const rows = await this.#owning(APPEND, values).catch(() => []);
      if (rows.length > 0) return;
    }
  }

  async announce(url: string): Promise<void> {
    const { shard } = this.#options;
    await untilAnswered(
      () => this.#owning(ANNOUNCE, [shard, this.epoch, url]),
      () => this.#isClosed || this.#isLost,
      steadyOf(this.#options),
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#renewing?.cancel();
    // Where that is not answered the next process waits for the lease to end.
    if (!this.#isLost)
      await this.#engine.ask(RELEASE, [this.#options.shard, this.epoch]).catch(() => undefined);
    await this.#engine.close();
  }

  /** Returns the head that the engine has; `fenced` where the shard has another owner. */
  async #renew(): Promise<number | 'fenced'> {
    const [row] = await this.#owning<{ readonly head: string }>(RENEW, [
      this.#options.shard,
      this.epoch,
    ]);
    if (row !== undefined) return Number(row.head);
    this.#loses();
    return 'fenced';
  }

  /**
   * Puts a statement that changes a row only for the shard's owner, and notes when one began that
   * did. Errors: `store_unavailable`, also where no standby has it.
   */
  async #owning<Row extends object>(
    text: string,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    const begun = nowOf(this.#options);
    const { rows, isDoubtful } = await this.#engine.ask<Row>(text, values);
    if (isDoubtful)
      throw new AppError('store_unavailable', 'no standby has confirmed it', { retryable: true });
    if (rows.length > 0) this.#proven = begun;
    return rows;
  }

  #renewLater(): void {
    this.#renewing = steadyOf(this.#options).after(SHARED_LOG.renewMs, () => {
      if (this.#isClosed || this.#isLost) return;
      const isIdle = nowOf(this.#options).atMs - this.#proven.atMs >= SHARED_LOG.renewMs / 2;
      const renewed = isIdle ? this.#renew().catch(() => undefined) : Promise.resolve();
      void renewed.then(() => this.#renewLater());
    });
  }

  #loses(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#options.fenced();
  }
}

/** How a shard was taken. */
interface Taken extends Pick<OwnedShard, 'epoch' | 'cause'> {
  readonly proven: Moment;
}

/** Monotonic and wall time, ms. */
interface Moment {
  readonly atMs: number;
  readonly wallMs: number;
}

function nowOf(options: Pick<ShardOptions, 'wallClock' | 'steadyClock'>): Moment {
  return { atMs: steadyOf(options).nowMs(), wallMs: options.wallClock.nowMs() };
}

function steadyOf({ steadyClock = STEADY_CLOCK }: Pick<ShardOptions, 'steadyClock'>): Clock {
  return steadyClock;
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
