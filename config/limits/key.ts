/** Bounds of key custody, each with its reason. */

/** Changing the master key while the daemon works. */
export const REWRAP = {
  /** Data keys wrapped anew in one write: about a millisecond of work. */
  keysPerWrite: 64,
  /** Pause between writes: trading shares the disk. */
  pauseMs: 20,
  /** A store that could not take a write is asked again after this. */
  retryMs: 5_000,
} as const;

/** Giving users their own private keys (identity.md section 6.2). */
export const EXPORT = {
  /** A user has two keys; more than both within an hour is an attacker. */
  perHour: 2,
  perDay: 3,
} as const;
