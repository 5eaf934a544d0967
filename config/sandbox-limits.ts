/** Every bound and default of the sandbox world, each with its reason; `limits.ts` holds those of the service itself. */

/** The model venue of the sandbox. */
export const VENUE_MODEL = {
  /** Orders remembered, finished ones included: two thousand trading days of one busy user. */
  ordersKeptMaximum: 200_000,
  /** Markets remembered, resolved ones included: more than a day of every recurring series at ten times the pace. */
  marketsKeptMaximum: 5_000,
  /** Trades of wire users remembered per API key. */
  tradesPerOwnerMaximum: 20_000,
  /** Trades among market makers remembered: what a whale feed can ask for. */
  houseTradesMaximum: 5_000,
  /** Deposits and redemptions remembered. */
  activityMaximum: 100_000,
  /** Keys one address may have had: creating and deleting them is cheap for a caller. */
  apiKeysPerAddressMaximum: 200,
  /** The largest legal request is a thousand order ids to cancel. */
  requestBodyMaximumBytes: 262_144,
  socketPayloadMaximumBytes: 262_144,
  socketsMaximum: 1_024,
  /** A client this far behind is cut off and must start anew. */
  socketBacklogMaximumBytes: 8 << 20,
  /** Tokens one market socket may name; beyond 500 the venue sends no snapshot. */
  socketTokensMaximum: 2_000,
  /** Makers in one trade; larger matches are split into buckets, as one transaction can only carry so many. */
  makersPerTradeMaximum: 20,
  /** Mined two seconds after the match, final after five: the quick end of what was observed (venue_a.md section 6.4). */
  minedAfterDefaultMs: 2_000,
  confirmedAfterDefaultMs: 5_000,
} as const;

/** The sandbox world around the model venue: prices, rounds, market makers and feeds. */
export const SANDBOX = {
  /** Price seconds remembered per asset: a day of history behind, and the 8-hour prediction's horizon ahead (2^17 s). */
  priceSecondsKept: 131_072,
  /** An hour of steps is wound forward in milliseconds. */
  priceCheckpointSeconds: 3_600,
  /** A fresh world begins this long ago: the running 8-hour prediction speaks of its epoch's begin and the hour before it. */
  priceHistorySeconds: 36_000,
  /** The longest hole met in the recordings is 387 s. */
  recordedHoleSeconds: 400,
  /** Rounds remembered, ended ones included: three days of four series. */
  roundsKept: 2_000,
  /** The documented hold of a marketable order on crypto markets (venue_a.md section 6.3). */
  takerDelayMs: 250,
  /** Commands of feed clients are a few hundred bytes. */
  feedFrameMaximumBytes: 65_536,
  /** One daemon, its tests and a few curious clients. */
  feedSocketsMaximum: 256,
  /** A reader this far behind has stopped reading. */
  feedBacklogMaximumBytes: 4 << 20,
  /** Documented for the oracle; unknown for the inference network, whose clients are told to poll every 10 to 15 s. */
  dataStreamsPerSecond: 10,
  inferencePerSecond: 5,
  inferenceBurst: 20,
  /** Reports in one page. */
  reportsPerPage: 100,
  /** Two re-quotes a second and market, each of at most so many changed levels: bounds the engine's work. */
  requoteMs: 500,
  quoteChangesMaximum: 16,
  /** Levels on a side: the recorded books quote nearly every cent; markets that do not run yet need only a few. */
  quoteLevels: 60,
  quoteLevelsThin: 8,
  quotedBeforeStartMs: 300_000,
  /** A hundred million USD: six house accounts of it stay far below the safe integers. */
  houseFundsMicros: 100_000_000_000_000,
  /** The venue's minimum order. */
  traderSharesMinimum: 5,
  /** Figures of listings are never fresh; the venue's are up to five minutes old behind its cache. */
  listingCacheMs: 15_000,
  /** The log of a world is folded into its snapshot beyond this: some ten thousand changes, read back in well under a second. */
  worldLogMaximumBytes: 8 << 20,
  /** A first world deploys its contracts in two or three seconds; where many processes share the machine it takes twenty times that, and waits for the chains of the run before. */
  childStartTimeoutMs: 180_000,
  /** Its chains alone may take `LOCAL_CHAIN.stopTimeoutMs`; a child that has not ended by then is ended by its process id. */
  childStopTimeoutMs: 45_000,
  /** Correlation of a prediction with the coming return, in percent: an honest coin with a small edge (53.2 % right). */
  inferenceSkillPercent: 10,
} as const;

