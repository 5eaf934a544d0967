import type { SchedulerLike } from 'rxjs';
import { BOOKS } from '../config/limits/market-data.ts';
import { areMirrored, haveSameLevels } from '../src/domain/book-trust.ts';
import type { TokenId } from '../src/domain/ids.ts';
import type { BookSnapshot, BookSource, BookWatch, LiveBook } from '../src/ports/venue-books.ts';
import type { BookKeeper } from './watched-book.ts';

/** Doubts that were found and what was done about them: for metrics and alerts. */
export type BookIncident =
  | 'no_snapshot'
  | 'gap'
  | 'crossed'
  | 'tick_changed'
  | 'silent_stall'
  | 'mirror_broken'
  | 'snapshot_failed';

/** A book got by REST and when, epoch ms. */
export interface BookSeed {
  readonly snapshot: BookSnapshot;
  readonly atMs: number;
}

export interface BookGuardOptions {
  readonly source: BookSource;
  readonly scheduler: SchedulerLike;
  /**
   * How many ms of the scheduler's clock pass in one of the wall's: frames, first books and repairs
   * come over the wire, in wall time.
   */
  readonly speed: number;
  readonly books: readonly [GuardedBook, GuardedBook];
  /** True where the two are no mirror of each other, and come together. */
  readonly areSeparate: boolean;
  /** Books got by REST, to be carried over to the next connection. */
  readonly seeds: Map<TokenId, BookSeed>;
  readonly watch: BookWatch;
  /** Ends the connection: only a new socket helps. */
  readonly fail: (message: string) => void;
  readonly onIncident: (incident: BookIncident, tokenId: TokenId) => void;
  /** REST says that the venue has no such book. */
  readonly onMissing: () => void;
}

/** A book as readers hold it, and as the connection under guard has it. */
export interface GuardedBook {
  readonly keeper: BookKeeper;
  readonly live: LiveBook;
}

type Fault = NonNullable<LiveBook['fault']>;

/** How long a fault may last before REST is asked, ms of wall time. */
const PATIENCE_MS: Readonly<Record<Fault, number>> = {
  no_snapshot: BOOKS.snapshotWaitMs,
  tick_changed: BOOKS.snapshotWaitMs,
  gap: BOOKS.gapRefetchMs,
  crossed: BOOKS.crossedMaximumMs,
};

/** What the guard remembers of one book. */
interface Suspicion extends GuardedBook {
  /** The fault seen at the last inspections, and since when. */
  fault: Fault | null;
  sinceMs: number;
  /** A REST question is under way. */
  isAsking: boolean;
  /** Not before this may REST be asked again. */
  askAfterMs: number;
  failures: number;
  /** How often in a row REST showed another book than ours without a frame in between. */
  differences: number;
  /** How often in a row REST was older than the frames it should have corrected. */
  refusals: number;
}

/**
 * Looks at both books of a connection now and then, and repairs by REST what the frames alone do
 * not; calls for a new socket where REST shows that this one is of no use (survival.md, "Market
 * data").
 */
export class BookGuard {
  readonly #options: BookGuardOptions;
  readonly #startedAtMs: number;
  readonly #suspicions: readonly [Suspicion, Suspicion];
  #mirrorBrokenSinceMs: number | null = null;
  #isStopped = false;

  constructor(options: BookGuardOptions) {
    this.#options = options;
    this.#startedAtMs = options.scheduler.now();
    const suspect = (book: GuardedBook): Suspicion => ({
      ...book,
      fault: null,
      sinceMs: this.#startedAtMs,
      isAsking: false,
      askAfterMs: 0,
      failures: 0,
      differences: 0,
      refusals: 0,
    });
    this.#suspicions = [suspect(options.books[0]), suspect(options.books[1])];
  }

  /** Judges both books as they are now. */
  inspect(): void {
    const [up, down] = this.#suspicions;
    this.#inspectBook(up, down);
    this.#inspectBook(down, up);
    this.#inspectMirror();
  }

  /** Answers that come later are ignored. */
  stop(): void {
    this.#isStopped = true;
  }

  #inspectBook(suspicion: Suspicion, sibling: Suspicion): void {
    const nowMs = this.#options.scheduler.now();
    const {
      keeper,
      live: { fault },
    } = suspicion;
    if (suspicion.fault !== fault) {
      suspicion.fault = fault;
      suspicion.sinceMs = fault === 'no_snapshot' ? this.#startedAtMs : nowMs;
    }
    if (fault !== null) {
      const lastedMs = nowMs - suspicion.sinceMs;
      const { speed } = this.#options;
      if (fault === 'no_snapshot' && lastedMs >= BOOKS.snapshotGiveUpMs * speed)
        this.#options.fail('no first book on the market socket, nor by REST');
      else if (lastedMs >= PATIENCE_MS[fault] * speed) this.#repair(suspicion, fault);
      return;
    }
    // One question suffices for a quiet market: that of the first book. A book silent beside a busy
    // sibling is asked about itself.
    const quietMs = BOOKS.quietCheckMs * this.#options.speed;
    const isQuiet = nowMs - keeper.heardAtMs() >= quietMs;
    const isSiblingBusy = sibling.keeper.heardAtMs() - keeper.heardAtMs() >= quietMs;
    if (isQuiet && (suspicion === this.#suspicions[0] || isSiblingBusy || !this.#areMirrored()))
      this.#compareWithRest(suspicion);
  }

  #inspectMirror(): void {
    const nowMs = this.#options.scheduler.now();
    const isJudgeable = this.#suspicions.every(({ live }) => live.fault === null);
    if (!isJudgeable || this.#areMirrored()) {
      this.#mirrorBrokenSinceMs = null;
      for (const { keeper } of this.#suspicions) keeper.setMirrorBroken(false);
      return;
    }
    this.#mirrorBrokenSinceMs ??= nowMs;
    if (nowMs - this.#mirrorBrokenSinceMs < BOOKS.mirrorMaximumMs * this.#options.speed) return;
    for (const suspicion of this.#suspicions) {
      suspicion.keeper.setMirrorBroken(true);
      this.#ask(suspicion, (snapshot) => {
        this.#tell('mirror_broken', suspicion);
        this.#options.watch.replace(snapshot);
      });
    }
  }

