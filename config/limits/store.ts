/** Bounds of the store on disk, each with its reason. */

/** The store on disk. */
export const STORE = {
  /** Address space, not disk: LMDB maps the file once and never has to move it. */
  mapBytes: 64 * 2 ** 30,
  /**
   * Databases of one LMDB file: some 120 tables, of which paper trading may have each a second
   * time, and four of the store's own, twice over. Beyond it LMDB takes nothing in any more; room
   * costs some kilobytes.
   */
  tablesMaximum: 512,
  /** Changes in one commit: a few milliseconds of the event loop. */
  changesPerCommit: 64,
  /**
   * Who waits for a commit goes on when notified, for up to a millisecond: so many are notified,
   * and for so long, in one turn of the event loop.
   */
  telling: { stepsMaximum: 16, workMs: 2 },
  /**
   * Changes are taken into one commit for this long: one takes from 10 microseconds to, with a
   * signature, half a millisecond of the event loop.
   */
  commitHoldMs: 2,
  /**
   * Commits of at most this many bytes, a few orders, may be written without leaving the thread:
   * more keep the disk longer.
   */
  writtenHereBytes: 16_384,
  /**
   * A disk that takes longer, ms, is waited for beside the event loop. On a quick one the way to
   * another thread and back is a third of a write.
   */
  quickWriteMs: 0.6,
  /**
   * Quick writes, less eight for each slow one, before the thread itself waits for the disk: nine
   * of ten have to be quick.
   */
  quickWritesWanted: 16,
  /**
   * Most that quick writes are credited with: two slow ones in close order, and the next ones go
   * aside.
   */
  quickWritesKept: 31,
  /**
   * Size of a file of the log, bytes, and what LMDB is let fall behind it: what a start reads again
   * at most is twice this, well under a second.
   */
  logFileBytes: 4 * 2 ** 20,
  /**
   * A commit of up to a third of this is made in memory that is kept for it: as many orders as are
   * taken into one. A larger one is written in such parts, and waits for the disk at each.
   */
  frameBytes: 2 ** 20,
  /**
   * A file of the log grows to so many times its size where LMDB does not catch up or there is no
   * room for the next one, then commits are refused.
   */
  logGrowthMaximum: 8,
  /**
   * How hard files of the log that are full are made small, of 9: they stay for good, and harder
   * costs more of the processor than it saves of the disk.
   */
  packLevel: 1,
  /**
   * Where catching up has failed it is tried again after this, also without a write: a disk that
   * was full is looked at before long, and a broken one is not worn.
   */
  catchUpAgainMs: 5_000,
  /**
   * Bytes of the log that the thread takes in at once while commits go on: a longer wait of LMDB
   * for the disk would hold them up.
   */
  bytesPerDrain: 2 ** 20,
  /**
   * Heap of the thread on which LMDB catches up, in megabytes: a commit of ten thousand records
   * needs some sixty. With bounds it keeps half the memory that it does without.
   */
  catchUpHeapMegabytes: 512,
  /** Of that for what is young: what the thread reads lives for a megabyte of the log. */
  catchUpYoungMegabytes: 4,
  /**
   * Records of LMDB kept as they were read, missing ones too: those of some hundred users who
   * trade, some ten megabytes.
   */
  recalledMaximum: 8_192,
  /** Ranges of LMDB kept as they were read: the open orders of users who trade. */
  rangesRecalledMaximum: 8_192,
  /** Records a range may have to be kept: few users have more orders open. */
  rangeRecalledRecords: 16,
  /**
   * Changes that may wait for a commit: a second's worth at full speed, then callers are asked to
   * come back.
   */
  waitingChangesMaximum: 50_000,
} as const;

/** The sandbox's own time. */
export const SANDBOX_TIME = {
  /**
   * Runs whose clocks are remembered, 60 bytes each: what was stored in one before them is shown as
   * if it had been in the oldest.
   */
  runsKept: 1_000,
} as const;
