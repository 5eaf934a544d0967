/** Every bound and default of the sandbox, each with its reason; only `src/sandbox` reads them. */

/** The model venue of the sandbox. */
export const VENUE_MODEL = {
  /** Orders remembered, finished ones included: two thousand trading days of one busy user. */
  ordersKeptMaximum: 200_000,
  /**
   * Markets remembered, resolved ones included: more than a day of every recurring series at ten
   * times the pace.
   */
  marketsKeptMaximum: 5_000,
  /** Trades of wire users remembered per API key. */
  tradesPerOwnerMaximum: 20_000,
  /** Trades among market makers remembered: what a whale feed can ask for. */
  makerTradesMaximum: 5_000,
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
  /**
   * Makers in one trade; larger matches are split into buckets, as one transaction can only carry
   * so many.
   */
  makersPerTradeMaximum: 20,
  /**
   * Mined two seconds after the match, final after five: the quick end of what was observed
   * (section 6.4 of its reference).
   */
  minedAfterDefaultMs: 2_000,
  confirmedAfterDefaultMs: 5_000,
} as const;

/** The venue whose contracts settle on Solana: its model, its servers and who closes its orders. */
export const CONTRACT_VENUE = {
  /**
   * Market time from the end of trading to the result, from there until winners are redeemed, and
   * until the market is final.
   */
  determinedAfterMs: 20_000,
  redeemableAfterMs: 10_000,
  finalAfterMs: 60_000,
  /**
   * Books are looked at for their watchers this often, market time; makers of quick markets move
   * that often.
   */
  bookLookMs: 500,
  /** New markets are watched for who follows all within this, market time. */
  relistMs: 15_000,
  /** Trades of others are told of this often, market time. */
  tapeLookMs: 1_000,
  /** Users' trades remembered for a market: more than a demonstration makes. */
  ownTradesMaximum: 1_000,
  /** Markets remembered beyond their listing, for tokens that were made: a busy year. */
  keptMarketsMaximum: 20_000,
  /** The venue's own limits of a question (venue_b.md section 7). */
  marketsPageMaximum: 255,
  marketsPageDefault: 100,
  eventsPageMaximum: 200,
  eventsPageDefault: 50,
  tradesPageMaximum: 1_000,
  tradesPageDefault: 100,
  batchMaximum: 100,
  filterMaximum: 200,
  candlesMaximum: 5_000,
  /** Between two looks at open orders, wall time: a fill lands within about one confirmation. */
  keeperLookMs: 150,
  /** Keys of callers of the exchange behind it, and how far their clocks may be off. */
  exchangeKeysMaximum: 1_000,
  exchangeSkewMs: 60_000,
  /** Wallets that may be verified: all users of a busy sandbox. */
  verifiedMaximum: 20_000,
  /** Terms of orders remembered, closed ones included. */
  ordersKeptMaximum: 10_000,
  /**
   * What its own accounts are filled up to, below half of it: fees and rent of years, and the other
   * side of every contract.
   */
  routerLamports: 50_000_000_000_000,
  makerUsdcMicros: 500_000_000_000_000,
  /**
   * Slots of others' trades looked at for one page: a month of the slowest market and a day of the
   * quickest.
   */
  tapeSlotsMaximum: 20_000,
} as const;

/** The sandbox world around the model venue: prices, rounds, market makers and feeds. */
export const SANDBOX = {
  /**
   * Price seconds remembered per asset: a day of history behind, and the 8-hour prediction's
   * horizon ahead (2^17 s).
   */
  priceSecondsKept: 131_072,
  /** An hour of steps is wound forward in milliseconds. */
  priceCheckpointSeconds: 3_600,
  /**
   * A fresh world begins this long ago: the running 8-hour prediction speaks of its epoch's begin
   * and the hour before it.
   */
  priceHistorySeconds: 36_000,
  /** The longest hole met in the recordings is 387 s. */
  recordedHoleSeconds: 400,
  /** Rounds remembered, ended ones included: three days of four series. */
  roundsKept: 2_000,
  /**
   * The documented hold of a marketable order on crypto markets (the venue's reference, section
   * 6.3).
   */
  takerDelayMs: 250,
  /** Commands of feed clients are a few hundred bytes. */
  feedFrameMaximumBytes: 65_536,
  /** One daemon, its tests and a few curious clients. */
  feedSocketsMaximum: 256,
  /** A reader this far behind has stopped reading. */
  feedBacklogMaximumBytes: 4 << 20,
  /**
   * Documented for the oracle; unknown for the inference network, whose clients are told to poll
   * every 10 to 15 s.
   */
  dataStreamsPerSecond: 10,
  inferencePerSecond: 5,
  inferenceBurst: 20,
  /** Reports in one page. */
  reportsPerPage: 100,
  /**
   * Two re-quotes a second and market, each of at most so many changed levels: bounds the engine's
   * work.
   */
  requoteMs: 500,
  quoteChangesMaximum: 16,
  /**
   * Levels on a side: the recorded books quote nearly every cent; markets that do not run yet need
   * only a few.
   */
  quoteLevels: 60,
  quoteLevelsThin: 8,
  quotedBeforeStartMs: 300_000,
  /** A hundred million USD: six market makers' accounts of it stay far below the safe integers. */
  makerFundsMicros: 100_000_000_000_000,
  /** The venue's minimum order. */
  traderSharesMinimum: 5,
  /**
   * Figures of listings are never fresh; the venue's are up to five minutes old behind its cache.
   */
  listingCacheMs: 15_000,
  /**
   * The log of a world is folded into its snapshot beyond this: some ten thousand changes, read
   * back in well under a second.
   */
  worldLogMaximumBytes: 8 << 20,
  /**
   * A first world deploys its contracts in two or three seconds; where many processes share the
   * machine it takes twenty times that, and waits for the chains of the run before.
   */
  childStartTimeoutMs: 180_000,
  /**
   * Its chains alone may take `LOCAL_CHAIN.stopTimeoutMs`; a child that has not ended by then is
   * ended by its process id.
   */
  childStopTimeoutMs: 45_000,
  /**
   * Correlation of a prediction with the coming return, in percent: an honest coin with a small
   * edge (53.2 % right).
   */
  inferenceSkillPercent: 10,
} as const;

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
  checkpointMs: 5_000,
  /**
   * A checkpoint that takes long is followed by so many times as long without one: a state grows by
   * some 10 KB a transaction and is handed over whole.
   */
  checkpointRest: 20,
  /**
   * Changes are put into one state again when they are longer than it, and than this: some hundreds
   * of transactions.
   */
  stateLogMinimumBytes: 4 << 20,
  /**
   * Looks for a moment between two blocks: of a node that makes one after another two looks in five
   * fall there. Where none did, the checkpoint before stands until the next is due.
   */
  checkpointAttempts: 10,
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
  /** Polygon's floor of the priority fee (web3.md section 6). */
  priorityFeeWei: 30_000_000_000,
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
   * Empty blocks on top of the newest transaction before a chain rests: twice the three that
   * everybody here waits for, and two to spare.
   */
  blocksOnTop: 8,
  /**
   * Native coins of each of the sandbox's own accounts: a million transactions of the largest kind.
   */
  accountWei: 10_000_000_000_000_000_000_000_000n,
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
   * Between two looks at the chains; each look moves a transfer one step at most, so that every
   * status can be seen.
   */
  lookMs: 400,
  /** A chain that does not answer is asked again after this, doubled up to the maximum. */
  lookMaximumMs: 5_000,
  /**
   * Blocks on top, the own one included, before a payment on a local EVM chain counts: more than
   * the sandbox ever takes back.
   */
  originConfirmations: 3,
  /**
   * Blocks read again at each look, so that a payment in a block that took another's place is
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
  /** Transfers told of one address: the newest. */
  listedMaximum: 100,
  /** Signatures read of one token account at a look. */
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

