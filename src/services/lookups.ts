import { AppError } from '../domain/errors.ts';
import type { UserId } from '../domain/ids.ts';
import type { Clock, Timer } from '../ports/clock.ts';
import { createRateLimits } from './rate-limits.ts';
import { createSharedQuestions } from './shared-questions.ts';

/** Bounds of lookups; see config/limits/lookups.ts. */
export interface LookupBounds {
  readonly runningMaximum: number;
  readonly runningPerUserMaximum: number;
  readonly waitingMaximum: number;
  readonly waitingPerUserMaximum: number;
  readonly waitMaximumMs: number;
  readonly keptMs: number;
  readonly absentKeptMs: number;
  readonly failedKeptMs: number;
  readonly keptMaximum: number;
}

/** One lookup of a user. */
interface Lookup {
  readonly userId: UserId;
  /** Says which question it is, to all who ask it. */
  readonly name: string;
  /** Absent: the bound's `waitMaximumMs`. */
  readonly waitMaximumMs?: number;
  /** How long the answer is good; absent: the bound's `keptMs`. */
  readonly keptMs?: number;
}

/**
 * Asks a venue what users name. Names can be made up without end, so each user has few at a time,
 * and users take turns.
 */
export interface Lookups {
  /**
   * Asks, or gives the answer that another caller got lately or is getting. Errors: `rate_limited`
   * (retryable) where the user's own lookups are too many, `overloaded` (retryable) where those of
   * all are, and those of `ask`.
   */
  ask<T>(lookup: Lookup, ask: () => Promise<T>): Promise<T>;
}

interface Waiting {
  readonly start: () => void;
  readonly timer: Timer;
}

/**
 * Makes the lookups: running ones bounded for all and for each user, users served in turn, answers
 * and failures kept for a while.
 */
export function createLookups(clock: Clock, bounds: LookupBounds): Lookups {
  const shared = createSharedQuestions({ clock, ...bounds });
  const rates = createRateLimits(clock);
  /** Those who wait, by user; the user served longest ago comes first. */
  const queues = new Map<UserId, Set<Waiting>>();
  const runningOf = new Map<UserId, number>();
  let running = 0;
  let waiting = 0;

  const isFree = (userId: UserId): boolean =>
    running < bounds.runningMaximum && (runningOf.get(userId) ?? 0) < bounds.runningPerUserMaximum;

  function begin(userId: UserId): () => void {
    running += 1;
    runningOf.set(userId, (runningOf.get(userId) ?? 0) + 1);
    return () => {
      running -= 1;
      const left = (runningOf.get(userId) ?? 1) - 1;
      if (left === 0) runningOf.delete(userId);
      else runningOf.set(userId, left);
      serveNext();
    };
  }

  function serveNext(): void {
    if (running >= bounds.runningMaximum) return;
    for (const [userId, queue] of queues) {
      const [next] = queue;
      if (next === undefined || !isFree(userId)) continue;
      leave(userId, next);
      const left = queues.get(userId);
      if (left !== undefined) {
        queues.delete(userId);
        queues.set(userId, left);
      }
      next.start();
      return;
    }
  }

  function leave(userId: UserId, one: Waiting): void {
    const queue = queues.get(userId);
    if (queue?.delete(one) !== true) return;
    waiting -= 1;
    one.timer.cancel();
    if (queue.size === 0) queues.delete(userId);
  }

  /** Resolves when it is the user's turn, with what ends it. */
  async function turn(userId: UserId, waitMaximumMs: number): Promise<() => void> {
    const queue = queues.get(userId) ?? new Set<Waiting>();
    if (queue.size >= bounds.waitingPerUserMaximum)
      throw tooMany(`${queue.size} of your lookups wait for their turn`, waitMaximumMs);
    if (waiting >= bounds.waitingMaximum)
      throw new AppError('overloaded', `${waiting} lookups wait for their turn`, {
        retryable: true,
        retryAfterMs: waitMaximumMs,
      });
    return new Promise((resolve, reject) => {
      const one: Waiting = {
        start: () => resolve(begin(userId)),
        timer: clock.after(waitMaximumMs, () => {
          leave(userId, one);
          reject(tooLate(waitMaximumMs, runningOf.has(userId)));
        }),
      };
      queue.add(one);
      waiting += 1;
      queues.set(userId, queue);
    });
  }

  return {
    async ask({ userId, name, waitMaximumMs = bounds.waitMaximumMs, keptMs = bounds.keptMs }, ask) {
      const known = shared.recent<Awaited<ReturnType<typeof ask>>>(name);
      if (known !== null) return known;
      const { allowed, limit, retryAfterMs } = rates.spend('lookups', userId);
      if (!allowed)
        throw tooMany(`you may query ${limit} things a minute that are not cached`, retryAfterMs);
      const ended =
        !queues.has(userId) && isFree(userId) ? begin(userId) : await turn(userId, waitMaximumMs);
      try {
        // only what has begun is shared: no caller waits for another user's turn
        return await shared(name, ask, keptMs);
      } finally {
        ended();
      }
    },
  };
}

function tooMany(sentence: string, retryAfterMs: number): AppError {
  return new AppError('rate_limited', sentence, { retryable: true, retryAfterMs });
}

function tooLate(waitedMs: number, hasOwnRunning: boolean): AppError {
  return hasOwnRunning
    ? tooMany(`your own lookups are under way; retry in ${waitedMs / 1_000} s`, waitedMs)
    : new AppError('overloaded', `too many requests are queued; retry in ${waitedMs / 1_000} s`, {
        retryable: true,
        retryAfterMs: waitedMs,
      });
}
