/** Bounds of the sandbox's markets to farm and of its language model, each with its reason. */
export const SANDBOX_FARMING = {
  /** New markets are listed this often: at ten times the pace a newcomer meets fresh ones within three minutes. */
  generationMs: 30 * 60_000,
  /** They live this long, so that one generation is quoted at a time: bought within a minute, paid out within minutes. */
  lifeMs: 30 * 60_000,
  /** Ended ones stay in the catalogue: what was bought must be found until it is paid. */
  keptMs: 6 * 3_600_000,
  /** The result is announced this long after the end. */
  resolutionDelayMs: 30_000,
  /** A late model answers after this, real time: beyond any budget of eight seconds. */
  lateAnswerMs: 12_000,
  /** A question with its instructions and its schema is a few kilobytes. */
  requestMaximumBytes: 65_536,
} as const;
