import type { UserId } from '../domain/ids.ts';

/** How a user proved who they are, in the words of RFC 8176 where it has them. */
export type SignInMethod = 'otp' | 'google' | 'siwf' | 'apikey';

/** Everything a key may be allowed. Keys never reach accounts, keys and exports. */
export const KEY_SCOPES = ['read', 'trade', 'swap', 'launch'] as const;
/**
 * What a key may be allowed: to read, to trade at venues, to swap and bridge tokens, to launch
 * them.
 */
export type KeyScope = (typeof KEY_SCOPES)[number];

/** What an access token says. Times in epoch ms, whole seconds. */
export interface AccessClaims {
  readonly userId: UserId;
  /**
   * The family of refresh tokens the token belongs to, or the API key it was minted for; revoking
   * that ends the token.
   */
  readonly familyId: string;
  readonly method: SignInMethod;
  /** When the user proved who they are; a refresh does not move it. */
  readonly authenticatedAtMs: number;
  /** Null where a person signed in and may do everything. */
  readonly scopes: readonly KeyScope[] | null;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

/** A set of public keys as it is published (RFC 7517). */
export interface PublicKeySet {
  readonly keys: readonly Readonly<Record<string, string>>[];
}

/** Makes and checks access tokens. */
export interface TokenIssuer {
  issue(claims: AccessClaims): Promise<string>;
  /** Errors: `token_expired`; `token_invalid` for everything else that is wrong with it. */
  verify(token: string, nowMs: number): Promise<AccessClaims>;
  /** The user a token names, not checked at all; null where it is no token. */
  subjectOf(token: string): UserId | null;
  /** The claims of a token that was issued or verified here a while ago; null of any other. */
  recall(token: string, nowMs: number): AccessClaims | null;
  publicKeys(): PublicKeySet;
}

/** What a keyed digest is made for. */
type DigestPurpose =
  | 'code'
  | 'refresh'
  | 'next_refresh'
  | 'phone'
  | 'address'
  | 'device'
  | 'api_key'
  | 'visit'
  | 'identity'
  | 'assertion'
  | 'push_endpoint';

/**
 * Keyed digests of short secrets: what is stored of codes, refresh tokens, keys and phone numbers.
 */
export interface SecretDigests {
  /** `purpose` keeps a digest made for one use from passing in another. */
  digest(purpose: DigestPurpose, text: string): string;
  /** Compares in constant time. */
  same(left: string, right: string): boolean;
}
