import { SHARED_LOG } from '../../../config/limits/shared-log.ts';
import type { Engine } from '../../../src/adapters/postgres/engine.ts';
import { AppError, assert } from '../../../src/domain/errors.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { SharedFrame } from '../../../src/ports/shared-log.ts';
import type { MortalClock } from '../mortal-clock.ts';

/** A frame as the database has it, and whose it was. */
export interface KeptFrame extends SharedFrame {
  readonly epoch: number;
}

/** One take of the shard. */
export interface Take {
  readonly epoch: number;
  readonly session: string;
  /** Number of the newest frame at that moment. */
  readonly head: number;
  readonly atMs: number;
}

/**
 * The database that keeps the log, on the world's clock: the statements of a shard, each at one
 * moment, and connections that can be cut, dropped and left without an answer.
 */
export interface LogDatabase {
  readonly frames: readonly KeptFrame[];
  readonly takes: readonly Take[];
  /** Session of the process that owns the shard; empty where it was let go. */
  owner(): string;
  /** Opens the connection of a process, which is heard of on its own clock. */
  connect(process: MortalClock, session: string): LogConnection;
  /** Answers no statement and resets all connections, until it is to answer again. */
  setDown(isDown: boolean): void;
  /**
   * Answers one of the next appends with the warning that no standby has it; where it is not kept,
   * it was never added.
   */
  doubt(isKept: boolean): void;
}

/** The way of one process to the database. */
export interface LogConnection extends Engine {
  /** Lets nothing through either way. What has left meanwhile arrives once it is mended. */
  cut(): void;
  mend(): void;
  /** The process is gone, and its system has closed the connection. */
  drop(): void;
  /** The machine is gone: the database finds out by itself. */
  fallSilent(): void;
  /** Calls back once, when the n-th append from now was carried out, before its answer leaves. */
  afterAppend(appends: number, run: () => void): void;
}

/** How the database works otherwise, so that it is found out. */
export interface PlantedDatabase {
  /** Adds a frame whoever owns the shard, behind whatever is there. */
  readonly isEpochIgnored?: boolean;
}

/** One direction, ms. */
const LATENCY_MS = 1;
/**
 * A connection whose other end is silent is dropped after this long: `tcp_keepalives_*` of
 * cluster.md section 6.
 */
const DROPPED_AFTER_MS = 5_000;

/** The shard's row. */
interface Row {
  epoch: number;
  beat: number;
  owner: string;
  session: string;
  head: number;
}

type Values = readonly unknown[];
type Answer = { readonly rows: readonly object[]; readonly isDoubtful: boolean };

