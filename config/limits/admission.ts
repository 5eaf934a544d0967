/**
 * What the API takes on at a time, so that what it takes is answered: the rest is refused at once
 * with `overloaded`. One process has one event loop, and orders, books and sockets live on it
 * beside everybody who reads.
 */
export const ADMISSION = {
  /**
   * Calls begin for this long before the sockets are polled again: some 20 reads at 0.2 ms. Who
   * arrives meanwhile waits for no more than this, and a poll of 64 sockets costs less than half a
   * millisecond.
   */
  passMs: 4,
  /**
   * Every so manieth call begun is one of callers not known yet, whatever known users ask for: a
   * quarter of the time lets people sign in on a busy day.
   */
  strangersEvery: 4,
  /**
   * Calls that will most likely be refused get one part in so many of the time: some 500 refusals a
   * second at 0.2 ms, whoever asks for how many.
   */
  suspectsTimeDivisor: 10,
  /**
   * Questions of health and metrics from one address that are answered at once: a dozen probes each
   * second. Those beyond are answered too, within the part of the time of calls that will be
   * refused.
   */
  probesPerMinute: 1_200,
  /**
   * Calls that wait to begin, in each lane and of them of one user or address. At 0.2 ms each a
   * full lane is begun within a fifth of a second. 64 connections that are only refused wait at
   * most a tenth of a second each; more are refused at once.
   */
  waitingMaximum: {
    trades: { perShare: 256, all: 1_024 },
    users: { perShare: 64, all: 1_024 },
    strangers: { perShare: 256, all: 512 },
    suspects: { perShare: 64, all: 256 },
  },
  /**
   * What waited this long is refused, orders and the files of pages apart: whoever asked has most
   * likely asked again.
   */
  waitMaximumMs: 2_000,
  /**
   * From so many waiting in their lane on, a call that is refused ends its connection: one client
   * over its budget keeps its own.
   */
  crowdedFrom: 16,
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
   * Bodies that have begun and not ended, of API.bodyMaximumBytes each, and of them those of one
   * address or user: 64 MB of callers not known, sixteen addresses needed to hold all, and as much
   * of known users. A picture counts as many as it is long, 64 at most: a user's leaves room for
   * orders beside it. Stops of known users are a few hundred bytes each: four thousand users would
   * have to hold theirs back, anew every API.bodyMs, before another's is refused.
   */
  bodiesMaximum: {
    strangers: { perShare: 64, all: 1_024 },
    users: { perShare: 96, all: 1_024 },
    stops: { perShare: 4, all: 16_384 },
  },
  /**
   * Tokens not seen yet that are checked at a time for stops whose address has no room left for
   * bodies: a signature takes 0.1 ms, and each holds one body meanwhile.
   */
  stopsCheckedMaximum: 64,
  /**
   * An unwatched book is good for this long, and carries its age: a person reads it, no agent
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
