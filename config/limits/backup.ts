/** Bounds of copies of the data folder, each with its reason. */
export const BACKUP = {
  /** A copy that follows the log looks for what it grew by this often: what is lost at most. */
  followIntervalMs: 1_000,
  /**
   * Failures in a row before a copy that follows gives up: a minute in which a disk is plugged in
   * again, or room is made.
   */
  failuresMaximum: 60,
  /**
   * Files that vanish while they are listed and copied, each because it was made small, before the
   * copy gives up: a busy log fills one in two minutes.
   */
  listingsMaximum: 10,
  /** Records a restore changes in one commit: a second of work, and a transaction that is small. */
  restoredPerCommit: 1_000,
  /** The daemon reads what was reported of copies and checks this often: alerts wait for hours. */
  reportReadMs: 10_000,
} as const;
