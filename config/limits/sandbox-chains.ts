/** Every bound of the sandbox's chains and of who sends to them, each with its reason. */

/** The local EVM chains of the sandbox. */
export const LOCAL_CHAIN = {
  /**
   * Dollars laid up to back the collateral that faucet, bridge and market makers make: the latter
   * alone take 10^15 at a time, and never this much in a life.
   */
  collateralReserveMicros: 10n ** 21n,
  /**
   * A node answers some 50 ms after its start; a large state file where many processes share a core
   * takes a hundred times that.
   */
  startTimeoutMs: 40_000,
  /** Free ports tried: another process may take one between asking for it and using it. */
  startAttemptsMaximum: 3,
  /**
   * A node writes its state when it is asked to end, in a tenth of a second, or where many share a
   * core in seconds; one that has not ended by then is ended by force, and what it had since its
   * checkpoint is lost.
   */
  stopTimeoutMs: 30_000,
  /**
   * Blocks made of what a node has taken before it ends, two transactions in each: what the
   * sandbox's senders have under way at once, many times over.
   */
  partingBlocks: 256,
  /**
   * How long a start waits for the node of the run before, which may still be writing its state.
   */
  predecessorTimeoutMs: 40_000,
  /** Between looks at whether a process has ended or a transaction is in a block. */
  pollMs: 20,
  /**
   * What a node that is ended by force loses at most, where a checkpoint is quickly written; its
   * own orderly end loses nothing.
   */
  checkpointMs: 10_000,
  /**
   * A checkpoint that takes long is followed by so many times as long without one: a state grows by
   * some 10 KB a transaction and is handed over whole.
   */
  checkpointRest: 30,
  /**
   * Blocks with which a node starts, the newest. Who reads old ones asks for at most 200 (marks of
   * arrivals, EVM_ARRIVALS), 64 (deposits and explanations read again) or 16 (the bridge) below
   * those it has seen, for receipts of what is under way, and for what was sent since a
   * transaction was signed: seven minutes of a chain that makes a block every two tenths of a
   * second, half an hour of one with a few users.
   */
  blocksKept: 2_048,
  /**
   * A node with more is started again with `blocksKept`, in about a second: a block takes 3 KB of
   * a state and a transaction 9 KB, and all of it is written and read at each checkpoint.
   */
  blocksMaximum: 6_144,
  /**
   * Blocks whose balances a node still knows: a search for coins that came asks for those of the
   * last half minute (EVM_ARRIVALS). Each takes as much memory as all accounts.
   */
  statesKept: 512,
  /** A node's own dumps while it runs, which are not read: once a year. */
  ownDumpSeconds: 31_536_000,
  /**
   * A node's answer: a state of `blocksMaximum` blocks is some 10 MB of compressed text in hex;
   * twenty-five times that is no state any more.
   */
  answerMaximumBytes: 256 << 20,
  /**
   * Starts of a node that ends by itself, within the time: whatever ends it that often ends it
   * again (no memory, no disk).
   */
  restartsMaximum: 3,
  restartWindowMs: 600_000,
  /**
   * Changes are put into one state again when they are longer than it, and than this: some hundreds
   * of transactions.
   */
  stateLogMinimumBytes: 4 << 20,
  /**
   * States taken while a caller has blocks made by a call of its own. Where none was without, the
   * checkpoint before remains until the next is due.
   */
  checkpointAttempts: 3,
  /**
   * One JSON-RPC call; a state of many thousand blocks takes a few seconds to hand over, and more
   * on a busy machine.
   */
  callTimeoutMs: 30_000,
  /** Without a receipt by then a transaction counts as lost: blocks are made at once here. */
  receiptTimeoutMs: 40_000,
  /** Polls between two broadcasts of the same bytes. */
  pollsPerBroadcast: 50,
  /**
   * The largest transaction, a match with many makers, uses about 4 million; a fixed limit lets a
   * revert be mined and seen.
   */
  gasPerTransaction: 12_000_000,
  /** Far above the base fee, which starts at 1 gwei and sinks with empty blocks. */
  feePerGasWei: 500_000_000_000,
  /** What a node asks for where no caller pays more; its suggestion follows what others paid. */
  priorityFeeWei: 1_000_000_000n,
  /** Floors of the priority fee by chain id: Polygon's (web3.md section 6). */
  priorityFeeMinimumWei: { 137: 30_000_000_000n } as Readonly<Record<number, bigint>>,
  /**
   * Market time between two empty blocks on top of a transaction: that of both chains (local ones
   * make a block for each transaction at once).
   */
  blockMs: 2_000,
  /**
   * Wall time between them at the least, however fast the sandbox runs: a node makes one in a few
   * milliseconds, on a busy machine in some tens.
   */
  blockMinimumMs: 100,
  /**
   * Wall time between two looks at a chain on which nothing happens, for a transaction to put
   * blocks on: five chains are looked at, and most of them rest.
   */
  restMs: 1_000,
  /**
   * Empty blocks on top of the newest transaction before a chain rests: twice the three that
   * everybody here waits for, and two to spare.
   */
  blocksOnTop: 8,
  /**
   * Native coins of each of the sandbox's own accounts: a million transactions of the largest kind.
   */
  accountWei: 10_000_000_000_000_000_000_000_000n,
  /** Native coins of a wallet that is made tradable: enough for thousands of transactions. */
  walletWei: 10_000_000_000_000_000_000n,
} as const;

