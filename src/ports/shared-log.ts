import type { LogHead } from './commit-log.ts';

/** A frame as its owner wrote it, whole. */
export interface SharedFrame extends LogHead {
  readonly bytes: Uint8Array;
}

/** Reads of the log, whoever adds to it. Errors: `store_unavailable` (retryable). */
export interface SharedReads {
  /** Hash of a frame; null where the log has none of this number. */
  hashOf(seq: number): Promise<string | null>;
  /** Frames behind that of a number, oldest first. */
  read(afterSeq: number): AsyncIterable<SharedFrame>;
}

/**
 * The log of a shard that several machines keep. It decides what is committed: what a folder has of
 * it is a copy that begins alike.
 */
export interface SharedLog extends SharedReads {
  /** The newest frame, as of the take of the shard or of the last append. */
  head(): LogHead;
  /**
   * Adds a frame behind the head; resolves once it is committed, however long the engine takes.
   * One at a time. Errors: `AppendError`, `fenced` where the shard has another owner, `undecided`
   * where the log lost what it had acknowledged or is closed.
   */
  append(frame: SharedFrame): Promise<void>;
}
