/** Bounds of calls to chains and the relayer, each with its reason. */

/** Reads of one EVM chain. */
export const CHAIN = {
  /** A node answers in well under a second; a view over several chains waits 3 s for each (web3.md section 7). */
  callTimeoutMs: 3_000,
  /** Public nodes refuse spans of more than 2 000 to 10 000 blocks. */
  logSpanBlocks: 2_000,
  /** Spans read for one question: 200 000 blocks are five days of Polygon; an older beginning is a mistake. */
  logSpansMaximum: 100,
  /** Events of one answer: more cannot come from the accounts of one user. */
  logsMaximum: 10_000,
  /** Calls in one multicall: nodes cap the gas and the size of an eth_call (web3.md section 7). */
  callsPerBatchMaximum: 150,
  /** Reads of a Safe's nonce and events that did not fit together before the caller is told to come back. */
  statusReadsMaximum: 3,
} as const;

/** Calls to the relayer (venue_a.md section 14.2). */
export const RELAYER = {
  /** It answers in 0.1 to 1 s, slower when it simulates; without an answer the action is unknown and the same bytes go again. */
  submitTimeoutMs: 10_000,
  readTimeoutMs: 4_000,
  connectionsMaximum: 8,
  keepAliveMs: 4_000,
  connectTimeoutMs: 5_000,
  /** An answer is one transaction with its data; a batch of allowances is a few kilobytes. */
  answerMaximumBytes: 1 << 20,
  /** Stated by the venue for `metadata` (venue_a.md section 14.2). */
  noteMaximumChars: 500,
  /** Calls in one batch: a whole set of allowances is 12; the block's gas bounds the rest. */
  callsPerBatchMaximum: 50,
} as const;
