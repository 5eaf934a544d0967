/** Bounds of recordings, each with its reason. */

/** Files of recorded data, for replays, for research and for the sandbox's prices. */
export const RECORDING = {
  /**
   * Largest file read, bytes as stored and unpacked: a day of ticks is 1.6 MB packed and 6 MB
   * unpacked.
   */
  fileMaximumBytes: 256 * 1_024 * 1_024,
} as const;
