/** Bounds of token data and the router, each with its reason. */

/** Calls to the sources of token data (web3.md section 3). */
export const TOKEN_DATA = {
  /** A cold answer is due in three seconds. */
  callTimeoutMs: 2_500,
  connectTimeoutMs: 2_000,
  keepAliveMs: 4_000,
  connectionsMaximum: 4,
  /** A page of twenty pools with their tokens is some 60 KB, thirty pairs as much. */
  answerMaximumBytes: 1 << 20,
  /** Free are 30 calls a minute: nine at once and 21 in the minute after them never pass it. */
  geckoPerSecond: 0.35,
  geckoBurst: 6,
  /** With a key 100 a minute. */
  geckoKeyPerSecond: 1.2,
  /**
   * Callers wait for these; keeping six chains' lists fresh takes twelve calls a minute and gets
   * the rest.
   */
  askedShare: 0.6,
  /** Free are 300 a minute. */
  dexScreenerPerSecond: 4,
  dexScreenerBurst: 40,
  /** Callers that may wait for their turn: beyond a few none would be answered in time. */
  waitingMaximum: 12,
  /** The vendor's own bound of one question. */
  pricesPerCallMaximum: 30,
} as const;

/** Calls to the router (web3.md section 2.1). */
export const ROUTER = {
  callTimeoutMs: 5_000,
  connectTimeoutMs: 2_000,
  keepAliveMs: 4_000,
  connectionsMaximum: 4,
  /** A quote asks many exchanges and bridges; the vendor's own takes up to ten seconds. */
  quoteTimeoutMs: 20_000,
  /** Two hundred tokens of six chains are some 400 KB. */
  answerMaximumBytes: 4 << 20,
  /** 100 a minute are free for everything but quotes. */
  perSecond: 1.2,
  burst: 20,
  waitingMaximum: 20,
} as const;

/** Calls to an indexer of wallets' tokens, where one is set. */
export const TOKEN_INDEX = {
  callTimeoutMs: 2_500,
  connectTimeoutMs: 2_000,
  keepAliveMs: 4_000,
  connectionsMaximum: 2,
  /** A hundred rows of 150 bytes are its page; ten times that is an answer of another service. */
  answerMaximumBytes: 1 << 20,
  rowsMaximum: 1_000,
  /**
   * Of the free tier's 500 compute units a second a call takes 26; five chains of three views a
   * second leave a tenth of it to others.
   */
  perSecond: 15,
  burst: 30,
  waitingMaximum: 30,
  /** What came a minute ago is seen by the next poll: blocks are final by then. */
  freshMs: 60_000,
  /** What it answered longer ago is outdated and not shown. */
  shownMaximumMs: 900_000,
  /** A view waits so long for it, within what each of its chains may take. */
  waitMs: 1_000,
  /**
   * Tokens of one wallet on one chain: all are read in the same multicall as the others, which
   * takes 150.
   */
  shownMaximum: 50,
  /** Tokens whose names and decimals are asked of a node at a time, four questions each. */
  factsAtOnce: 10,
  /** Some 300 bytes each. */
  factsMaximum: 10_000,
  walletsMaximum: 10_000,
} as const;

/** Lists of tokens. */
export const TOKEN_LISTS = {
  /**
   * Each chain's lists are made fresh this often while a client reads them (web3.md section
   * 3.1).
   */
  freshMs: 60_000,
  /** Deeper pages of the ranking, which only the list of gainers reads, change slowly. */
  deepFreshMs: 600_000,
  /** Older than this a list is no news and is shown as absent. */
  shownMaximumMs: 900_000,
  /** Lists not asked for within this are no longer kept fresh. */
  watchedMs: 600_000,
  /**
   * Between two calls that keep lists fresh: twelve a minute leave more than half of the free ones
   * to those who wait.
   */
  refreshEveryMs: 2_500,
  /**
   * A cold answer waits this long for chains that are not there yet, and names those it goes
   * without.
   */
  coldWaitMs: 2_500,
  /** Pages of twenty pools that gainers are looked for in. */
  gainerPagesMaximum: 5,
  /**
   * A pool of these counts among gainers (web3.md section 3.1): shallow and young ones gain by
   * anybody's whim.
   */
  gainerLiquidityUsd: 50_000,
  gainerVolumeUsd: 100_000,
  gainerAgeMs: 86_400_000,
  /** What is known of a token beyond its market changes by the day. */
  detailsKeptMs: 300_000,
  /** The router's lists change by the hour; their prices are for looking. */
  routedKeptMs: 60_000,
  /** Tokens asked of the router for one list: its most traded. */
  routedMaximum: 200,
  /** A search shorter than this finds everything. */
  searchMinimumChars: 2,
  searchMaximumChars: 64,
} as const;

/** Where warnings of tokens begin. */
export const TOKEN_WARNINGS = {
  /** A trade of a few hundred dollars moves such a pool by more than a tenth. */
  liquidityMinimumUsd: 10_000,
  /** Most tokens that are made to vanish do so on their first day. */
  freshMs: 86_400_000,
  imitationRatio: 10,
  nameMaximumChars: 40,
  symbolMaximumChars: 12,
} as const;

