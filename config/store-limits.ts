/** Bounds of the store on disk, each with its reason. */

/** The store on disk. */
export const STORE = {
  /** Address space, not disk: LMDB maps the file once and never has to move it. */
  mapBytes: 64 * 2 ** 30,
  /** Named tables: about thirty are in use. */
  tablesMaximum: 128,
  /** Changes in one commit: whoever waits for them is told in one turn of the event loop, and goes on in it for some tenths of a millisecond. */
  changesPerCommit: 64,
  /** Changes are taken into one commit for this long: one takes from 10 microseconds to, with a signature, half a millisecond of the event loop. */
  commitHoldMs: 5,
  /** Size of a file of the redo log, bytes: what a start reads again at most is twice this, well under a second. */
  logFileBytes: 4 * 2 ** 20,
  /** Records that LMDB takes in one commit while it catches up with the log: about two milliseconds of the event loop. */
  recordsPerDrain: 128,
  /** Changes that may wait for a commit: a second's worth at full speed, then callers are told to come back. */
  waitingChangesMaximum: 50_000,
} as const;
