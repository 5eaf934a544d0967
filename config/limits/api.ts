/** What the HTTP and WebSocket API takes. */
export const API = {
  /** The largest legal body is an order of a few hundred bytes. */
  bodyMaximumBytes: 65_536,
  /**
   * A whole body, however steadily its bytes come: 64 KB at 6.5 KB a second, below any line that
   * people trade over.
   */
  bodyMs: 10_000,
  /** The same of a picture: 4 MB at 35 KB a second. */
  pictureMs: 120_000,
  /**
   * A page of another origin asks again after this whether it may call; browsers keep it no longer
   * than two hours.
   */
  preflightKeptSeconds: 3_600,
  headersMaximum: 48,
  headerBytesMaximum: 16_384,
  socketPayloadMaximumBytes: 16_384,
  /** Topics of one socket or one message: more is a mistake or an attack. */
  subscriptionsMaximum: 256,
  socketIdleSeconds: 60,
  socketBacklogMaximumBytes: 1 << 20,
  socketsMaximum: 10_000,
  socketsPerUserMaximum: 32,
  /** Sockets of one address: a house of a hundred people behind one, with two pages each. */
  socketsPerAddressMaximum: 200,
  readsPerMinute: 600,
  writesPerMinute: 120,
  /**
   * Cancels, stops and revoked keys, in a bucket of their own: all that the writes of one minute
   * placed can be taken back one by one in the next.
   */
  stopsPerMinute: 120,
  pageDefault: 50,
  pageMaximum: 200,
  /**
   * Markets or books named in one call: each may be a question to the venue, four of a user's run
   * at a time, and a dashboard shows no more at once.
   */
  idsPerCallMaximum: 20,
  /**
   * Markets remembered beside those of running rounds: what a day of browsing and manual trading
   * touches.
   */
  marketsKeptMaximum: 5_000,
  /** Ticks and states change within minutes (venue_a.md section 5.2). */
  marketKeptMs: 60_000,
  /** A book watched for one manual order stays watched for the next one. */
  warmBookMs: 120_000,
  /**
   * Such books at once, the one asked for longest ago let go first: anybody may ask for any, and
   * agents need the other places of BOOKS.marketsMaximum.
   */
  warmBooksMaximum: 20,
  /** Idempotency keys are kept for a day: longer than any sensible retry. */
  idempotencyKeptMs: 24 * 3_600_000,
  idempotencyKeyMaximumChars: 128,
  /**
   * How long the answer to a market order waits for its end unless the caller prefers otherwise:
   * fills come within a second, the venue's longest delay is three.
   */
  orderWaitDefaultMs: 5_000,
  /**
   * And at most, whatever they prefer: with all writes of a minute a user then holds 20 of
   * ADMISSION.tradesMaximum.
   */
  waitMaximumMs: 10_000,
  /** Token buckets kept in memory, least recently used first out: 100 bytes each, so 5 MB. */
  rateBucketsMaximum: 50_000,
  /** An upgraded socket that has not said who it is by then is closed. */
  socketAuthMs: 10_000,
  /** How soon a session that was ended loses its sockets. */
  socketRecheckMs: 30_000,
  /**
   * Messages a socket may send in a burst and per second after it; more is a loop, not a person.
   */
  socketMessagesBurst: 512,
  socketMessagesPerSecond: 50,
  /**
   * Faulty messages before a socket is closed: enough to see one's mistake, too few to make us
   * work.
   */
  socketFaultsMaximum: 10,
  /**
   * A change after a pause waits this long for others of its moment: one write to a socket carries
   * all its topics, and the system call is the cost.
   */
  socketGatherMs: 2,
  /** Changes come no oftener than this: fifty a second are more than eyes see. */
  socketFlushMs: 20,
  /**
   * Sockets written to in one turn of the event loop: at 8 µs a system call an order waits 4 ms for
   * them at most.
   */
  socketsPerShard: 500,
  /**
   * Sockets written to a second: a tenth of the event loop at 8 µs each. 500 readers of a busy book
   * see it 25 times a second, 5,000 see it 2.5 times.
   */
  socketWritesPerSecond: 12_500,
  /**
   * Sockets written to before that rate counts: a lone change reaches ten shards at once, 40 ms in
   * ten turns.
   */
  socketWritesBurst: 5_000,
  /**
   * Messages held while a token is checked: what a client sends right after its token, and no store
   * for others.
   */
  socketHeldMaximum: 32,
  socketHeldMaximumChars: 65_536,
  /**
   * Different books and prices of one user, all sockets together: a dashboard's tens, and no more
   * than a third of what BOOKS.marketsMaximum can show.
   */
  topicsPerUserMaximum: 64,
  /**
   * Different books and prices followed at once for all users together: each may be a subscription
   * at the venue, and no thirty users fill it.
   */
  topicsMaximum: 2_000,
  /**
   * A followed book is sought again after this where too many were watched: a client reads it
   * meanwhile.
   */
  bookSoughtAgainMs: 5_000,
  /**
   * Examples of the OpenAPI document name markets that are there: looked after this often, for
   * those of most volume stay for hours, and a document that stays the same is not sent again.
   */
  exampleMarketsKeptMs: 600_000,
  /** Trades of at least this much are whales unless the caller says otherwise. */
  whaleMinimumUsd: 10_000,
  /** How long a clean end waits for calls that are running. */
  drainMs: 5_000,
  /** The server ends what is silent for ten seconds. */
  streamKeepAliveMs: 5_000,
  /** Readers of streams come back after this. */
  streamRetryMs: 2_000,
} as const;
