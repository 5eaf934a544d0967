/** Bounds of calls to the bridge and of deposits, each with its reason. */

/** Calls to the bridge (venue_a.md section 13). */
export const BRIDGE = {
  /** It answers within a second; somebody waits for the answer. */
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
  /** Transfers told of one address: the newest. */
  transfersMaximum: 200,
} as const;

/** Deposits as the chain shows them. */
export const DEPOSITS = {
  /** Blocks come every two seconds: a deposit is seen one or two of them after it is final. */
  scanIntervalMs: 3_000,
  /** After failures the wait doubles up to this. */
  scanIntervalMaximumMs: 60_000,
  /** Blocks read in one step: what nodes answer in one question (chain-limits.ts); after a day off it takes 22 steps. */
  blocksPerScan: 2_000,
  /** Blocks read again each time: a node behind the others, or a chain that went back, hides nothing. Ids make each transfer count once. */
  rereadBlocks: 64,
  /** How far the scan goes on before its place is stored without a deposit: half an hour of Polygon, read again in one question. */
  cursorStepBlocks: 900,
  /** How far back the very first look goes: a day of Polygon. */
  firstLookBlocks: 43_200,
  /** Safes named in one question for events: nodes take lists of a thousand topics. */
  safesPerQuestion: 500,
} as const;
