import type { Runtime } from '../../ports/runtime.ts';
import type { Timer } from '../../ports/clock.ts';

/** Tells many members of one thing without holding the event loop. */
export interface FanOut<T> {
  /**
   * Tells every member once. A push with the key of one still under way replaces it: the newest
   * word counts.
   */
  push(key: string, members: readonly T[], tell: (member: T) => void): void;
  /**
   * As `push`, to members who stand in line: whom the last call of this line did not reach comes
   * first in the next.
   */
  call(call: Call<T>): void;
  /** Members that have not been called yet. */
  pending(): number;
  stop(): void;
}

/** The state of a line. */
export interface Line<T> {
  /** The first whom the last call came too late for; null when it reached all. */
  next: T | null;
}

/** Something to tell to all who stand in a line, while it is worth hearing. */
interface Call<T> {
  readonly key: string;
  readonly line: Line<T>;
  readonly members: readonly T[];
  readonly tell: (member: T) => void;
  /**
   * True once no member need hear it any more: whoever is left comes first in the line's next call.
   */
  readonly isOver: () => boolean;
}

interface Job<T> {
  readonly members: readonly T[];
  readonly first: number;
  readonly tell: (member: T) => void;
  readonly line: Line<T> | null;
  readonly isOver: () => boolean;
  reported: number;
}

const NEVER = (): boolean => false;

/**
 * Makes a fan-out. It is bounded, at most one job a key, and no more called than there is room for;
 * and fair: each job begins at a member drawn by chance, and jobs take turns chunk by chunk, so
 * neither the same users nor the largest group are always served first. Where a call could not
 * reach all, the next begins with those it missed: no member waits longer than it takes to go once
 * through the line.
 */
export function createFanOut<T>({
  clock,
  random,
  chunk,
  room,
  onError,
}: Pick<Runtime, 'clock' | 'random'> & {
  /** Members called before the event loop gets its turn. */
  readonly chunk: number;
  /**
   * Bounds how many act at a time: while there is no room no further member is called, and it is
   * asked again after `pauseMs`. Absent: no bound.
   */
  readonly room?: { readonly isThere: () => boolean; readonly pauseMs: number };
  /** A member that throws does not stop the others. */
  readonly onError: (error: unknown) => void;
}): FanOut<T> {
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
    // To the back of the queue before any member is called: a member's answer may push a newer job
    // with this key.
    jobs.delete(key);
    if (job.isOver()) {
      cut(job);
      return 0;
    }
    const from = job.reported;
    const until = Math.min(from + most, job.members.length);
    if (until < job.members.length) jobs.set(key, job);
    for (; job.reported < until; job.reported += 1) {
      const member = job.members[(job.first + job.reported) % job.members.length];
      if (member !== undefined) tellSafely(job, member);
    }
    return until - from;
  }

  function add(
    key: string,
    members: readonly T[],
    { tell, line, isOver }: Pick<Job<T>, 'tell' | 'line' | 'isOver'>,
  ): void {
    const replaced = jobs.get(key);
    if (replaced !== undefined) cut(replaced);
    jobs.delete(key);
    if (members.length === 0) return;
    if (line !== null) endPast(line);
    const missed = line === null || line.next === null ? -1 : members.indexOf(line.next);
    if (line !== null) line.next = null;
    jobs.set(key, {
      members,
      first: missed >= 0 ? missed : random.integer(members.length),
      tell,
      line,
      isOver,
      reported: 0,
    });
    schedule(0);
  }

  /** What a line was called for before may be over, and those it missed come first now. */
  function endPast(line: Line<T>): void {
    for (const [key, job] of jobs) {
      if (job.line !== line || !job.isOver()) continue;
      jobs.delete(key);
      cut(job);
    }
  }

  /** Remembers who would have been called next. */
  function cut({ line, members, first, reported }: Job<T>): void {
    if (line !== null && reported < members.length)
      line.next = members[(first + reported) % members.length] ?? null;
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
    push: (key, members, tell) => add(key, members, { tell, line: null, isOver: NEVER }),
    call: ({ key, members, ...how }) => add(key, members, how),
    pending: () =>
      [...jobs.values()].reduce((sum, job) => sum + job.members.length - job.reported, 0),
    stop() {
      timer?.cancel();
      timer = null;
      jobs.clear();
    },
  };
}
