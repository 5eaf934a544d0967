import type { SchedulerLike, Subscription } from 'rxjs';
import { Observable } from 'rxjs';
import { BOOKS } from '../config/limits.ts';
import { areMirrored, haveSameLevels } from '../src/domain/book-trust.ts';
import type { BookDistrust } from '../src/domain/book.ts';
import { AppError } from '../src/domain/errors.ts';
import type { TokenId } from '../src/domain/ids.ts';
import type { BookChange, BookSnapshot, BookSource, BookWatch } from '../src/ports/venue.ts';
import type { BookKeeper } from './watched-book.ts';

/** Doubts that were found and what was done about them: for metrics and alerts. */
export type BookIncident = 'no_snapshot' | 'gap' | 'crossed' | 'tick_changed' | 'silent_stall' | 'mirror_broken' | 'snapshot_failed';

/** What one connection of a market's two books depends on. */
export interface BookGroupOptions {
  readonly source: BookSource;
  readonly scheduler: SchedulerLike;
  /** Up and Down. They outlive the connection. */
  readonly keepers: readonly [BookKeeper, BookKeeper];
  /** Books got by REST for the connection before this one: they bridge the time to its first snapshot. */
  readonly seeds: Map<TokenId, BookSnapshot>;
  readonly onIncident?: (incident: BookIncident, tokenId: TokenId) => void;
}

/**
 * Runs one connection of one market: gives what the source says, and watches over the trust in both books while it runs
 * (survival.md, "Market data"). Fails with a retryable error when only a new socket helps; `reconnect` sits outside.
 */
export function bookConnection(options: BookGroupOptions): Observable<BookChange> {
  return new Observable((subscriber) => {
    const { source, scheduler, keepers, seeds } = options;
    const watch = source.watch([keepers[0].tokenId, keepers[1].tokenId], {
      next: (change) => subscriber.next(change),
      error: (cause) => subscriber.error(cause),
    });
    for (const keeper of keepers) {
      const live = watch.book(keeper.tokenId);
      if (live !== null) keeper.attach(live);
      const seed = seeds.get(keeper.tokenId);
      if (seed !== undefined) watch.replace(seed);
    }
    seeds.clear();

    const guard = createGuard({ ...options, watch, fail: (message) => subscriber.error(new AppError('venue_unavailable', message, { retryable: true })) });
    let inspection: Subscription | null = null;
    const inspectAgain = (): void => {
      inspection = scheduler.schedule(() => {
        if (subscriber.closed) return;
        guard.inspect();
        inspectAgain();
      }, BOOKS.inspectEveryMs);
    };
    if (!subscriber.closed) inspectAgain();
    return () => {
      inspection?.unsubscribe();
      guard.stop();
      for (const keeper of keepers) keeper.detach();
      watch.stop();
    };
  });
}

interface GuardOptions extends BookGroupOptions {
  readonly watch: BookWatch;
  /** Ends the connection: only a new socket helps. */
  readonly fail: (message: string) => void;
}

interface Guard {
  inspect(): void;
  stop(): void;
}

