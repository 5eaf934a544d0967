/** Bounds of the links between feeds and those who read from them (cluster.md sections 2 and 5). */
export const FEED_LINK = {
  /** A reader asks its feed for a sign of life so often: four times in the time it gives it. */
  beatMs: 250,
  /**
   * A feed whose newest sign of life was asked for longer ago is left for another one. It bounds
   * how late what it sends can arrive: a fifth of what a book may be old (`STALENESS.bookMs`).
   */
  silentMs: 1_000,
  /** A connection that is not proven by both sides within this is given up: one silence. */
  joinMs: 1_000,
  /** The wait after no feed of the list could be joined. */
  againMs: 250,
  /**
   * What is followed while no feed answers is given up after this, as a venue's socket is that does
   * not open (`FEEDS.handshakeTimeoutMs`): its reader then counts and logs it.
   */
  followWaitMs: 5_000,
  /**
   * A question is answered within this: the risk assessor takes 8 s at most (`ASSESSOR.budgetMs`),
   * and there is a silence. Where no feed is joined it is given up after `followWaitMs`.
   */
  answerMs: 10_000,
  /** A reader that asks for no sign of life this long is gone: twenty beats. */
  readerSilentMs: 5_000,
  /** Readers of one feed: 52 in cluster.md section 9, twice over. */
  readersMaximum: 128,
  /**
   * What one reader follows at once: the books of `BOOKS.marketsMaximum` markets of four venues,
   * and prices.
   */
  followedMaximum: 450,
  /** Markets a feed follows at once for all: each is a socket at some venues. */
  marketsMaximum: 1_000,
  /** Tokens of one market group. */
  tokensMaximum: 16,
  /** Questions of one reader under way: a book of each market it watches. */
  questionsMaximum: 128,
  /** The longest message of a reader asks about a market with its description, in UTF-8. */
  requestMaximumBytes: 16_384,
  /**
   * A page of a scan: a hundred markets with descriptions of 2,000 characters are 600 KB, and a
   * page of events may hold some hundreds. A whole book of 9,999 prices is 200 KB.
   */
  frameMaximumBytes: 4 << 20,
  /**
   * Of a reader with more waiting than this changes of books are left out; it gets the newest whole
   * book once it has caught up. A hundredth of a second of a link that carries 100 MB/s.
   */
  behindBytes: 1 << 20,
  /** A reader with more waiting is cut off: its signs of life wait behind it. */
  backlogMaximumBytes: 16 << 20,
  /** Names of venues and markets, characters. */
  nameMaximum: 200,
  /** Descriptions of markets as the assessor is asked about them (`ASSESSOR.descriptionChars`). */
  textMaximum: 2_000,
  /** Cursors of venues' lists are of some hundred characters. */
  cursorMaximum: 2_000,
  /**
   * An answer of the inference network is good for all who ask within this: half of
   * `FEEDS.inferencePollMs`, of a value that changes every five minutes.
   */
  inferenceKeptMs: 5_000,
  /**
   * A page of a scan is good for all who ask within this: what is farmed is scanned every half an
   * hour. Moments of what is asked are rounded outwards to it, since the venue takes them as hints.
   */
  scanKeptMs: 60_000,
  /** Pages that are kept: those of one scan (`FARMING.scanPagesMaximum`), some 200 KB each. */
  scanPagesKeptMaximum: 160,
  /**
   * A verdict is good for all who ask the same within this: two scans. Each process keeps its own
   * for a day (`ASSESSOR.keptMs`).
   */
  verdictKeptMs: 3_600_000,
  /** Verdicts that are kept, with their questions of some kilobytes each. */
  verdictsKeptMaximum: 1_000,
  /** Questions remembered at a time while they are asked. */
  questionsKeptMaximum: 2_048,
  /**
   * A feed that has reached none of its sources for this long lets its readers go, to one that
   * does: longer than any source takes to be found silent and opened again once.
   */
  lostMs: 10_000,
  /** How often that is looked at. */
  inspectMs: 1_000,
  /** A feed that ends lets its readers go for this long. */
  closeMs: 500,
} as const;
