/** Bounds of snapshots of a shared log, each with its reason (cluster.md section 3, step 7). */
export const SHARD_SNAPSHOT = {
  /** One a day: a machine that begins anew reads a day of the log at most beside it. */
  everyMs: 24 * 3_600_000,
  /** Or one for so much of the log: read and written again in a minute. */
  logBytes: 1 << 30,
  /**
   * A process that owns the shard makes one only where it is later than this part of a day: those
   * that wait come first, since they have nothing else to do.
   */
  ownerLatenessPart: 1.25,
  /** The same for the first one of a log, after the take: a standby makes it within a minute. */
  ownerFirstMs: 600_000,
  /** How often it is asked whether one is due: seldom against a day. */
  askedMs: 30_000,
  /** Size of a part: a statement that is carried out in milliseconds. */
  partBytes: 1 << 20,
  /** One whose writer has added nothing for so long was left: another process begins anew. */
  abandonedMs: 600_000,
  /** Snapshots that were restored and are kept: the second is for a damaged first. */
  kept: 2,
  /** Rows that one statement trims: it holds nothing up for longer than an append. */
  rowsPerTrim: 500,
  /** Statements of a round that trims: it goes on in the next one. */
  trimsPerRound: 200,
  /** Frames that a folder may have beyond the log before people decide: one is on its way. */
  framesTakenBackMaximum: 1,
  /** Times that a process which waits makes its folder anew before it gives up. */
  rebuildsMaximum: 3,
} as const;
