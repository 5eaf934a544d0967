/** Bounds of the sandbox's relayer and bridge, each with its reason. */

/** Queues of the sandbox's own accounts that act for others, and what they remember. */
export const ACCOUNT_QUEUE = {
  /** Between looks at what is open, doubled up to the maximum while nothing changes: blocks are made at once or every few seconds. */
  pollFirstMs: 50,
  pollMaximumMs: 2_000,
  /** Transactions handed to the node that are not in a block yet; more wait, as a node's pool is finite. */
  outstandingMaximum: 16,
  /** Transactions that may wait before callers are told to come back. */
  waitingMaximum: 1_000,
  /** Transactions remembered, finished ones included: some weeks of a busy sandbox. A chain that lost more than these cannot be put right. */
  keptMaximum: 20_000,
  /** Blocks on top, the own one included, after which a transaction counts as final here. */
  finalAfterBlocks: 3,
} as const;

/** Files of records beside the world's state. */
export const RECORD_FILE = {
  /** The log is rewritten beyond this, and beyond twice what it held when it was last rewritten. */
  rewriteAboveBytes: 4 << 20,
} as const;

/** The relayer's model. */
export const RELAYER_MODEL = {
  /** How far a caller's clock may be off: that of the order book (venue_a.md section 2.2). */
  skewMs: 60_000,
  /** Stated for `metadata` (venue_a.md section 14.2). */
  metadataMaximumChars: 500,
  /** Call data of one action: fifty calls in a batch. */
  dataMaximumChars: 100_000,
  /** Rows of `/transactions`. */
  listedMaximum: 100,
} as const;
