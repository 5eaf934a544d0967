/** Bounds of the sandbox's bridge, each with its reason. */
export const BRIDGE_MODEL = {
  /** Between two looks at the chains; each look moves a transfer one step at most, so that every status can be seen. */
  lookMs: 400,
  /** A chain that does not answer is asked again after this, doubled up to the maximum. */
  lookMaximumMs: 5_000,
  /** Blocks on top, the own one included, before a payment on a local EVM chain counts: more than the sandbox ever takes back. */
  originConfirmations: 3,
  /** Blocks read again at each look, so that a payment in a block that took another's place is found. */
  rereadBlocks: 16,
  /** Blocks in one question. */
  logSpanBlocks: 2_000,
  /** Deposit addresses named in one question for events. */
  addressesPerQuestion: 500,
  /** Wallets with deposit addresses: all users of a busy sandbox. */
  walletsMaximum: 2_000,
  /** Transfers remembered. */
  transfersMaximum: 20_000,
  /** Transfers told of one address: the newest. */
  toldMaximum: 100,
  /** Signatures read of one token account at a look. */
  signaturesMaximum: 1_000,
  /** How long payments on chains without a node here wait for their blocks: a minute of Bitcoin's is a second here. */
  bitcoinMs: 10_000,
  otherChainsMs: 2_000,
  /** What the bridge keeps ready on Polygon, micros, and below which it is filled up. */
  floatMicros: 10_000_000_000_000,
  floatMinimumMicros: 2_000_000_000_000,
  /** Largest payment it takes, micros of a dollar: a slip of the pen must not empty it. */
  creditMaximumMicros: 1_000_000_000_000,
  /** One call to the local Solana. */
  callTimeoutMs: 5_000,
} as const;
