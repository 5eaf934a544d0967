import type { DomainEvent } from '../domain/events.ts';
import type { Key } from './store.ts';

/** The head of a log: its newest frame. Number 0 and 64 zeros before the first. */
export interface LogHead {
  readonly seq: number;
  /** SHA-256, 64 hex digits, over the frame and, through the frame before, over all frames. */
  readonly hash: string;
}

/** One record as a commit left it; version 0 when it was taken out. */
export type RecordChange = readonly [table: string, key: Key, version: number, value: unknown];

/** One commit on its way into the log: the frame behind the head that it names. */
export interface FrameDraft {
  /** Number of the frame, from 1 on without holes. */
  readonly seq: number;
  /** Hash of the frame before. */
  readonly previous: string;
  /** Number of its first fact: that of the next one where it has none. */
  readonly firstFact: number;
  /** The journal's link before `firstFact`. */
  readonly link: string;
  /** Its facts as the texts that are chained. */
  readonly facts: readonly string[];
  readonly records: readonly RecordChange[];
}

/** A commit as the log has it. */
export interface Frame extends Omit<FrameDraft, 'facts'>, LogHead {
  readonly facts: readonly DomainEvent[];
  /** What it takes in the log. */
  readonly bytes: number;
}

/**
 * What a failed append has left. `refused`: nothing, provably; the log goes on. `undecided`: it is
 * unknown whether the frame is in the log. `fenced`: the log has another owner by now. After the
 * last two its owner knows no longer what is committed, and ends.
 */
export type AppendFailure = 'refused' | 'undecided' | 'fenced';

/** Why a log did not take a frame. */
export class AppendError extends Error {
  readonly failure: AppendFailure;

  constructor(failure: AppendFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

/**
 * The append-only log of one store's commits: what it has is committed, and nothing else is. The
 * store beside it is a view that follows it.
 */
export interface CommitLog {
  /** The newest frame that is durable. */
  head(): LogHead;
  /**
   * Adds a frame, durable when this resolves, and gives the bytes it takes. One at a time. Errors:
   * `AppendError`, `refused` also for a frame that does not follow the head.
   */
  append(frame: FrameDraft): Promise<number>;
  /**
   * Durable frames behind that of a number, in order. Errors: `store_corrupt` where one of them is
   * missing or not what was written.
   */
  read(afterSeq: number): Iterable<Frame>;
}