/** Prices of tokens for wallets and for bounding losses. */
export const TOKEN_PRICES = {
  /** A price younger than this is not asked for again: the source's own cache is a minute. */
  freshMs: 60_000,
  /** An older one is no price (L8). */
  shownMaximumMs: 300_000,
  /** When to ask again for one that is late: sources of tokens answer within some seconds. */
  lateRetryMs: 3_000,
  /** Some 200 bytes each. */
  keptMaximum: 10_000,
} as const;

/** Streams of prices. */
export const REALTIME = {
  /** At most four events a second of one subject (feeds.md section 5). */
  conflateMs: 250,
  /** Token data is a minute old at the source; asked for by this pace only while a client reads. */
  tokenPollMs: 15_000,
  /** A single answer waits so long for tokens not asked for lately. */
  waitMs: 2_500,
  /**
   * A subject whose last reader has left is followed a while longer: readers come back within
   * seconds and get what they missed.
   */
  lingerMs: 60_000,
  /** Events of three assets for some minutes, 300 bytes each. */
  eventsKept: 4_000,
  subjectsMaximum: 100,
  tokensPerReaderMaximum: 20,
  readersPerUserMaximum: 5,
  readersMaximum: 500,
} as const;

/** Swaps and bridges that begin on Solana. */
export const SOLANA_SWAP = {
  /** Programs the router's transactions may call (web3.md section 8.2); others are not signed. */
  programs: [
    '11111111111111111111111111111111',
    'ComputeBudget111111111111111111111111111111',
    'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
    'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
    'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
    // the exchange that finds its way through others (Jupiter), and the bridge Across
    'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4',
    'DLv3NggMiSaef97YCkew5xKUHDh13tVGZ7tydt3ZeAru',
  ],
  /** Fee, priority and the rents of four token accounts, of which some come back. */
  lamportsMaximum: 10_000_000,
  /** Fee, priority and the rent of one token account must be there. */
  lamportsNeeded: 2_200_000,
  /**
   * Trials of one transaction while other transactions of its wallet land: more than land in the
   * time of one call.
   */
  trialsMaximum: 3,
} as const;

/** Swaps and bridges. */
export const SWAP = {
  /** A quote is good this long (web3.md section 2.3). */
  quoteLifeMs: 60_000,
  /**
   * Quotes remembered of one user and of all; the oldest goes first, and a restart forgets them.
   */
  quotesPerUserMaximum: 20,
  quotesMaximum: 10_000,
  slippageDefaultBps: 50,
  slippageMaximumBps: 500,
  /**
   * The least out may lie so far below what goes in, at our own prices, beyond the slippage its
   * owner allows: 5 %.
   */
  lossMaximumBps: 500,
  /**
   * Swaps of one user under way at a time: each account's queue takes one transaction after
   * another.
   */
  openPerUserMaximum: 10,
  /**
   * Transactions that take back a right a swap did not use, in all: what fails three times in a row
   * fails for want of gas or by the token's own rule, and each costs a fee.
   */
  revocationsMaximum: 3,
  /**
   * A quote waits so long for prices that are not there yet: without them it is refused, and the
   * free tier answers some calls a second later.
   */
  priceWaitMs: 2_500,
  /** What the network takes is stated where its node answers within this, and not waited for. */
  gasWaitMs: 2_000,
  /** Of one approval: those of the usual tokens take 46,000 to 60,000. */
  approvalGas: 60_000,
  /** A router that says more gas than any block has says nothing. */
  gasMaximum: 60_000_000,
  /** Between polls of a transfer on its way, doubled up to the maximum (web3.md section 2.5). */
  pauseFirstMs: 1_000,
  pauseMaximumMs: 30_000,
  /** What is not proven by then is reported to the operator, and searched for no more. */
  giveUpMs: 24 * 3_600_000,
  /** One poll asks the router and two chains. */
  stepTimeoutMs: 30_000,
  /**
   * A swap whose transaction is final waits so long for a node that shows what it bought: one that
   * is behind the others has it within minutes, and one that has forgotten it never will.
   */
  balancesWaitMs: 10 * 60_000,
  /** A swap that takes longer is logged and counted: bridges end within minutes. */
  lateAfterMs: 30 * 60_000,
  /** A caller is answered with the end, or with how far it is after this. */
  answerWithinMs: 4_000,
  /** Blocks on top of what arrived, its own included: that of own transactions. */
  confirmations: 3,
  /**
   * What the router's own contract is called on every chain of the table (web3.md section 12);
   * nothing else is called or given rights.
   */
  targets: ['0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE'],
  /**
   * Newest swaps whose tokens a wallet's view shows, and tokens of one chain among them: they are
   * read in the same multicall as the dollars.
   */
  rememberedMaximum: 200,
  tokensShownMaximum: 50,
  /** Dollars that may leave by swaps at their worst loss in a day without a fresh sign-in. */
  dailyOutDefaultUsd: 1_000,
} as const;
