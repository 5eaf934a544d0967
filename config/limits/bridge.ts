/** Bounds of calls to the bridge and of deposits, each with its reason. */

/** Calls to the bridge (venue_a.md section 13). */
export const BRIDGE = {
  /** It answers within a second; a caller waits for the answer. */
  callTimeoutMs: 10_000,
  connectTimeoutMs: 5_000,
  connectionsMaximum: 8,
  keepAliveMs: 4_000,
  /** A list of some hundred assets or transfers. */
  answerMaximumBytes: 1 << 20,
  /** Its limits are not published: a few people looking at the same moment. */
  callsPerSecond: 10,
  burst: 20,
  /** Callers that wait for their turn: five seconds of them. */
  waitingMaximum: 50,
  /** The list of assets changes over weeks. */
  assetsKeptMs: 10 * 60_000,
  /** Transfers listed for one address: the newest. */
  transfersMaximum: 200,
} as const;

/** Deposits as the chain shows them. */
export const DEPOSITS = {
  /** Blocks come every two seconds: a deposit is seen one or two of them after it is final. */
  scanIntervalMs: 3_000,
  /** After failures the wait doubles up to this. */
  scanIntervalMaximumMs: 60_000,
  /**
   * Blocks read in one step: what nodes answer in one question (chain-limits.ts); after a day off
   * it takes 22 steps.
   */
  blocksPerScan: 2_000,
  /**
   * Blocks read again each time: a node behind the others, or a chain that went back, hides
   * nothing. Ids make each transfer count once.
   */
  rereadBlocks: 64,
  /**
   * How far the scan goes on before its place is stored without a deposit: half an hour of Polygon,
   * read again in one question.
   */
  cursorStepBlocks: 900,
  /** How far back the very first scan goes: a day of Polygon. */
  firstScanBlocks: 43_200,
  /** Addresses named in one question for events: nodes take lists of a thousand topics. */
  addressesPerQuestion: 500,
  /** Users read from the store between two turns of the event loop: some milliseconds. */
  usersPerPage: 500,
} as const;

/** Following what the bridge tells of deposit addresses. */
export const DEPOSIT_WATCH = {
  /**
   * Between two looks at an address while something may happen any moment: the bridge's own steps
   * take some seconds.
   */
  quickMs: 3_000,
  /**
   * Looks in the time that has been quiet so far: the longer nothing happens the longer the next
   * wait, a minute and a half after ten.
   */
  pollsEachQuiet: 8,
  /** The longest wait: bitcoin takes the better part of an hour. */
  slowMs: 300_000,
  /** An address is followed this long after it was asked for: who asks is about to pay. */
  awakeMs: 3_600_000,
  /**
   * Asking again is stored when it is this much later: one write for a user who refreshes a page.
   */
  askedStepMs: 60_000,
  /**
   * An open deposit of which nothing new was heard is followed this long; asking, or the chain,
   * wakes its address again.
   */
  patienceMs: 7 * 86_400_000,
  /** Addresses followed at once, some kilobytes each; those beyond wait for a place. */
  actorsMaximum: 2_000,
  /**
   * Between the turns of two addresses, each of which waits in one line: half of what the bridge is
   * asked at most stays for people.
   */
  turnMs: 200,
  /** A turn may take this long to come: every actor once around, and again. */
  turnTimeoutMs: 900_000,
  /** One poll may take this long: a question with its wait, and a write. */
  pollTimeoutMs: 30_000,
  /** Payments kept of one address: the oldest that are over make room. */
  recordsMaximum: 1_000,
  /** Booked arrivals read at a time for a list of deposits. */
  arrivalsPerRead: 200,
  /** A list of fewer payments than this is taken for all there are: bridges cut longer ones. */
  wholeBelow: 100,
  /** States remembered of one payment: the usual five, and a bridge that changes its mind. */
  historyMaximum: 20,
  /**
   * The chain may take this long to show what the bridge says it has paid: final blocks and the
   * scan take some ten seconds.
   */
  unprovenAfterMs: 180_000,
  /**
   * A payment the bridge no longer tells of has vanished after this: a reorganised chain puts it
   * back within minutes.
   */
  vanishedAfterMs: 600_000,
} as const;