/** The gate before a node of the sandbox, and the faults it plays. */
export const CHAIN_GATE = {
  /** A call: a transaction has 128 KB at most, a batch of reads a few. */
  bodyMaximumBytes: 2 << 20,
  /** Between a block and its end by the fault: a caller has seen its receipt by then. */
  takenBackAfterMs: 3_000,
  /** Blocks taken back at once: far more than any chain of the product's ever did. */
  takenBackMaximumBlocks: 64,
} as const;

/** The sandbox's Solana (local-stack.md, web3.md section 8.2). */
export const SOLANA_SANDBOX = {
  /** The network's own slot time. */
  slotMs: 400,
  /** A blockhash is accepted for this many blocks. */
  blockhashLife: 150,
  /** How far a node that has fallen behind is: twenty seconds. */
  behindSlots: 50,
  /** A block is final when so many are on top of it. */
  finalAfterSlots: 32,
  /** The network's epoch. */
  slotsPerEpoch: 432_000,
  /** Largest transaction of the network, bytes. */
  transactionMaximumBytes: 1_232,
  /** Base fee for each signature, lamports. */
  signatureFeeLamports: 5_000,
  /** Landed transactions remembered, about 2 KB each: weeks of a busy sandbox. */
  transactionsKeptMaximum: 10_000,
  /** The network's own limit of a transaction's log. */
  logMaximumBytes: 10_000,
  /** A body holds a batch of transactions at most; the service's own limit is 64 KiB. */
  requestBodyMaximumBytes: 262_144,
  batchMaximum: 50,
  /** The network's own limits of one question. */
  accountsPerCallMaximum: 100,
  statusesPerCallMaximum: 256,
  signaturesPerCallMaximum: 1_000,
  /** Pairs of ports tried: another process may have the one above. */
  portAttemptsMaximum: 20,
  socketsMaximum: 256,
  subscriptionsPerSocketMaximum: 100,
  /** What the faucet's account holds at first, lamports: a million SOL, below the safe integers. */
  faucetLamports: 1_000_000_000_000_000,
  /** One gift: more is a slip of the pen. */
  giftLamportsMaximum: 100_000_000_000,
  giftUsdcMicrosMaximum: 1_000_000_000_000,
} as const;

