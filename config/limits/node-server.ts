/**
 * Bounds of the server that Node.js brings, used where uWebSockets.js has no build: as far as it
 * can be, those that the other one has built in.
 */
export const NODE_SERVER = {
  /** A head is read no further than this: the guard's own limit, and room for its refusal. */
  headBytesMaximum: 32_768,
  /** A head that takes longer is one that never ends; a connection without a call waits as long. */
  headMs: 12_000,
  /** A connection on which nothing moves for so long, neither body nor answer, is cut. */
  silentMs: 12_000,
  /** A whole request, the largest picture over a slow line included. */
  requestMs: 120_000,
  /** How often requests that never end are looked for. */
  checkMs: 2_000,
  /** Bytes of an event stream that wait for a reader: as many as a socket's. */
  streamBacklogMaximumBytes: 1 << 20,
  /** Looks at idle sockets within their idle time: each is pinged at half of it. */
  idleChecks: 8,
  /**
   * Connections of one address, this machine and trusted proxies apart: those of its sockets, and a
   * page's six for as many people again.
   */
  connectionsPerAddressMaximum: 512,
  /** A socket whose client does not answer a close frame is cut after this. */
  closeMs: 2_000,
} as const;
