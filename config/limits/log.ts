/** The log. */
export const LOG = {
  /** Lines there is no room for wait in memory up to this, some five thousand of them: the hours before a full disk is noticed are worth reading. */
  waitingMaximumBytes: 1 << 20,
} as const;
