/** Bounds of calls to chains and the relayer, each with its reason. */

/** Reads of one EVM chain. */
export const CHAIN = {
  /**
   * A node answers in well under a second; a view over several chains waits 3 s for each (web3.md
   * section 7).
   */
  callTimeoutMs: 3_000,
  /**
   * A node that answered nothing for so long, however many calls of one moment failed, is named as
   * lost: one that is exchanged or started again is back by then.
   */
  silentAfterMs: 10_000,
  silentCallsMinimum: 3,
  /** Public nodes refuse spans of more than 2 000 to 10 000 blocks. */
  logSpanBlocks: 2_000,
  /**
   * Spans read for one question: 200 000 blocks are five days of Polygon; an older beginning is a
   * mistake.
   */
  logSpansMaximum: 100,
  /** Events of one answer: more cannot come from the accounts of one user. */
  logsMaximum: 10_000,
  /** Calls in one multicall: nodes cap the gas and the size of an eth_call (web3.md section 7). */
  callsPerBatchMaximum: 150,
  /**
   * Reads of a Safe's nonce and events that did not fit together before the caller is asked to come
   * back.
   */
  statusReadsMaximum: 3,
} as const;

/** Calls to the relayer (venue_a.md section 14.2). */
export const RELAYER = {
  /**
   * It answers in 0.1 to 1 s, slower when it simulates; without an answer the action is unknown and
   * the same bytes go again.
   */
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

/** Transactions of users' own EVM accounts. */
export const EVM_RAIL = {
  /** A block comes every two seconds or so, on the first chain every twelve. */
  askFirstMs: 500,
  asksQuick: 20,
  askMaximumMs: 15_000,
  /** A node's pool forgets what pays too little; the same bytes again cost nothing. */
  rebroadcastMs: 15_000,
  /**
   * Blocks on top of a transaction, its own included, after which it is final here: that of Safes
   * (SAFE_RAIL).
   */
  confirmations: 3,
  /** Estimates are of the state now, and others trade in between (web3.md section 2.4). */
  gasPercent: 120n,
  /** Nodes ask an eighth more of both fees for a replacement (web3.md section 6). */
  replacementPercent: 113n,
  /** What five blocks of the slowest chain did not take is paid more. */
  speedUpMs: 60_000,
  attemptsMaximum: 5,
  /** Polygon's floor (web3.md section 6), by chain id. */
  priorityFeeMinimumWei: { 137: 30_000_000_000n } as Readonly<Record<number, bigint>>,
} as const;

/** Reads of users' own EVM wallets that pay for a venue. */
export const EVM_WALLET = {
  /**
   * How far back what moved in a wallet is looked for: two days of the fastest venue's chain. Marks
   * are moved on more often (WALLET.markEveryMs), so that only a service that was away for longer
   * books what came meanwhile as one sum.
   */
  historyBlocksMaximum: 100_000,
  /** Transactions that moved one token since the last mark: a day of a user who trades manually. */
  historyMaximum: 200,
  /** Their receipts read at once. */
  receiptsAtOnce: 8,
  /**
   * A mark lies so deep: nodes behind one address differ by some blocks, and one that is ahead must
   * not hide what another has not seen yet.
   */
  markDepthBlocks: 60,
  /** Tokens in one question: what a multicall takes (CHAIN). */
  tokensPerQuestion: 150,
} as const;
