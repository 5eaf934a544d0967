/** Bounds of a log that several machines keep, each with its reason (cluster.md section 3). */
export const SHARED_LOG = {
  /**
   * An owner that has written nothing for so long by a waiting process's own clock may be replaced:
   * long against a pause of either, short for users who wait.
   */
  leaseMs: 3_000,
  /** How often a waiting process reads the shard's row: the pause of a take-over grows by it. */
  pollMs: 100,
  /** Polls in a row that an owner's connection is gone: one may fall between two connections. */
  pollsGone: 2,
  /**
   * A process that has not polled for so long, or was not answered, begins its wait anew: half a
   * lease.
   */
  pollsApartMaximumMs: 1_500,
  /** An owner without commits writes so often: five times in a lease. */
  renewMs: 600,
  /**
   * The part of a lease after which its owner sends nothing more, from the start of its last
   * success: the rest is what a send may take to leave.
   */
  heldPart: 0.8,
  /** A node that does not take a connection in this time is passed over. */
  connectTimeoutMs: 2_000,
  /**
   * A statement without an answer is given up with its connection: a quorum commit takes a few
   * milliseconds, and whether it was carried out is then asked.
   */
  statementTimeoutMs: 5_000,
  /** Attempts to reach the engine again: first at once, then this long apart at most. */
  againFirstMs: 50,
  againMaximumMs: 1_000,
  /**
   * A process that takes over goes on with deadlines another machine has set: orders are good for
   * seconds.
   */
  clockApartMaximumMs: 500,
  /** Frames read in one answer: of 4 KB mostly, a few hundred kilobytes. */
  framesPerRead: 100,
  /** Statements that wait for the connection: an append, a renewal, and reads of one start. */
  statementsWaitingMaximum: 16,
} as const;

/** Bounds of the directory of users, which lies beside the logs of the shards. */
export const DIRECTORY = {
  /** A sign-up waits this often for a database that fails over, about two seconds. */
  attemptsMaximum: 6,
  /** Claims that one statement adds or removes at a start: some hundred kilobytes. */
  claimsPerStatement: 1_000,
} as const;

/** Bounds of a split of a shard (src/adapters/postgres/README.md). */
export const SHARD_SPLIT = {
  /** Parts of a snapshot that one statement copies, of a mebibyte each: some 50 ms. */
  partsPerCopy: 4,
  /** Frames that one statement copies: of 4 KB mostly, and never moved out of the database. */
  framesPerCopy: 500,
  /** Frames that may be lacking when the owner is asked to end: its successor copies them. */
  framesLeft: 500,
  /** How often an owner asks whether its shard is to be split: the pause of users is not in it. */
  askedMs: 500,
  /** How often the command that asked for a split reads how far it is. */
  readMs: 200,
  /** The command waits so long for a process of the new shard: people start it. */
  followedMs: 600_000,
  /** How often it copies what the shard has added meanwhile, and asks for that process. */
  copyMs: 500,
  /** The command waits so long for the owner to end and for the next one: a few leases. */
  waitedMs: 30_000,
  /** Records that one transaction forgets, or one turn reads: milliseconds of either. */
  recordsPerChange: 500,
} as const;
