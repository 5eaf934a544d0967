/**
 * Adding up the whole ledger for the metrics. A call runs every two seconds on the event loop, so
 * each is short, and a round takes as many as the ledger needs.
 */
export const LEDGER_PROOF = {
  /** Pause between two rounds. */
  intervalMs: 60_000,
  /** Accounts read in one call: some 10 ms. */
  accountsPerRead: 4_000,
  /** Journal entries read at a time to add what was posted while a round went on. */
  journalPage: 1_000,
  /** Pages of it at most: a round that met more says so and begins again. */
  journalPagesMaximum: 100,
  /** Assets named in the log where they do not add up. */
  assetsNamed: 10,
} as const;

/** Adding up what all users have at risk, for the metrics. */
export const RISK_SURVEY = {
  /** Pause between two rounds over all users. */
  intervalMs: 30_000,
  /** Users read in one call, with the positions and agents of each: some 10 ms. */
  usersPerRead: 200,
} as const;

/** Counting what agents realise. */
export const AGENT_MONEY = {
  /**
   * Positions whose last figures are remembered, some 200 bytes each: those of a day of many users,
   * as a trade that is taken back is so within minutes.
   */
  positionsRemembered: 20_000,
} as const;

/** Comparing our clock with those of venues. */
export const CLOCK_OFFSET = {
  /** Pause between two questions: a clock drifts by milliseconds in this time. */
  intervalMs: 30_000,
} as const;

/** Reading the free space of the data folder's file system. */
export const DISK_WATCH = {
  /** Pause between two reads. */
  intervalMs: 15_000,
  /** Pause between two reads of the size of each file: of a year there are some 60,000. */
  sizesIntervalMs: 300_000,
} as const;

/** When the daemon says that it can do its work. */
export const READY = {
  /**
   * Share of a venue's books that have to be trusted: below it orders there are refused more often
   * than not. At a change of rounds a few books are new and have none yet.
   */
  trustedLeastShare: 0.5,
  /** As long as the alert waits: a feed is changed for another within a second. */
  feedsSilentMs: 10_000,
} as const;