/** Creates an empty database. */
export function createLogDatabase(
  world: Clock,
  { isEpochIgnored = false }: PlantedDatabase = {},
): LogDatabase {
  const row: Row = { epoch: 0, beat: 0, owner: '', session: '', head: 0 };
  const frames: KeptFrame[] = [];
  const takes: Take[] = [];
  /** Backends by session. */
  const backends = new Map<string, number>();
  const doubts: boolean[] = [];
  const resets = new Set<() => void>();
  let isDown = false;

  /** Statements of `src/adapters/postgres/shard.ts`, by how they begin. */
  const STATEMENTS: Readonly<Record<string, (values: Values) => readonly object[]>> = {
    'do $$ begin': () => [],
    'insert into shard select': () => [],
    'select epoch, beat': () => [
      {
        epoch: String(row.epoch),
        beat: String(row.beat),
        owner: row.owner,
        connected: (backends.get(row.session) ?? 0) > 0,
      },
    ],
    'update shard set epoch = epoch + 1': ([, owner, epoch, beat, session]) => {
      if (Number(epoch) !== row.epoch || Number(beat) !== row.beat) return [];
      row.epoch += 1;
      row.beat += 1;
      row.owner = String(owner);
      row.session = String(session);
      takes.push({
        epoch: row.epoch,
        session: row.session,
        head: row.head,
        atMs: world.nowMs(),
      });
      return [{ epoch: String(row.epoch), head: String(row.head) }];
    },
    'update shard set beat = beat + 1': ([, epoch]) => {
      if (Number(epoch) !== row.epoch && !isEpochIgnored) return [];
      row.beat += 1;
      return [{ head: String(row.head) }];
    },
    "update shard set owner = ''": ([, epoch]) => {
      if (Number(epoch) !== row.epoch) return [];
      row.owner = '';
      row.beat += 1;
      return [];
    },
    'with own as': ([, epoch, seq, hash, bytes]) => {
      const isOwn = Number(epoch) === row.epoch && row.head === Number(seq) - 1;
      if (!isOwn && !isEpochIgnored) return [];
      row.head += 1;
      row.beat += 1;
      assert(bytes instanceof Uint8Array, 'a frame is bytes');
      frames.push({ seq: row.head, epoch: Number(epoch), hash: String(hash), bytes });
      return [{ seq: String(row.head) }];
    },
    'select hash from shard_log': ([, seq]) => {
      const frame = frames[Number(seq) - 1];
      return frame === undefined ? [] : [{ hash: frame.hash }];
    },
    'select seq, hash, frame': ([, after, limit]) =>
      frames
        .slice(Number(after), Number(after) + Number(limit))
        .map(({ seq, hash, bytes }) => ({ seq: String(seq), hash, frame: bytes })),
  };

  function carryOut(text: string, values: Values): Answer {
    const known = Object.entries(STATEMENTS).find(([begin]) => text.startsWith(begin));
    assert(known !== undefined, `a statement of a shard, not: ${text}`);
    const [begin, run] = known;
    const isKept = begin === 'with own as' ? doubts.shift() : undefined;
    if (isKept === false) return { rows: [{ seq: String(values[2]) }], isDoubtful: true };
    return { rows: run(values), isDoubtful: isKept === true };
  }

  function count(session: string, change: number): void {
    backends.set(session, (backends.get(session) ?? 0) + change);
  }

  return {
    frames,
    takes,
    owner: () => (row.owner === '' ? '' : row.session),
    setDown(down) {
      isDown = down;
      if (down) for (const reset of resets) reset();
    },
    doubt: (isKept) => void doubts.push(isKept),
    connect: (process, session) =>
      new Connection(process, session, { world, isDown: () => isDown, carryOut, count, resets }),
  };
}

/** What a connection asks of its database. */
interface Reached {
  readonly world: Clock;
  readonly isDown: () => boolean;
  readonly carryOut: (text: string, values: Values) => Answer;
  /** Backends of a session that came or went. */
  readonly count: (session: string, change: number) => void;
  /** Called where the database resets its connections. */
  readonly resets: Set<() => void>;
}

/** A backend of the database, and what its connection holds back while it is cut. */
interface Backend {
  /** False once the database has dropped it. */
  isThere: boolean;
  /** False once the process knows that it is gone. */
  isKnown: boolean;
}

class Connection implements LogConnection {
  readonly session: string;
  readonly #process: MortalClock;
  readonly #there: Reached;
  #backend: Backend | null = null;
  /** Those that the database has not dropped. */
  readonly #left = new Set<Backend>();
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #isCut = false;
  /** What is to arrive once the way is mended, in order. */
  #heldBack: (() => void)[] = [];
  #trap: { appends: number; readonly run: () => void } | null = null;

  constructor(process: MortalClock, session: string, there: Reached) {
    this.#process = process;
    this.session = session;
    this.#there = there;
  }

  isConnected(): boolean {
    return this.#backend?.isKnown === true;
  }

