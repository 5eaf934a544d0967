/**
 * What the API takes on at a time, so that what it takes is answered: the rest is refused at once
 * with `overloaded`. One process has one event loop, and orders, books and sockets live on it
 * beside everybody who reads.
 */
export const ADMISSION = {
  /**
   * A turn of the event loop that has worked on requests this long takes no further reads: an order
   * passes through about six turns, and a person waits for it. Some 100 reads at 0.15 ms each.
   */
  readTurnMs: 15,
  /**
   * Orders and other changes begun in one turn, whatever readers do to it: at a third of a
   * millisecond each, a twelfth of a second.
   */
  tradesPerTurnMaximum: 256,
  /**
   * Reads under way, most of them waiting for a venue or a chain: as many answers as 64 MB of pages
   * may hold.
   */
  readsMaximum: 512,
  /**
   * Orders and other changes under way: 32 may wait for one cash account, and the venue takes 250
   * in a second.
   */
  tradesMaximum: 1_024,
  /** Sign-ins under way: each derives keys and writes durably. */
  signInsMaximum: 128,
  /**
   * Bodies that have begun and not ended, of API.bodyMaximumBytes each: 64 MB. A picture counts as
   * many as it is long. The server cuts the slow ones after ten seconds.
   */
  bodiesMaximum: 1_024,
  /** Of these from one address: sixteen such addresses are needed to hold all. */
  bodiesPerAddressMaximum: 64,
  /**
   * A book nobody watches is good for this long, and carries its age: a person looks at it, nobody
   * trades on it.
   */
  coldBookKeptMs: 1_000,
  /** When to come back: a second is some thousand answers later. */
  retryAfterMs: 1_000,
  /**
   * The text of all metrics takes milliseconds to write and is for everybody: one is good for this
   * long.
   */
  metricsKeptMs: 500,
} as const;

/** `npm start -- --addresses`. */
export const ADDRESSES = {
  /**
   * A daemon on this machine answers at once, and one on a machine that twenty processes share
   * within seconds.
   */
  answerTimeoutMs: 10_000,
} as const;
