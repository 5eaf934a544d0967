/** Bounds of the journal's hash chain. */
export const JOURNAL = {
  /**
   * The head is noted beside the journal and in the log this often: what is cut off the journal's
   * end goes unseen for no longer.
   */
  anchorIntervalMs: 60_000,
} as const;