/** Bounds of the sandbox's bridge, each with its reason. */
export const BRIDGE_MODEL = {
  /**
   * Between two polls of the chains; each poll moves a transfer one step at most, so that every
   * status can be seen.
   */
  pollMs: 400,
  /** A chain that does not answer is asked again after this, doubled up to the maximum. */
  pollMaximumMs: 5_000,
  /**
   * Blocks on top, the own one included, before a payment on a local EVM chain counts: more than
   * the sandbox ever takes back.
   */
  originConfirmations: 3,
  /**
   * Blocks read again by each poll, so that a payment in a block that took another's place is
   * found.
   */
  rereadBlocks: 16,
  /** Blocks in one question. */
  logSpanBlocks: 2_000,
  /** Deposit addresses named in one question for events. */
  addressesPerQuestion: 500,
  /** Wallets with deposit addresses: all users of a busy sandbox. */
  walletsMaximum: 2_000,
  /** Transfers remembered. */
  transfersMaximum: 20_000,
  /** Transfers listed for one address: the newest. */
  listedMaximum: 100,
  /** Signatures read of one token account by a poll. */
  signaturesMaximum: 1_000,
  /**
   * How long payments on chains without a node here wait for their blocks: a minute of Bitcoin's is
   * a second here.
   */
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

/** Queues of the sandbox's own accounts that act for others, and what they remember. */
export const ACCOUNT_QUEUE = {
  /**
   * Between looks at what is open, doubled up to the maximum while nothing changes: blocks are made
   * at once or every few seconds.
   */
  pollFirstMs: 50,
  pollMaximumMs: 2_000,
  /**
   * Transactions handed to the node that are not in a block yet; more wait, as a node's pool is
   * finite.
   */
  outstandingMaximum: 16,
  /** Transactions that may wait before callers are asked to come back. */
  waitingMaximum: 1_000,
  /**
   * Transactions remembered, finished ones included, some 5 KB each and read at a start: an hour of
   * a busy sandbox. A chain that lost more than these cannot be put right, and none loses more than
   * a checkpoint's time (LOCAL_CHAIN).
   */
  keptMaximum: 2_000,
  /**
   * Blocks below the head in which transactions are looked for again when the chain may have gone
   * back: more than a checkpoint lies behind, and fewer than a node keeps (LOCAL_CHAIN).
   */
  lookedAtAgainBlocks: 1_024,
  /** Blocks on top, the own one included, after which a transaction counts as final here. */
  finalAfterBlocks: 3,
} as const;

/** The relayer's model. */
export const RELAYER_MODEL = {
  /**
   * How far a caller's clock may be off: that of the order book (the venue's reference, section
   * 2.2).
   */
  skewMs: 60_000,
  /** Stated for `metadata` (the venue's reference, section 14.2). */
  metadataMaximumChars: 500,
  /** Call data of one action: fifty calls in a batch. */
  dataMaximumChars: 100_000,
  /** Rows of `/transactions`. */
  listedMaximum: 100,
} as const;

/** The venue's operator and what follows the chain for it. */
export const CHAIN_VENUE = {
  /**
   * Between two polls of the chain: a block is made at once, and no client sees a fill settle
   * faster than a moment.
   */
  pollMs: 150,
  /**
   * Blocks on top, the own one included, after which a trade is final: that of the queue of the
   * operator's account.
   */
  finalAfterBlocks: 3,
  /**
   * Transactions tried for one trade before it fails: a maker who has moved the funds will not
   * bring them back.
   */
  attemptsMaximum: 3,
  /** Polls between two attempts. */
  pollsPerAttempt: 10,
  /** Markets asked about at once. */
  marketsPerPoll: 200,
  /** Balances asked for at once. */
  balancesPerCall: 200,
  /**
   * Collateral the market maker is given when it has less than half of it, micros: a billion USD.
   */
  makerMicros: 1_000_000_000_000_000n,
  /**
   * Sets the market maker makes at least when it lacks shares, micros: ten thousand shares, so that
   * most matches need none.
   */
  setsMinimumMicros: 10_000_000_000n,
} as const;

/** The sandbox's chains as swaps use them. */
export const SWAP_CHAIN = {
  /**
   * Coins of the account that fills pools: some hundred thousand dollars' worth in the deepest one,
   * many times over.
   */
  deployerWei: 10n ** 30n,
  /** A pool this near its price stays: 5 basis points, less than the fee of a trade. */
  pegTolerance: 0.0005,
  /**
   * Part of what is bridged that the bridge keeps, in millionths: what the vendor's bridges take
   * (web3.md section 2.8).
   */
  bridgeFeeMillionths: 3_000,
  /** Coin for some transactions, in dollars: what the router suggests to have. */
  gasSuggestedUsd: 2,
  /** A quote's transaction is good for this long, seconds of the chain. */
  quoteLifeSeconds: 600,
  /** What one call to the faucet gives at most, whole coins or dollars. */
  giftMaximum: 100_000,
  /** SOL of the account that fills pools: five million, which a float still counts exactly. */
  payerLamports: 5e15,
  /** A swap through two pools with two new token accounts takes some 150,000. */
  computeUnits: 400_000,
} as const;
