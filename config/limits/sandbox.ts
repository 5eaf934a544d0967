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
  bookCheckMs: 500,
  /** New markets are watched for who follows all within this, market time. */
  relistMs: 15_000,
  /** Trades of others are published this often, market time. */
  tapeTickMs: 1_000,
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
  /** Between two checks of open orders, wall time: a fill lands within about one confirmation. */
  keeperCheckMs: 150,
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
   * Documented for the oracle; unknown for the inference network, whose clients are asked to poll
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
  /**
   * Wall time between two movements of one market or of the exchange's best prices, at the least:
   * at ten times the pace more than ten a second are neither seen nor needed.
   */
  stepWallMs: 100,
  /** Market time that may pass between them: a fifth of the age at which prices are stale. */
  stepMaximumMs: 1_000,
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
  /** Names of calls whose answer is kept: more users than a sandbox has get their first money. */
  namedCallsMaximum: 5_000,
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
  /** Whose telephone opens a link that names no user. */
  fidOfTheTelephone: 1,
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

/** Files of records beside the world's state. */
export const RECORD_FILE = {
  /** The log is rewritten beyond this, and beyond twice what it held when it was last rewritten. */
  rewriteAboveBytes: 4 << 20,
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

/** The view-only venue. */
export const SANDBOX_VIEW = {
  /** The venue's own rules, without a key and with one (venue_d.md section 2). */
  freeCalls: { calls: 30, spanMs: 10_000 },
  keyedCalls: { calls: 100, spanMs: 1_000 },
  /** An answer that is late: beyond what any caller waits for. */
  lateMs: 12_000,
} as const;

/** `predictd sandbox`. */
export const SANDBOX_COMMAND = {
  /** What a funded wallet gets at each start: USD or USDC in whole dollars, and lamports. */
  usdc: '1000',
  lamports: '5000000000',
  /** Wallets at a start: each takes nine transactions before the addresses are printed. */
  walletsMaximum: 20,
  /** A local chain answers within a second, and many times that on a busy machine. */
  fundTimeoutMs: 60_000,
  /** As the daemon does: a killed world's time never falls. */
  keepTimeMs: 2_000,
} as const;
