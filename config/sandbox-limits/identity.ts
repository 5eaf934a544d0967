/** Bounds of the sandbox's houses of identity: the OpenID provider and the social protocol. */

/** The OpenID provider (identity.md section 3). */
export const OPEN_ID_MODEL = {
  /** Records of one kind remembered: sessions, interactions, codes; the oldest goes first. */
  recordsMaximum: 1_000,
  /** An authorization code lives as long as Google's. */
  codeLifeSeconds: 600,
  /** A person at the page, a session of the browser, and everything else. */
  interactionLifeSeconds: 600,
  sessionLifeSeconds: 86_400,
  tokenLifeSeconds: 3_600,
  /** The signing key: the smallest that RS256 takes. */
  keyBits: 2_048,
} as const;

/** The social protocol's relay and registries (identity.md section 4). */
export const SOCIAL_MODEL = {
  /** Identities that exist: 1 to this. */
  fidMaximum: 10_000,
  /** Channels remembered; the oldest goes first. */
  channelsMaximum: 1_000,
  /** A channel ends after this, as at the real relay. */
  channelLifeMs: 600_000,
  /** A message signed by the person's phone is good for this long. */
  messageLifeMs: 600_000,
} as const;