/** What the guard remembers of one book. */
interface Suspicion {
  /** The fault seen at the last inspections, and since when. */
  fault: BookDistrust | null;
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

/** Looks at both books now and then, and repairs by REST what the frames alone do not. */
function createGuard(options: GuardOptions): Guard {
  const { source, scheduler, keepers, seeds, watch, fail, onIncident } = options;
  const startedAtMs = scheduler.now();
  const suspicions = new Map(keepers.map((keeper): [TokenId, Suspicion] => [keeper.tokenId, { fault: null, sinceMs: startedAtMs, isAsking: false, askAfterMs: 0, failures: 0, differences: 0, refusals: 0 }]));
  let isStopped = false;
  let mirrorBrokenSinceMs: number | null = null;

  /** How long a fault may last before REST is asked. */
  const patienceMs: Readonly<Record<NonNullable<NonNullable<BookKeeper['live']>['fault']>, number>> = {
    no_snapshot: BOOKS.snapshotWaitMs,
    tick_changed: BOOKS.snapshotWaitMs,
    gap: BOOKS.gapRefetchMs,
    crossed: BOOKS.crossedMaximumMs,
  };

  const ask = (keeper: BookKeeper, answered: (snapshot: BookSnapshot) => void): void => {
    const suspicion = suspicions.get(keeper.tokenId);
    if (suspicion === undefined || suspicion.isAsking || scheduler.now() < suspicion.askAfterMs) return;
    suspicion.isAsking = true;
    const later = (): void => {
      suspicion.failures += 1;
      suspicion.askAfterMs = scheduler.now() + Math.min(BOOKS.refetchFirstMs * 2 ** Math.min(suspicion.failures - 1, 20), BOOKS.refetchMaximumMs);
    };
    source.snapshot(keeper.tokenId).then(
      (snapshot) => {
        suspicion.isAsking = false;
        if (isStopped) return;
        if (snapshot === null) return later();
        suspicion.failures = 0;
        suspicion.askAfterMs = scheduler.now() + BOOKS.refetchFirstMs;
        answered(snapshot);
      },
      () => {
        suspicion.isAsking = false;
        if (isStopped) return;
        onIncident?.('snapshot_failed', keeper.tokenId);
        later();
      },
    );
  };

  const repair = (keeper: BookKeeper, fault: keyof typeof patienceMs): void => {
    ask(keeper, (snapshot) => {
      onIncident?.(fault, keeper.tokenId);
      const isTaken = watch.replace(snapshot);
      if (fault !== 'no_snapshot') {
        const suspicion = suspicions.get(keeper.tokenId);
        if (suspicion === undefined) return;
        suspicion.refusals = isTaken ? 0 : suspicion.refusals + 1;
        if (suspicion.refusals >= BOOKS.refusalsMaximum) fail('the market socket is ahead of a book it contradicts');
        return;
      }
      // The socket never said what it should: its books are carried over to a new one.
      if (isTaken) seeds.set(keeper.tokenId, snapshot);
      if (keepers.every(({ tokenId, live }) => seeds.has(tokenId) || live?.fault !== 'no_snapshot')) fail('no first book on the market socket');
    });
  };

  const compareWithRest = (keeper: BookKeeper): void => {
    const before = keeper.live?.view();
    const askedAtMs = scheduler.now();
    if (before === undefined) return;
    ask(keeper, (snapshot) => {
      const now = keeper.live?.view();
      const suspicion = suspicions.get(keeper.tokenId);
      if (now === undefined || suspicion === undefined) return;
      // A frame that came meanwhile is better word than REST.
      const hasMoved = now.receivedAtMs > before.receivedAtMs;
      const isSame = haveSameLevels(now, snapshot);
      const differs = !hasMoved && !isSame && snapshot.venueAtMs >= now.venueAtMs;
      suspicion.differences = differs ? suspicion.differences + 1 : 0;
      if (isSame && !hasMoved) {
        for (const confirmed of keepers) {
          // Both books are one set of orders: while they mirror each other, what confirms one confirms the other.
          if (confirmed === keeper || isMirror()) confirmed.confirm(askedAtMs);
        }
      }
      // The frame of a change may travel while REST already shows it: the second look without one is proof.
      if (suspicion.differences < 2) return;
      onIncident?.('silent_stall', keeper.tokenId);
      seeds.set(keeper.tokenId, snapshot);
      watch.replace(snapshot);
      fail('the market socket is silent while the market moves');
    });
  };

  const isMirror = (): boolean => {
    const [up, down] = [keepers[0].live, keepers[1].live];
    return up !== null && down !== null && areMirrored(up, down);
  };

  const inspectMirror = (nowMs: number): void => {
    const isJudgeable = keepers.every(({ live }) => live !== null && live.fault === null);
    if (!isJudgeable || isMirror()) {
      mirrorBrokenSinceMs = null;
      for (const keeper of keepers) keeper.setMirrorBroken(false);
      return;
    }
    mirrorBrokenSinceMs ??= nowMs;
    if (nowMs - mirrorBrokenSinceMs < BOOKS.mirrorMaximumMs) return;
    for (const keeper of keepers) {
      keeper.setMirrorBroken(true);
      ask(keeper, (snapshot) => {
        onIncident?.('mirror_broken', keeper.tokenId);
        watch.replace(snapshot);
      });
    }
  };

  const inspectBook = (keeper: BookKeeper, sibling: BookKeeper, nowMs: number): void => {
    const suspicion = suspicions.get(keeper.tokenId);
    const fault = keeper.live?.fault ?? null;
    if (suspicion === undefined) return;
    if (suspicion.fault !== fault) {
      suspicion.fault = fault;
      suspicion.sinceMs = nowMs;
    }
    if (fault !== null) {
      const sinceMs = fault === 'no_snapshot' ? startedAtMs : suspicion.sinceMs;
      if (nowMs - sinceMs >= patienceMs[fault]) repair(keeper, fault);
      return;
    }
    // One question suffices for a quiet market: that of the first book. A book silent beside a busy sibling is asked about itself.
    const isQuiet = nowMs - keeper.heardAtMs() >= BOOKS.quietCheckMs;
    const isSiblingBusy = sibling.heardAtMs() - keeper.heardAtMs() >= BOOKS.quietCheckMs;
    if (isQuiet && (keeper === keepers[0] || isSiblingBusy || !isMirror())) compareWithRest(keeper);
  };

  return {
    inspect() {
      const nowMs = scheduler.now();
      inspectBook(keepers[0], keepers[1], nowMs);
      inspectBook(keepers[1], keepers[0], nowMs);
      inspectMirror(nowMs);
    },
    stop() {
      isStopped = true;
    },
  };
}
