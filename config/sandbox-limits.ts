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
  /** A child world answers within a fraction of a second; winding prices forward over weeks takes a few. */
  childStartTimeoutMs: 20_000,
  /** A child that was asked to end and has not is ended by its process id. */
  childStopTimeoutMs: 3_000,
  /** Correlation of a prediction with the coming return, in percent: an honest coin with a small edge (53.2 % right). */
  inferenceSkillPercent: 10,
} as const;
