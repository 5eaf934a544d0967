/** Bounds of the sandbox's push service. */
export const PUSH_MODEL = {
  /** Browsers remembered; the oldest goes first. */
  browsersMaximum: 1_000,
  /** Messages a browser shows; the oldest goes first. */
  messagesMaximum: 100,
  /** The largest body a push service has to take (RFC 8030, section 7.2). */
  bodyMaximumBytes: 4_096,
  /** Signatures may be good for a day at most (RFC 8292, section 2). */
  signatureLifeMaximumSeconds: 86_400,
  /** What `push-busy` asks for. */
  retryAfterSeconds: 1,
} as const;