/** The local EVM chains of the sandbox. */
export const LOCAL_CHAIN = {
  /** Dollars laid up to back the collateral that faucet, bridge and house make: the house alone takes 10^15 at a time, and never this much in a life. */
  collateralReserveMicros: 10n ** 21n,
  /** A node answers some 50 ms after its start; a large state file where many processes share a core takes a hundred times that. */
  startTimeoutMs: 40_000,
  /** Free ports tried: another process may take one between asking for it and using it. */
  startAttemptsMaximum: 3,
  /** A node writes its state when it is asked to end, in a tenth of a second, or where many share a core in seconds; one that has not ended by then is ended by force, and what it had since its checkpoint is lost. */
  stopTimeoutMs: 30_000,
  /** Blocks made of what a node has taken before it ends, two transactions in each: what the sandbox's senders have under way at once, many times over. */
  partingBlocks: 256,
  /** How long a start waits for the node of the run before, which may still be writing its state. */
  predecessorTimeoutMs: 40_000,
  /** Between looks at whether a process has ended or a transaction is in a block. */
  pollMs: 20,
  /** What a node that is ended by force loses at most, where a checkpoint is quickly written; its own orderly end loses nothing. */
  checkpointMs: 5_000,
  /** A checkpoint that takes long is followed by so many times as long without one: a state grows by some 10 KB a transaction and is handed over whole. */
  checkpointRest: 20,
  /** Changes are put into one state again when they are longer than it, and than this: some hundreds of transactions. */
  stateLogMinimumBytes: 4 << 20,
  /** Looks for a moment between two blocks: of a node that makes one after another two looks in five fall there. Where none did, the checkpoint before stands until the next is due. */
  checkpointAttempts: 10,
  /** One JSON-RPC call; a state of many thousand blocks takes a few seconds to hand over, and more on a busy machine. */
  callTimeoutMs: 30_000,
  /** Without a receipt by then a transaction counts as lost: blocks are made at once here. */
  receiptTimeoutMs: 40_000,
  /** Polls between two broadcasts of the same bytes. */
  pollsPerBroadcast: 50,
  /** The largest transaction, a match with many makers, uses about 4 million; a fixed limit lets a revert be mined and seen. */
  gasPerTransaction: 12_000_000,
  /** Far above the base fee, which starts at 1 gwei and sinks with empty blocks. */
  feePerGasWei: 500_000_000_000,
  /** Polygon's floor of the priority fee (web3.md section 6). */
  priorityFeeWei: 30_000_000_000,
  /** Market time between two empty blocks on top of a transaction: that of both chains (local ones make a block for each transaction at once). */
  blockMs: 2_000,
  /** Wall time between them at the least, however fast the sandbox runs: a node makes one in a few milliseconds, on a busy machine in some tens. */
  blockMinimumMs: 100,
  /** Empty blocks on top of the newest transaction before a chain rests: twice the three that everybody here waits for, and two to spare. */
  blocksOnTop: 8,
  /** Native coins of each of the sandbox's own accounts: a million transactions of the largest kind. */
  accountWei: 10_000_000_000_000_000_000_000_000n,
} as const;

/** The sandbox's Solana (local-stack.md, web3.md section 8.2). */
export const SOLANA_SANDBOX = {
  /** The network's own slot time. */
  slotMs: 400,
  /** A blockhash is accepted for this many blocks. */
  blockhashLife: 150,
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
  socketsMaximum: 256,
  subscriptionsPerSocketMaximum: 100,
  /** What the faucet's account holds at first, lamports: a million SOL, below the safe integers. */
  faucetLamports: 1_000_000_000_000_000,
  /** One gift: more is a slip of the pen. */
  giftLamportsMaximum: 100_000_000_000,
  giftUsdcMicrosMaximum: 1_000_000_000_000,
} as const;
