/** Bounds of the journal's hash chain and of the tree over it. */
export const JOURNAL = {
  /**
   * The head is noted beside the journal and in the log this often: what is cut off the journal's
   * end goes unseen for no longer.
   */
  anchorIntervalMs: 60_000,
  /**
   * Entries below one stored hash of the tree, and such hashes below one of the next level: a proof
   * reads and hashes at most so many of each level, some milliseconds with 10 million entries.
   */
  tileEntries: 256,
  /** Stored hashes made in one commit: 2,048 entries, three milliseconds of the event loop. */
  tilesPerCommit: 8,
  /**
   * Commits with which the tree catches up at one anchor: 131,072 entries a minute, twice the most
   * that 1,000 facts a second add. A journal of before there was a tree takes longer, a part each
   * minute.
   */
  treeCommitsPerAnchor: 64,
} as const;

/** Bounds of what is collected of one order. */
export const TRACE = {
  /**
   * Facts, and lines of the log, that are kept: an order has some tens, one that rests for days
   * hundreds.
   */
  linesMaximum: 2_000,
  /** Of what was given as an id, in a refusal: the longest id of a venue has 88. */
  givenChars: 100,
} as const;
