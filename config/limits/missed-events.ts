/** Bounds of what is sent again to clients that were away, each with its reason. */
export const MISSED_EVENTS = {
  /**
   * Facts are found by their reader for so long, on the clock they are stamped by: a laptop that
   * was shut over night. Who was away for longer begins with a snapshot.
   */
  keptMs: 86_400_000,
  /** … and so many of all users together: about a gigabyte beside the log. */
  keptMaximum: 1_000_000,
  /** Facts forgotten with one commit of LMDB, on its own thread: many times what comes with it. */
  forgottenAtOnce: 10_000,
  /** Facts looked at in one turn of the event loop: a few milliseconds of it. */
  lookedAtInTurn: 100,
  /** Facts looked at for one answer over HTTP: what another topic tells is passed over. */
  lookedAtInCall: 1_000,
  /** Messages sent again on a socket: a snapshot says the same in less. Over HTTP all are. */
  resentMaximum: 5_000,
  /**
   * A reader with so many bytes on the way hears the rest when it has taken them, well before
   * `API.socketBacklogMaximumBytes` cut it off, and is looked at again after this.
   */
  backlogMaximumBytes: 262_144,
  backlogCheckMs: 50,
} as const;
