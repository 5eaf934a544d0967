/** A secret that all shards of a service have. */
export interface SharedSecret {
  /** Sealed by what they share already: at first the master key. */
  readonly sealed: string;
  /** Says whether two are one secret: SHA-256 of 32 bytes of chance, in base64url. */
  readonly digest: string;
}

/**
 * Agrees with the other shards on a secret: the first one that is proposed stays. Errors:
 * `store_unavailable`.
 */
export type ShareSecret = (name: string, secret: SharedSecret) => Promise<SharedSecret>;

/** Where one process has all users, it agrees with itself. */
export const UNSHARED: ShareSecret = (_name, secret) => Promise.resolve(secret);
