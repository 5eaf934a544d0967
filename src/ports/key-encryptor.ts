/** A data key sealed under a master key. Both fields may be stored and shown. */
export interface WrappedKey {
  /**
   * Names the master key without telling anything about it: tells a wrong key from a damaged
   * record.
   */
  readonly keyId: string;
  /** Opaque text of the encryptor that made it. */
  readonly wrapped: string;
}

/**
 * Seals data keys under a master key that stays inside: a key file, the environment, or a key
 * management service. Data keys are bound to a context, so that one cannot stand in the place of
 * another.
 */
export interface KeyEncryptor {
  /** The master key that wraps now. */
  readonly keyId: string;
  wrap(dataKey: Uint8Array, context: string): Promise<WrappedKey>;
  /**
   * Errors: `master_key_wrong` when another master key wrapped it, `store_corrupt` when it is
   * damaged or bound to another context.
   */
  unwrap(key: WrappedKey, context: string): Promise<Uint8Array>;
}