  ask: Engine['ask'] = (text, values = []) => {
    if (this.#waiting >= SHARED_LOG.statementsWaitingMaximum)
      return Promise.reject(unreachable('too many statements wait for it'));
    this.#waiting += 1;
    // The statement decides what its rows are.
    const asked = this.#turn.then(() => this.#put(text, values)) as Promise<never>;
    this.#turn = asked.catch(() => undefined).finally(() => (this.#waiting -= 1));
    return asked;
  };

  async close(): Promise<void> {
    await this.#turn;
    this.drop();
  }

  cut(): void {
    this.#isCut = true;
    const backend = this.#backend;
    if (backend === null) return;
    this.#there.world.after(DROPPED_AFTER_MS, () => {
      if (this.#isCut) this.#leave(backend);
    });
  }

  mend(): void {
    this.#isCut = false;
    const heldBack = this.#heldBack;
    this.#heldBack = [];
    for (const arrive of heldBack) arrive();
  }

  drop(): void {
    const backend = this.#backend;
    this.#backend = null;
    if (backend === null) return;
    this.#carry(() => this.#leave(backend));
  }

  fallSilent(): void {
    this.cut();
    this.#backend = null;
  }

  afterAppend(appends: number, run: () => void): void {
    this.#trap = { appends, run };
  }

  /** The database has no such backend any more: what is on its way to it is lost. */
  #leave(backend: Backend): void {
    if (!backend.isThere) return;
    backend.isThere = false;
    this.#left.delete(backend);
    this.#there.count(this.session, -1);
  }

  /** Brings something to the other end, or holds it back while the way is cut. */
  #carry(arrive: () => void): void {
    this.#there.world.after(LATENCY_MS, () => {
      if (this.#isCut) this.#heldBack.push(arrive);
      else arrive();
    });
  }

  async #put(text: string, values: Values): Promise<Answer> {
    const backend = (this.#backend ??= await this.#connect());
    const answer = await new Promise<Answer | null>((resolve) => {
      const timeout = this.#process.after(SHARED_LOG.statementTimeoutMs, () => resolve(null));
      const hear = (heard: Answer | null): void =>
        void this.#process.after(0, () => {
          timeout.cancel();
          resolve(heard);
        });
      const reset = (): void => {
        this.#there.resets.delete(reset);
        hear(null);
      };
      this.#there.resets.add(reset);
      this.#carry(() => {
        if (!backend.isThere || this.#there.isDown()) return hear(null);
        const carriedOut = this.#there.carryOut(text, values);
        if (text.startsWith('with own as')) this.#spring();
        this.#carry(() => {
          this.#there.resets.delete(reset);
          hear(carriedOut);
        });
      });
    });
    if (answer !== null) return answer;
    // A backend that is left behind would wait on the row for as long as its commit does.
    if (this.#backend === backend) {
      backend.isKnown = false;
      this.drop();
    }
    throw unreachable('no answer');
  }

  #spring(): void {
    const trap = this.#trap;
    if (trap === null) return;
    trap.appends -= 1;
    if (trap.appends > 0) return;
    this.#trap = null;
    trap.run();
  }

  /** Whoever reconnects ends what it left behind there. */
  async #connect(): Promise<Backend> {
    const isReached = await new Promise<boolean>((resolve) => {
      const timeout = this.#process.after(SHARED_LOG.connectTimeoutMs, () => resolve(false));
      this.#there.world.after(2 * LATENCY_MS, () => {
        if (this.#isCut || this.#there.isDown()) return;
        this.#process.after(0, () => {
          timeout.cancel();
          resolve(true);
        });
      });
    });
    if (!isReached) throw unreachable('no node takes writes');
    this.#heldBack = [];
    for (const abandoned of this.#left) this.#leave(abandoned);
    const backend: Backend = { isThere: true, isKnown: true };
    this.#left.add(backend);
    this.#there.count(this.session, 1);
    const reset = (): void => {
      this.#there.resets.delete(reset);
      this.#leave(backend);
      this.#process.after(0, () => (backend.isKnown = false));
    };
    this.#there.resets.add(reset);
    return backend;
  }
}

function unreachable(why: string): AppError {
  return new AppError('store_unavailable', `the log of the shard is not reached: ${why}`, {
    retryable: true,
  });
}
