import type { Address, SolanaAddress, UserId } from '../../domain/ids.ts';
import type { SignInMethod } from '../../ports/identity.ts';
import type { Table } from '../../ports/store.ts';

/**
 * A phone number as it is kept: a keyed digest to find it, masked to show it and sealed to call it.
 */
export interface KeptPhone {
  readonly phoneDigest: string;
  readonly phoneMasked: string;
  readonly phoneSealed: string;
}

/** A user known at another identity provider. */
export interface KeptIdentity {
  readonly provider: 'google' | 'siwf';
  /** The provider's own name for the person, which never changes. */
  readonly subject: string;
  /** What the user recognises it by. */
  readonly shown: string;
}

/** How far a user's account at a venue has come. */
export interface VenueAccount {
  readonly isOpen: boolean;
  /** Of test collateral. */
  readonly grant: 'none' | 'asked' | 'done';
}

/**
 * A person by their ways in: a phone, whose fields are null without one, and what other identity
 * providers call them.
 */
export interface UserRecord extends Readonly<Record<keyof KeptPhone, string | null>> {
  readonly userId: UserId;
  /** One for each identity provider at most; absent without any. */
  readonly identities?: readonly KeptIdentity[];
  /** Null until chosen. */
  readonly username: string | null;
  /** Addresses of the user's own keys; the vault holds the keys. */
  readonly address: Address;
  readonly solanaAddress: SolanaAddress;
  /** The Safe the EVM key owns by the venue's rule, deployed or not. */
  readonly safe: Address;
  readonly createdAtMs: number;
  /** When its owner had it removed: it cannot be signed in to again. Absent while it is in use. */
  readonly removedAtMs?: number;
  /**
   * How far the account at each venue has come, by the venue's id; none where nothing has begun.
   */
  readonly venueAccounts: Readonly<Record<string, VenueAccount>>;
}

/** A code that was sent. */
export interface ChallengeRecord extends KeptPhone {
  /** What the code opens. */
  readonly purpose: string;
  /** What the verifier judges a code by; null until it has sent one. */
  readonly reference: string | null;
  readonly attempts: number;
  readonly expiresAtMs: number;
}

/** What a phone was sent and what was tried for it, since the last right code. */
export interface PhoneRecord {
  /** Moments of the sends of the last day, for signing in: anybody may ask for them. */
  readonly sentAtMs: readonly number[];
  /** The same of those that its signed-in owner asked for; absent of none. */
  readonly ownSentAtMs?: readonly number[];
  /** The only challenge of this phone that counts: a new code replaces the old one. */
  readonly challengeId: string;
  /** Moments of the wrong tries of the last hour. */
  readonly wrongAtMs: readonly number[];
  readonly wrongInARow: number;
  readonly locks: number;
  readonly lockedUntilMs: number;
  readonly keptUntilMs: number;
}

/** Moments of the codes an address asked for within a day. */
export interface CodeAskerRecord {
  readonly sentAtMs: readonly number[];
  readonly keptUntilMs: number;
}

/** A user on the way to another identity provider and back. */
export interface LoginAttemptRecord {
  readonly provider: KeptIdentity['provider'];
  readonly expiresAtMs: number;
  /** What must come back, sealed. */
  readonly sealed: string;
}

/** A signed-in device: a chain of refresh tokens of which only the newest is good. */
export interface RefreshTokenFamily {
  readonly userId: UserId;
  readonly createdAtMs: number;
  readonly generation: number;
  readonly expiresAtMs: number;
  readonly revokedAtMs: number | null;
  readonly method: SignInMethod;
  /** What the device called itself last; absent of families begun before it was kept. */
  readonly program?: string;
  /** When its newest tokens were made; absent as long as they are the first. */
  readonly refreshedAtMs?: number;
}

/** One refresh token of a family. */
export interface RefreshTokenRecord {
  readonly digest: string;
  /** When it was traded for the next; null while it is the newest. */
  readonly usedAtMs: number | null;
  /** Digest of the device that traded it. */
  readonly usedBy: string | null;
}

/** Users: [userId]. */
export const USERS: Table<UserRecord> = { name: 'users' };
/** Users by phone: [phoneDigest]. */
export const USER_PHONES: Table<{ readonly userId: UserId }> = { name: 'user_phones' };
/** Users by what their username looks like: [skeleton]. */
export const USERNAMES: Table<{ readonly userId: UserId }> = { name: 'usernames' };
/**
 * Addresses of removed accounts, of wallets and for deposits: [address], as `addressKey` writes it.
 */
export const REMOVED_ADDRESSES: Table<{ readonly userId: UserId }> = { name: 'removed_addresses' };
/** Codes: [challengeId]. */
export const CHALLENGES: Table<ChallengeRecord> = { name: 'challenges' };
/** Phones that were sent codes: [phoneDigest]. */
export const PHONES: Table<PhoneRecord> = { name: 'phones' };
/** Users by what other identity providers call them: [provider, subject]. */
export const USER_IDENTITIES: Table<{ readonly userId: UserId }> = { name: 'user_identities' };
/** Who asked for codes: [addressDigest], or [userId] of whoever has signed in. */
export const CODE_ASKERS: Table<CodeAskerRecord> = { name: 'code_askers' };
/**
 * Codes sent and login attempts begun in a window: ['all', 'login_attempts' or a country,
 * windowStartMs].
 */
export const SEND_COUNTS: Table<{ readonly count: number }> = { name: 'send_counts' };
/** Login attempts to other identity providers: [visitDigest]. */
export const LOGIN_ATTEMPTS: Table<LoginAttemptRecord> = { name: 'login_attempts' };
/** When records of sign-in end: [atMs, kind, ...key]. */
export const SIGN_IN_EXPIRY: Table<true> = { name: 'sign_in_expiry' };
/** Families of refresh tokens: [familyId]. */
export const REFRESH_TOKEN_FAMILIES: Table<RefreshTokenFamily> = { name: 'refresh_token_families' };
/** Families of a user: [userId, createdAtMs, familyId]. */
export const USER_REFRESH_TOKEN_FAMILIES: Table<true> = { name: 'user_refresh_token_families' };
/** Digests of refresh tokens: [familyId, generation]. */
export const REFRESH_TOKENS: Table<RefreshTokenRecord> = { name: 'refresh_tokens' };
