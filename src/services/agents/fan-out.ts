import type { Clock, Timer } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';

/** Tells many members of one thing without holding the event loop. */
export interface FanOut<T> {
  /** Tells every member once. A push with the key of one still under way replaces it: the newest word counts. */
  push(key: string, members: readonly T[], tell: (member: T) => void): void;
  /** Members that have not been told yet. */
  pending(): number;
  stop(): void;
}

/** What a fan-out needs. */
export interface FanOutDeps {
  readonly clock: Clock;
  readonly random: Random;
  /** Members told before the event loop gets its turn. */
  readonly chunk: number;
  /** Bounds how many act at a time: while there is no room nobody further is told, and it is asked again after `pauseMs`. Absent: no bound. */
  readonly room?: { readonly isThere: () => boolean; readonly pauseMs: number };
  /** A member that throws does not stop the others. */
  readonly onError: (error: unknown) => void;
}

interface Job<T> {
  readonly members: readonly T[];
  readonly first: number;
  readonly tell: (member: T) => void;
  told: number;
}

/**
 * Makes a fan-out. It is bounded, at most one job a key, and no more told than there is room for; and fair: each job begins at a member drawn by chance, and jobs take
 * turns chunk by chunk, so neither the same users nor the largest group are always served first.
 */
export function createFanOut<T>({ clock, random, chunk, room, onError }: FanOutDeps): FanOut<T> {
  const jobs = new Map<string, Job<T>>();
  let timer: Timer | null = null;

  function run(): void {
    timer = null;
    if (room?.isThere() === false) return schedule(room.pauseMs);
    // Small jobs share a turn: thousands of one member each would else take as many.
    for (let left = chunk; left > 0 && jobs.size > 0; ) left -= tellNext(left);
    schedule(0);
  }

  /** Tells members of the job whose turn it is, no more than `most`, and says how many. */
  function tellNext(most: number): number {
    const next = jobs.entries().next();
    if (next.done === true) return most;
    const [key, job] = next.value;
    // To the back of the queue before anybody is told: a member's answer may push a newer job with this key.
    jobs.delete(key);
    const from = job.told;
    const until = Math.min(from + most, job.members.length);
    if (until < job.members.length) jobs.set(key, job);
    for (; job.told < until; job.told += 1) {
      const member = job.members[(job.first + job.told) % job.members.length];
      if (member !== undefined) tellSafely(job, member);
    }
    return until - from;
  }

  function tellSafely(job: Job<T>, member: T): void {
    try {
      job.tell(member);
    } catch (error) {
      onError(error);
    }
  }

  function schedule(delayMs: number): void {
    if (timer === null && jobs.size > 0) timer = clock.after(delayMs, run);
  }

  return {
    push(key, members, tell) {
      jobs.delete(key);
      if (members.length === 0) return;
      jobs.set(key, { members, first: random.integer(members.length), tell, told: 0 });
      schedule(0);
    },
    pending: () => [...jobs.values()].reduce((sum, job) => sum + job.members.length - job.told, 0),
    stop() {
      timer?.cancel();
      timer = null;
      jobs.clear();
    },
  };
}
