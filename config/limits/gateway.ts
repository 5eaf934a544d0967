/** Bounds of a gateway, which hands calls and sockets on to the owner of a shard. */
export const GATEWAY = {
  /**
   * How long a call waits for an owner: a take-over by the lease takes 4 s and a start about one,
   * and people wait as long for a page.
   */
  holdMs: 8_000,
  /** When a caller is to come back that found no owner in this time. */
  retryAfterMs: 2_000,
  /** A call that did not reach its owner is tried again this long after. */
  againMs: 100,
  /**
   * How often shards name another one for a call: the one that sends a phone's codes, then that of
   * its user.
   */
  redirectsMaximum: 2,
  /** How often the owner of each shard is read: the pause of a take-over grows by half of it. */
  ownerPollMs: 100,
  /**
   * An owner is asked for a sign of life so long after the one before. One that gives none in this
   * time sends nothing either (`isHeld` ends after 2.4 s without a proof), and books are in doubt
   * before they are 5 s old, as without a gateway.
   */
  pulseMs: 500,
  pulseMaximumMs: 2_400,
  /** A gateway that could not read it for so long is not ready: five leases. */
  ownerSilentMs: 15_000,
  /** An owner that does not take a connection in this time is tried again. */
  connectTimeoutMs: 2_000,
  /** Longer than any call of the interface takes to begin its answer. */
  answerMaximumMs: 120_000,
  /** Connections to an owner, one call on each at a time: as many as it answers at once. */
  connectionsMaximum: 512,
  /** Calls under way, those that wait for an owner among them. */
  callsMaximum: 4_000,
  /** All bodies that are held, so that calls that wait cannot fill the memory. */
  bodiesMaximumBytes: 134_217_728,
  /** Sockets of a gateway (cluster.md section 9), each with one to the owner. */
  socketsMaximum: 5_000,
  /** Messages of a client that wait for an owner; whoever sends more is to come back. */
  messagesHeldMaximum: 64,
  /** Messages of a client whose answers are recognized: a burst of its allowance, twice over. */
  messagesKnownMaximum: 1_024,
  /** A socket waits for an owner as long as one is sought: past this its client is to come back. */
  socketHoldMs: 60_000,
  /** How often the files of the certificate are read: one is replaced weeks before its end. */
  certificateReadMs: 60_000,
  /** A socket is joined to an owner so often in a minute; then its client is to come back. */
  rejoinsMaximum: 10,
} as const;
