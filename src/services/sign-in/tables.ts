import type { Address, UserId } from '../../domain/ids.ts';
import type { Table } from '../../ports/store.ts';

/** A person. Phone numbers are kept as a keyed digest to find them, masked to show them and sealed to call them. */
export interface UserRecord {
  readonly userId: UserId;
  readonly phoneDigest: string;
  readonly phoneMasked: string;
  readonly phoneSealed: string;
  /** Null until chosen. */
  readonly username: string | null;
  readonly address: Address;
  /** The EVM key as the vault sealed it. */
  readonly sealedKey: string;
  readonly createdAtMs: number;
  /** How far the venue account has come. */
  readonly venueOpened: boolean;
  readonly grant: 'none' | 'asked' | 'done';
}

/** A code that was sent. */
export interface ChallengeRecord {
  readonly phoneDigest: string;
  readonly phoneMasked: string;
  readonly phoneSealed: string;
  readonly codeDigest: string;
  readonly salt: string;
  readonly attempts: number;
  readonly expiresAtMs: number;
}

/** What was sent to a phone lately. */
export interface PhoneRecord {
  /** Moments of the sends of the last hour. */
  readonly sentAtMs: readonly number[];
  /** The only challenge of this phone that counts: a new code replaces the old one. */
  readonly challengeId: string;
}

/** A signed-in device: a chain of refresh tokens of which only the newest is good. */
export interface FamilyRecord {
  readonly userId: UserId;
  readonly createdAtMs: number;
  readonly generation: number;
  readonly expiresAtMs: number;
  readonly revokedAtMs: number | null;
}

/** Users: [userId]. */
export const USERS: Table<UserRecord> = { name: 'users' };
/** Users by phone: [phoneDigest]. */
export const USER_PHONES: Table<{ readonly userId: UserId }> = { name: 'user_phones' };
/** Users by what their username looks like: [skeleton]. */
export const USERNAMES: Table<{ readonly userId: UserId }> = { name: 'usernames' };
/** Codes: [challengeId]. */
export const CHALLENGES: Table<ChallengeRecord> = { name: 'challenges' };
/** Phones that were sent codes: [phoneDigest]. */
export const PHONES: Table<PhoneRecord> = { name: 'phones' };
/** When codes and phone records end: [atMs, 'challenge' or 'phone', id]. */
export const SIGN_IN_EXPIRY: Table<true> = { name: 'sign_in_expiry' };
/** Families of refresh tokens: [familyId]. */
export const FAMILIES: Table<FamilyRecord> = { name: 'families' };
/** Families of a user: [userId, createdAtMs, familyId]. */
export const USER_FAMILIES: Table<true> = { name: 'user_families' };
/** Digests of refresh tokens: [familyId, generation]. */
export const REFRESH_TOKENS: Table<{ readonly digest: string }> = { name: 'refresh_tokens' };
