/**
 * Every bound and default of sign-in by phone, of tokens and of API keys, each with its reason
 * (identity.md).
 */

/** One-time codes (identity.md sections 1.1 and 1.2). */
export const OTP = {
  /** Waits between sends of one series, doubled: 30, 60, 120 s. */
  resendFirstMs: 30_000,
  resendMaximumMs: 120_000,
  sendsPerPhonePerHour: 5,
  sendsPerPhonePerDay: 10,
  sendsPerAddressPerHour: 10,
  sendsPerAddressPerDay: 30,
  /**
   * Codes that let a signed-in user take money or keys out: as an address's sign-ins,
   * which they leave alone, and which leave them alone.
   */
  sendsPerUserPerHour: 10,
  sendsPerUserPerDay: 30,
  /** Sends to one country within an hour: beyond it they are asked for to earn by them. */
  sendsPerCountryPerHour: 500,
  /** Sends in a day, all together: what a day may cost. */
  sendsPerDay: 5_000,
  /**
   * Wrong tries of one phone within an hour before it is locked; a lock follows every further ten.
   */
  wrongPerPhonePerHour: 10,
  /**
   * The first lock, doubled with each further one up to a day: a hundred wrong codes in a row take
   * four days.
   */
  lockFirstMs: 3_600_000,
  lockMaximumMs: 86_400_000,
  /**
   * Wrong tries in a row after which only another way of signing in is left (NIST SP 800-63B,
   * section 3.2.2).
   */
  wrongInARowMaximum: 100,
  /**
   * A phone's record is kept this long after its last wrong try, so that waiting does not wipe the
   * count.
   */
  wrongKeptMs: 30 * 86_400_000,
} as const;

/** Calls to the telephone service (identity.md section 1.4). */
export const TELEPHONE = {
  /** The service answers within a second; the text itself takes longer and is not waited for. */
  callTimeoutMs: 8_000,
  connectTimeoutMs: 3_000,
  /** Answers are one small object. */
  answerMaximumBytes: 65_536,
  connectionsMaximum: 4,
  keepAliveMs: 4_000,
  /**
   * A service that has sent a number enough codes forgets it with the verification, which lives ten
   * minutes there.
   */
  sendsForgottenAfterMs: 600_000,
} as const;

/** Access tokens and the keys that sign them (identity.md section 2.1). */
export const TOKENS = {
  /** A key signs this long. */
  signingKeyLifeMs: 90 * 86_400_000,
  /** Others may keep our key set this long. */
  keySetCachedSeconds: 300,
  /**
   * A new key is published this long before it signs: twice the time its readers may keep the old
   * set.
   */
  publishAheadMs: 600_000,
  /** A replaced key is known for the longest token's life and this much more. */
  skewMs: 60_000,
  /** Whether it is time for another key is looked at this often. */
  rotationCheckMs: 60_000,
  /**
   * A refresh token that comes again this soon from the same device lost its answer; later it was
   * stolen.
   */
  refreshGraceMs: 10_000,
  /** A session ends for good after this, however often it is refreshed. */
  sessionLifeMs: 90 * 86_400_000,
  /** Tokens minted for an API key: one call, not a session. */
  apiKeyTokenLifeMs: 120_000,
  /** What counts as having just signed in, where a call asks for it. */
  freshSignInMs: 5 * 60_000,
} as const;

/** Sign-in at another identity provider: Google, social login (identity.md sections 3 and 4). */
export const LOGIN_ATTEMPTS = {
  /**
   * From the start to the return: the provider's own codes live ten minutes, a signed message five
   * to ten.
   */
  visitLifeMs: 10 * 60_000,
  /** Visits begun within an hour, all together: bounds their table whatever the world sends. */
  begunPerHour: 20_000,
  /** One call to a provider. */
  callTimeoutMs: 5_000,
  /** Discovery, keys and tokens are a few kilobytes each. */
  answerMaximumBytes: 262_144,
  /** Clocks of others may differ from ours by this much. */
  skewSeconds: 5,
  /** The address a browser comes back to: code, state and issuer are below a kilobyte. */
  returnedToMaximumChars: 4_096,
  /** A signed message is below a kilobyte. */
  messageMaximumChars: 4_096,
  /** A contract's signature may be several of an account's in a row. */
  signatureMaximumChars: 4_098,
} as const;

/** The relay that brings a social sign-in to a user's phone (identity.md section 4). */
export const SOCIAL_RELAY = {
  /** One call to it. */
  callTimeoutMs: 5_000,
  connectTimeoutMs: 3_000,
  connectionsMaximum: 4,
  keepAliveMs: 4_000,
  /** An answer holds a message, a signature and a profile: a few kilobytes. */
  answerMaximumBytes: 65_536,
  /**
   * A link with its channel is below two hundred characters, and a QR code of more is hard to read.
   */
  linkMaximumChars: 512,
  /** It is asked about one channel this often at most, as the protocol's own client does. */
  askEveryMs: 1_500,
  /**
   * And about all of them together; further questions are answered as not signed yet.
   */
  asksPerSecond: 50,
  /**
   * Channels whose last question is remembered; of one that was forgotten the relay is asked anew.
   */
  askedRemembered: 5_000,
} as const;

/** API keys (identity.md section 5). */
export const API_KEYS = {
  /** Active keys of one user. */
  activeMaximum: 10,
  /** Keys of one user, revoked ones included: the list stays readable and the table bounded. */
  keptMaximum: 50,
  nameMaximumChars: 64,
  /**
   * Calls of a key that its owner can read; the journal has all of them. At the most a key may ask,
   * half an hour.
   */
  activityKept: 2_000,
  /** Of the arguments and of the answer of a call, in its line: enough to see what was done. */
  recordedChars: 1_000,
  /** Venues or tools that a key names. */
  namesMaximum: 50,
  /** Of such a name: the longest tool's is half as long. */
  limitNameMaximumChars: 64,
  /** Longest life a key may be given: beyond it its purpose is forgotten. */
  lifeMaximumMs: 366 * 86_400_000,
  /** A key's last use is written at most this often. */
  lastUseEveryMs: 60_000,
} as const;

/** Ending accounts for good. */
export const PROFILE_REMOVAL = {
  /**
   * Less than a dollar in one place is dust: taking it out costs the network's fee, and leaves
   * some of the coin that pays it.
   */
  dustMicros: 1_000_000,
  /**
   * Less than a hundredth of a share pays a cent at most, and is below what a venue takes in an
   * order: a sale leaves it, and only the end of the market takes it away.
   */
  dustShareMicros: 10_000,
} as const;
