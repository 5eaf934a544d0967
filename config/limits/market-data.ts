/** Bounds of what is known of markets and prices, each with its reason. */

/** Ages beyond which an input is absent (L8; feeds.md section 5). */
export const STALENESS = {
  /** Oracle stream: one report a second; five missed ones are an outage. */
  oracleMs: 5_000,
  /** The venue's mirror of the oracle lags 1.4 s and stalls silently; 10 s is its watchdog. */
  venueOracleMs: 10_000,
  /** Exchange book ticker: several a second. */
  exchangeMs: 5_000,
  /** 5-minute topic: a new value about every 5 minutes, so twice that. */
  inference5mMs: 600_000,
  /** 8-hour topic: twice its epoch. */
  inference8hMs: 57_600_000,
  /**
   * A quiet book on a live market is checked by REST within this time; older than this it is not
   * used. Wall time: a silent book is a doubt about the wire.
   */
  bookMs: 5_000,
} as const;

/** Feeds and what streams make of them (feeds.md, survival.md "Market data"). */
export const FEEDS = {
  /** An idle connection of a feed's REST side is let go before its server does so. */
  keepAliveMs: 4_000,
  /** Full-jitter back-off of every live source (feeds.md section 5). */
  reconnectFirstMs: 250,
  reconnectMaximumMs: 10_000,
  reconnectHealthyAfterMs: 60_000,
  /**
   * A reader that comes back within this finds its upstream running: a round's end and the next
   * one's start are moments apart.
   */
  lingerMs: 2_000,
  /**
   * Inputs of a round run this long before its window, so that its boundary is seen live and its
   * books are warm.
   */
  roundLeadMs: 15_000,
  /**
   * A view is recomputed at least this often: strategies use the time left, and silence is news
   * too.
   */
  viewHeartbeatMs: 1_000,
  /** A view is recomputed at most this often, however fast its inputs are. */
  viewWindowMs: 100,
  /**
   * Exchange and oracle further apart than 0.5 % contradict each other (feeds.md section 5), in
   * millionths.
   */
  disagreementMicros: 5_000,
  /** A price stamped further ahead of our clock than this is a broken clock, not news. */
  futureMaximumMs: 2_000,
  /**
   * Inference: a topic brings a value every five minutes; polling faster than 10 s is waste
   * (feeds.md section 1.2).
   */
  inferencePollMs: 10_000,
  inferencePollJitterMs: 5_000,
  /**
   * Ceiling of the doubled wait after failed polls; well under the staleness limit of the 5-minute
   * topic.
   */
  inferenceBackoffMaximumMs: 60_000,
  /**
   * The longest wait the network may ask for: what is known is stale long before, and one odd
   * header must not silence a topic for days.
   */
  inferenceAskedMaximumMs: 600_000,
  /** Topics are asked about again this often: they can be switched off while the daemon runs. */
  inferenceTopicsKeptMs: 3_600_000,
  /** Repairs of a missed moment: the report at a boundary is published about a second after it. */
  repairDelayMs: 3_000,
  repairFirstMs: 1_000,
  repairMaximumMs: 10_000,
  /** The venue's mirror of a boundary report waits this long for the oracle's own. */
  captureGraceMs: 5_000,
  repairsMaximum: 8,
  /**
   * Two reports of one connection this close have none between them: the feed brings one a second.
   * One asked for by its moment is no further from it.
   */
  reportStepMs: 2_000,
  /** Our own capture and the venue's price to beat may differ by its rounding: one cent. */
  strikeToleranceE8: 1_000_000,
  /**
   * The exchange price of a boundary is the newest within this time before it, or of its history
   * the first within this time after it.
   */
  startPriceAgeMs: 2_000,
  /** Volatility: the last five minutes weigh half, twenty returns make a first estimate. */
  volatilityHalfLifeSeconds: 300,
  volatilityMinimumReturns: 20,
  volatilityGapSeconds: 30,
  /**
   * Per square root of a second, in billionths: the calmest of 378 recorded 5-minute windows had
   * 0.00099 % (venue_a-btc5m-settlement).
   */
  volatilityFloorBillionths: 10_000,
  /** Drawn on top of every wait of a discovery, so that assets do not ask in step. */
  discoveryJitterMs: 1_000,
  /**
   * Rounds known ahead for one asset: half an hour of 5-minute windows, the current one and one to
   * spare.
   */
  roundsMaximum: 8,
  /**
   * Groups of equal strategy and thresholds: settings are free numbers, so a bound keeps the cost
   * of a view bounded.
   */
  groupsMaximum: 10_000,
  /**
   * A price socket without data for this long is dead even if it answers pings (feeds.md section
   * 2.2).
   */
  priceSilenceMs: 10_000,
  /** Exchange sockets say something every second; their documentation's watchdog. */
  exchangeSilenceMs: 30_000,
  /** The exchange drops a socket after 24 h; ours is replaced before. */
  exchangeLifeMs: 85_800_000,
  /** The venue's price socket stalls after 20 to 30 minutes; ours is replaced before. */
  venuePriceLifeMs: 15 * 60_000,
  handshakeTimeoutMs: 5_000,
  /** Frames hold one report; the venue's history dump of two minutes is a few kilobytes. */
  frameMaximumBytes: 1 << 20,
  /** REST answers: reports, candles and topic pages are a few kilobytes each. */
  answerMaximumBytes: 1 << 20,
  callTimeoutMs: 4_000,
  /** Data Streams allows 10 a second on each endpoint; repairs and polls need far fewer. */
  callsPerSecond: 5,
  connectionsMaximum: 2,
  /** Text ping of the venue's price socket (venue_a.md section 15.1). */
  venuePricePingMs: 5_000,
  /**
   * Prices of the venue's socket remembered for repairs of a boundary: two minutes of one a second.
   */
  venuePriceHistoryMaximum: 150,
  /** Pages of topics read at the start-up check. */
  topicPagesMaximum: 20,
} as const;