/** Bounds of the sandbox's markets to farm and of its language model, each with its reason. */
export const SANDBOX_FARMING = {
  /**
   * New markets are listed this often: at ten times the pace a newcomer meets fresh ones within
   * three minutes.
   */
  generationMs: 30 * 60_000,
  /**
   * They live this long, so that one generation is quoted at a time: bought within a minute, paid
   * out within minutes.
   */
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

/** The OpenID provider (identity.md section 3). */
export const OPEN_ID_MODEL = {
  /** Records of one kind remembered: sessions, interactions, codes; the oldest goes first. */
  recordsMaximum: 1_000,
  /** An authorization code lives as long as Google's. */
  codeLifeSeconds: 600,
  /** A person at the page, a session of the browser, and everything else. */
  interactionLifeSeconds: 600,
  sessionLifeSeconds: 86_400,
  tokenLifeSeconds: 3_600,
  /** The signing key: the smallest that RS256 takes. */
  keyBits: 2_048,
} as const;

/** The social protocol's relay and registries (identity.md section 4). */
export const SOCIAL_MODEL = {
  /** Identities that exist: 1 to this. */
  fidMaximum: 10_000,
  /** Channels remembered; the oldest goes first. */
  channelsMaximum: 1_000,
  /** A channel ends after this, as at the real relay. */
  channelLifeMs: 600_000,
  /** A message signed by the person's phone is good for this long. */
  messageLifeMs: 600_000,
} as const;

/** Bounds of the sandbox's store of public files. */
export const PINNING_MODEL = {
  /** A picture of the service's own limit, and what a form adds around it. */
  bodyMaximumBytes: 5 << 20,
} as const;

/** Bounds of the sandbox's push service. */
export const PUSH_MODEL = {
  /** Browsers remembered; the oldest goes first. */
  browsersMaximum: 1_000,
  /** Messages a browser shows; the oldest goes first. */
  messagesMaximum: 100,
  /** The largest body a push service has to take (RFC 8030, section 7.2). */
  bodyMaximumBytes: 4_096,
  /** Signatures may be good for a day at most (RFC 8292, section 2). */
  signatureLifeMaximumSeconds: 86_400,
  /** What `push-busy` asks for. */
  retryAfterSeconds: 1,
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
  /** Transactions that may wait before callers are told to come back. */
  waitingMaximum: 1_000,
  /**
   * Transactions remembered, finished ones included: some weeks of a busy sandbox. A chain that
   * lost more than these cannot be put right.
   */
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
   * Between two looks at the chain: a block is made at once, and nobody sees a fill settle faster
   * than a moment.
   */
  lookMs: 150,
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
  /** Looks between two attempts. */
  looksPerAttempt: 10,
  /** Markets asked about at once. */
  marketsPerLook: 200,
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

/** The sandbox's servers of token data (web3.md section 3) and its router. */
export const SANDBOX_TOKENS_LIMITS = {
  /** The vendors' own limits without a key. */
  geckoPerMinute: 30,
  dexScreenerPerMinute: 300,
  /** Without a key; with one the same. */
  routerPerMinute: 100,
  /** Tokens in one answer of the router. */
  routerTokensMaximum: 200,
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
  /** A quote's transaction is good for this long, seconds of the chain. */
  quoteLifeSeconds: 600,
  /** What one call to the faucet gives at most, whole coins or dollars. */
  giftMaximum: 100_000,
  /** SOL of the account that fills pools: five million, which a float still counts exactly. */
  payerLamports: 5e15,
  /** A swap through two pools with two new token accounts takes some 150,000. */
  computeUnits: 400_000,
} as const;
