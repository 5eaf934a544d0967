/** Bounds of adopting what a restored store lacks, each with its reason. */
export const ADOPTION = {
  /**
   * How far before the newest fact of the log venues are read, market time: clocks differ, and what
   * is known already is left alone.
   */
  overlapMs: 600_000,
  /**
   * Readings of one user before what differs is named instead: five minutes, in which blocks become
   * final and trades settle.
   */
  readingsMaximum: 100,
  /** Between two readings of a user of whom something is not final yet, wall time. */
  readingPauseMs: 3_000,
  /** Users read from the store at a time. */
  usersPage: 500,
  /** Users whose differences are named in an answer and in the log; the others are counted. */
  namedMaximum: 50,
  /** The command asks how far it is this often. */
  askEveryMs: 2_000,
  /** An answer of the daemon to the command; it reads its own store alone. */
  answerTimeoutMs: 10_000,
} as const;
