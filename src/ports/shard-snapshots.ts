import type { LogHead } from './commit-log.ts';

/** A snapshot of a shard's log: its newest frame, and what all of its parts are checked by. */
export interface SnapshotHead extends LogHead {
  readonly parts: number;
  /** SHA-256 over the digests of its parts, in their order; 64 hex digits. */
  readonly digest: string;
}

/** A piece of one of a snapshot's files. */
export interface SnapshotPart {
  /** Name within the folder of the store. */
  readonly file: string;
  readonly bytes: Uint8Array;
}

/** How a shard's log and its snapshots go together, by the engine's clock. */
export interface SnapshotState {
  /** Number of the newest frame. */
  readonly head: number;
  /** Number of the oldest frame that was not trimmed; null without one. */
  readonly first: number | null;
  /** Newest frame of the newest snapshot that was restored once; null without one. */
  readonly restoredSeq: number | null;
  /** How long ago it was restored, ms; null without one. */
  readonly restoredAgoMs: number | null;
}

/** Writes one snapshot; each statement is refused once another process has taken it. */
export interface SnapshotWriter {
  /** Adds the next part. Errors: `conflict` where another process writes it by now. */
  add(part: SnapshotPart): Promise<void>;
  /** Says that all parts are there. Errors: those of `add`. */
  finish(): Promise<SnapshotHead>;
}

/**
 * Snapshots of a shard's log, which count once they were restored. Errors of all calls:
 * `store_unavailable` (retryable).
 */
export interface ShardSnapshots {
  state(): Promise<SnapshotState>;
  /** Those that were restored once, newest first. */
  restored(): Promise<readonly SnapshotHead[]>;
  /** Begins the one that ends with a frame; null while another process makes one. */
  begin(frame: LogHead): Promise<SnapshotWriter | null>;
  /**
   * The parts of one, in order. Errors: `store_corrupt` naming the part that is missing or is not
   * what was written.
   */
  read(head: SnapshotHead): AsyncIterable<SnapshotPart>;
  /**
   * Notes that one was restored; false where the log does not have its frame, or it is gone. Only
   * then does it count.
   */
  markRestored(head: SnapshotHead): Promise<boolean>;
  /** Has one that could not be restored count no longer. */
  distrust(head: SnapshotHead): Promise<void>;
  /** Removes those before the newest SHARD_SNAPSHOT.kept that count, and those left unfinished. */
  prune(): Promise<void>;
  /**
   * Removes the oldest rows of the log that are before the older of the two newest snapshots that
   * count; gives how many. 0 where none is left, or another process owns the shard.
   */
  trim(epoch: number): Promise<number>;
}
