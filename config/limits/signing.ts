/** Bounds of what is kept ready for signing orders, each with its reason. */

/** What the signer remembers of texts it has read. */
export const SIGNING = {
  /**
   * Addresses, and outcome tokens, read last: more than the users and tokens that trade within
   * minutes; 64 bytes each.
   */
  textsRemembered: 8_192,
} as const;
