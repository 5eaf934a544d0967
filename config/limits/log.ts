/** Lines about what is degraded, on the terminal. */
export const DEGRADED_REPORT = {
  /**
   * Degradations shown at once: more of them fill the screen and say no more; the log and the
   * metrics have them all.
   */
  shownMaximum: 20,
  /**
   * A degradation is over when it has been for this long: a connection that is lost and made again
   * twice a second is one degradation, and two lines.
   */
  overAfterMs: 5_000,
  /** Their causes are texts of others. */
  causeChars: 160,
  /**
   * Held markets remembered, so that holding on is printed once: more than all agents of a busy
   * sandbox hold.
   */
  heldMarketsMaximum: 1_000,
} as const;

/** The log. */
export const LOG = {
  /**
   * Lines there is no room for wait in memory up to this, some five thousand of them: the hours
   * before a full disk is noticed are worth reading.
   */
  waitingMaximumBytes: 1 << 20,
} as const;