  #repair(suspicion: Suspicion, fault: Fault): void {
    this.#ask(suspicion, (snapshot) => {
      this.#tell(fault, suspicion);
      const isTaken = this.#options.watch.replace(snapshot);
      if (fault === 'no_snapshot') {
        if (isTaken) this.#carryOver(snapshot);
        return;
      }
      suspicion.refusals = isTaken ? 0 : suspicion.refusals + 1;
      if (suspicion.refusals >= BOOKS.refusalsMaximum)
        this.#options.fail('the market socket is ahead of a book it contradicts');
    });
  }

  /**
   * The socket never said what it should: its books are carried over to a new one, once both are
   * there.
   */
  #carryOver(snapshot: BookSnapshot): void {
    const { seeds, fail, scheduler } = this.#options;
    seeds.set(snapshot.tokenId, { snapshot, atMs: scheduler.now() });
    const isComplete = this.#suspicions.every(
      ({ live: { tokenId, fault } }) => seeds.has(tokenId) || fault !== 'no_snapshot',
    );
    if (isComplete) fail('no first book on the market socket');
  }

  #compareWithRest(suspicion: Suspicion): void {
    const { keeper, live } = suspicion;
    const { receivedAtMs } = live;
    const askedAtMs = this.#options.scheduler.now();
    this.#ask(suspicion, (snapshot) => {
      // A frame that came meanwhile is better word than REST.
      if (live.receivedAtMs > receivedAtMs) {
        suspicion.differences = 0;
        return;
      }
      if (haveSameLevels(live.view(), snapshot)) {
        suspicion.differences = 0;
        this.#confirm(keeper, askedAtMs);
        return;
      }
      suspicion.differences = snapshot.venueAtMs >= live.venueAtMs ? suspicion.differences + 1 : 0;
      // The frame of a change may travel while REST already shows it: the second check without one
      // is proof.
      if (suspicion.differences >= 2) this.#giveUpSilent(suspicion, snapshot);
    });
  }

  /**
   * Both books are one set of orders: while they mirror each other, what confirms one confirms the
   * other.
   */
  #confirm(keeper: BookKeeper, atMs: number): void {
    for (const { keeper: other } of this.#suspicions)
      if (other === keeper || this.#areMirrored()) other.confirm(atMs);
  }

  #giveUpSilent(suspicion: Suspicion, snapshot: BookSnapshot): void {
    const { seeds, watch, fail, scheduler } = this.#options;
    this.#tell('silent_stall', suspicion);
    seeds.set(snapshot.tokenId, { snapshot, atMs: scheduler.now() });
    watch.replace(snapshot);
    fail('the market socket is silent while the market moves');
  }

  /** Asks REST for a book, one question at a time, ever more rarely while there is no answer. */
  #ask(suspicion: Suspicion, answered: (snapshot: BookSnapshot) => void): void {
    const { source, scheduler } = this.#options;
    if (this.#isStopped || suspicion.isAsking || scheduler.now() < suspicion.askAfterMs) return;
    suspicion.isAsking = true;
    source.snapshot(suspicion.keeper.tokenId).then(
      (snapshot) => {
        suspicion.isAsking = false;
        if (this.#isStopped) return;
        if (snapshot === null) {
          this.#askLater(suspicion);
          return this.#options.onMissing();
        }
        suspicion.failures = 0;
        suspicion.askAfterMs = scheduler.now() + BOOKS.refetchFirstMs;
        answered(snapshot);
      },
      () => {
        suspicion.isAsking = false;
        if (this.#isStopped) return;
        this.#tell('snapshot_failed', suspicion);
        this.#askLater(suspicion);
      },
    );
  }

  #askLater(suspicion: Suspicion): void {
    suspicion.failures += 1;
    const waitMs = Math.min(
      BOOKS.refetchFirstMs * 2 ** Math.min(suspicion.failures - 1, 20),
      BOOKS.refetchMaximumMs,
    );
    suspicion.askAfterMs = this.#options.scheduler.now() + waitMs;
  }

  #areMirrored(): boolean {
    const [up, down] = this.#suspicions;
    return this.#options.areSeparate || areMirrored(up.live, down.live);
  }

  #tell(incident: BookIncident, { keeper }: Suspicion): void {
    this.#options.onIncident(incident, keeper.tokenId);
  }
}
