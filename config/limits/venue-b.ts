/** Bounds of what venue_b is asked, each with its reason. */

/** Calls and sockets to venue_b: its metadata, trade and identity interfaces (venue_b.md sections 4, 7, 9 and 12). */
export const VENUE_B = {
  /** Reads are relayed from the exchange behind it and take up to a second; a read that took this long is asked again by its caller. */
  readTimeoutMs: 4_000,
  /** An order is routed and its transaction built before it is answered. */
  quoteTimeoutMs: 8_000,
  /** The largest answers are pages of 255 markets, two kilobytes each, and 5,000 candles. */
  answerMaximumBytes: 8 << 20,
  connectionsMaximum: 16,
  /** Idle connections live shorter than the venue's own limit, so that a call never meets a closing one. */
  keepAliveMs: 4_000,
  handshakeTimeoutMs: 5_000,
  /** The venue states no rate for a key; these are far below what its keyless tier was seen to take (section 4). */
  metadataReadsPerSecond: 40,
  quotesPerSecond: 20,
  statusReadsPerSecond: 40,
  identityReadsPerSecond: 5,
  /** Who asks for metadata shares its rate as on every venue: orders and books first, agents that look for markets, people who look. */
  laneShares: { trading: 0.5, discovery: 0.2, browsing: 0.3 },
  /** Calls that may each wait for the rate limit before new ones are refused. */
  callsWaitingMaximum: 1_000,
  /** Reads of people who look, which wait fairly before they come here (LOOKUPS.browsing). */
  browsingCallsWaitingMaximum: 32,
  /** When the venue says "slower" without saying for how long. */
  retryAfterDefaultMs: 1_000,
  /** A longer wait than this is a mistake; the question is asked again by then. */
  retryAfterMaximumMs: 60_000,
  /** A page of markets or events: the interface counts them in one byte (section 7). */
  pageMaximum: 200,
  /** A page of a filter that the venue does not know is cut out of at most so many rows of it. */
  eventMarketsMaximum: 1_000,
  /** Tickers named in one batch question (section 7). */
  batchMaximum: 100,
  /** What one trade may take of a wallet's SOL: two signatures with their priority, an order account and the account of a new token, 0.002 SOL of rent (web3.md section 8.2). */
  tradeLamports: 5_000_000,
  /** Candles of one question (section 7). */
  candlesMaximum: 5_000,
  /** A book of a busy market has 100 levels a side, 20 bytes each. */
  frameMaximumBytes: 1 << 20,
  /** No heartbeat is documented (section 12): a silent book is compared by REST, and a socket without any frame for this long is made anew. */
  socketSilenceMs: 120_000,
  /** Markets whose tokens are known by name, some 200 bytes each: beyond it the one named longest ago is asked for again. */
  tokensKnownMaximum: 20_000,
} as const;

/** What orders on venue_b are held to (`VenueTraits` says what each is). */
export const VENUE_B_TRAITS = {
  /** A fill may be partial and the rest comes back: all-or-nothing cannot be promised (section 9.2). */
  lives: ['part_now', 'rests'],
  /** The venue keeps no orders (section 1). */
  restsAt: 'service',
  /** A blockhash lives 150 slots, about a minute: what is proven never to land by then may be quoted once more. */
  sendWindowMs: 75_000,
  /** A node answers within a second; the order is asked about after this. */
  submitTimeoutMs: 8_000,
  /** Each attempt at a resting order may cost the network's fee: twenty are a cent or two. */
  attemptsMaximum: 20,
  /** Only the chain proves that a transaction never lands: its block height has passed. */
  absenceFinalAfterMs: null,
  endsEarlyMs: 0,
  /** Whole contracts (section 9.4). */
  shareStepMicros: 1_000_000,
  /** Money is asked for in cents; what does not buy a whole contract comes back. */
  cashStepMicros: 10_000,
  dustShareMicros: 0,
  dustCashMicros: 0,
  /** Solana's fee and the rent of new token accounts: paid in SOL, known once the transaction is there. */
  networkCostMicros: null,
} as const;
