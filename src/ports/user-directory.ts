import type { UserId } from '../domain/ids.ts';

/** What one user at most is known by, in all shards together. */
export interface Claim {
  readonly kind: 'phone' | 'google' | 'siwf' | 'username';
  /** A digest, or of a username what it looks like. */
  readonly name: string;
}

/** A claim, and whose it is. */
export interface HeldClaim extends Claim {
  readonly userId: UserId;
}

/**
 * Which users are this process's, and who is known by what in all shards. What is claimed here is
 * decided before the store of a shard knows of it: a claim that no user of its shard has is stale,
 * and given to the next who asks. Errors of each: `store_unavailable` (retryable).
 */
export interface UserDirectory {
  /** Slots whose users are here; null where all users are. */
  readonly slots: ReadonlySet<number> | null;
  /** Claims it for a user where it is free; returns whose it is then. */
  claim(claim: Claim, userId: UserId): Promise<UserId>;
  /** Moves it from one user to another where it is still the first one's; returns whose it is. */
  move(claim: Claim, users: { readonly from: UserId; readonly to: UserId }): Promise<UserId>;
  /** Gives up what this user has of these. */
  release(claims: readonly HeldClaim[]): Promise<void>;
  /**
   * Makes the claims of this process's users these: at a start, what a crash left half done is
   * finished so. Errors also: `config_invalid` where one is held by a user of another shard.
   */
  reconcile(claims: readonly HeldClaim[]): Promise<void>;
}

/** The directory where one process has all users: its store alone decides. */
export const ONLY_SHARD: UserDirectory = {
  slots: null,
  claim: (_claim, userId) => Promise.resolve(userId),
  move: (_claim, { to }) => Promise.resolve(to),
  release: () => Promise.resolve(),
  reconcile: () => Promise.resolve(),
};
