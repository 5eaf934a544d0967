/** Bounds of snapshots of a shared log, each with its reason (cluster.md section 3, step 7). */
export const SHARD_SNAPSHOT = {
  /** One a day: a machine that begins anew reads a day of the log at most beside it. */
  everyMs: 24 * 3_600_000,
  /**
   * Or once a folder's log, made small, has grown by this: a gigabyte or two of the database, read
   * in a minute.
   */
  logBytes: 1 << 29,
  /**
   * A process that owns the shard makes one only where it is later than this part of a day: those
   * that wait come first, since they have nothing else to do.
   */
  ownerLatenessPart: 1.25,
  /** The same for the first one of a log, after the take: a standby makes it within a minute. */
  ownerFirstMs: 600_000,
  /** How often it is asked whether one is due: three small questions, seldom against a day. */
  askedMs: 5_000,
  /** By how much files of the log become smaller at least (src/adapters/lmdb/README.md). */
  smallerBy: 9,
  /** After a failure it is tried again after `askedMs`, then after twice that, up to this. */
  againMaximumMs: 3_600_000,
  /** How often a process writes what it is to its shard, for people who ask. */
  memberMs: 2_000,
  /** A process that has written nothing for so long is gone, or cut off. */
  memberSilentMs: 10_000,
  /** Processes of the last days are forgotten: their machines were given up. */
  memberKeptMs: 7 * 24 * 3_600_000,
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
  /** Times that a process which waits makes its folder anew before it gives up. */
  rebuildsMaximum: 3,
} as const;
