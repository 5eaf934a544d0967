/** Bounds of notifications and web push, each with its reason. */

/** The list of notifications. */
export const NOTIFICATION = {
  /**
   * Newest ones kept of a user: five agents that trade every window fill it in half a day, and
   * trades themselves are kept for good.
   */
  keptPerUserMaximum: 1_000,
  /** Characters of a market's title in a text: a line and a half on a telephone. */
  titleMaximumChars: 80,
  /** Characters of an outcome's name. */
  labelMaximumChars: 24,
  /** Characters of the venue's words on a refusal. */
  reasonMaximumChars: 160,
} as const;

/** Web push (RFC 8030, 8291, 8292). */
export const PUSH = {
  /**
   * Browsers of one person; the oldest makes room, since those that are gone are found out only by
   * sending.
   */
  subscriptionsPerUserMaximum: 10,
  /** Endpoints of today's push services are 150 to 500 characters. */
  endpointMaximumChars: 1_024,
  /** Messages of one user that may wait; more are dropped and counted, and stay in the list. */
  waitingPerUserMaximum: 100,
  /**
   * News of a trade, or of money that came or went, that is older than this is outdated: the push
   * service drops it by then too.
   */
  tradeLifeMs: 3_600_000,
  /** News that a key was asked for, or that its holder moved money, is worth a day. */
  securityLifeMs: 86_400_000,
  /** Messages under way to one host at a time: a host that hangs holds up its own messages only. */
  sendingPerHostMaximum: 8,
  /**
   * Messages under way in all: an encryption is a third of a millisecond, and none of it may crowd
   * trading.
   */
  sendingMaximum: 64,
  /** Hosts looked at in one round; the allowed names bound them long before. */
  hostsMaximum: 256,
  /** Push services answer within a second; whoever takes longer is not waited for. */
  sendTimeoutMs: 10_000,
  connectTimeoutMs: 5_000,
  /** Tries of one message that was surely not taken; with the waits below they last ten minutes. */
  triesMaximum: 6,
  /** Wait after the first such try, four times as long each time. */
  retryFirstMs: 2_000,
  /** Longest wait, also of a Retry-After. */
  retryMaximumMs: 300_000,
  /** Answers are empty or a sentence. */
  answerMaximumBytes: 16_384,
  keepAliveMs: 4_000,
  /**
   * Push services take 4 096 bytes of a body (RFC 8030, section 7.2), of which 103 are the
   * encryption's (RFC 8291, section 4).
   */
  payloadMaximumBytes: 3_993,
  /** How long a clean end waits for messages under way. */
  drainMs: 2_000,
} as const;