/** Trust in books (survival.md "Market data"). */
export const BOOKS = {
  /** No first book after this: read by REST, new socket. */
  snapshotWaitMs: 2_000,
  /**
   * A book from REST starts the next connection only when it is this young: its age counts anew
   * there.
   */
  seedMaximumMs: 1_000,
  /** No first book by REST either: a new socket is tried all the same. */
  snapshotGiveUpMs: 10_000,
  /** Crossed for longer than this is not a passing state. */
  crossedMaximumMs: 1_000,
  /**
   * A contradiction of the venue's own best prices that lasts this long is a lost message, not a
   * frame in two halves.
   */
  gapRefetchMs: 250,
  /** How often both books of a market are looked at, wall time: a fraction of every limit here. */
  inspectEveryMs: 250,
  /**
   * Markets watched at once: each is one socket and at most one REST comparison in `quietCheckMs`.
   * Trading has room in it at any time: 8 rounds, FARMING.slots, twice FARMING.heldWatchedMaximum
   * (live and on paper) and API.warmBooksMaximum. What is left is for books that are only shown.
   */
  marketsMaximum: 100,
  /**
   * A silent book is compared with REST after this, wall time; `STALENESS.bookMs` bounds its use.
   */
  quietCheckMs: 2_500,
  /**
   * A market whose book the venue does not have is asked about at most this often, ms of the
   * market clock: whether it has ended.
   */
  endAskedEveryMs: 5_000,
  /**
   * Ends remembered, so that no reader follows such a market anew, and for how long: more than end
   * in that time, and a market that was only paused is found open again.
   */
  endsKeptMaximum: 1_000,
  endKeptMs: 10 * 60_000,
  /** Between two REST reads of one doubted book. */
  refetchFirstMs: 250,
  refetchMaximumMs: 5_000,
  /**
   * REST books older than the frames they should correct, in a row, before a new socket is opened.
   */
  refusalsMaximum: 3,
  /** Up and Down books may disagree while one frame of two is under way: wall time. */
  mirrorMaximumMs: 1_000,
} as const;
