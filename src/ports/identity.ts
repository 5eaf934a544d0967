import type { UserId } from '../domain/ids.ts';

/** What an access token says. Times in epoch ms, whole seconds. */
export interface AccessClaims {
  readonly userId: UserId;
  /** The family of refresh tokens the token belongs to; revoking it ends the token. */
  readonly familyId: string;
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
  publicKeys(): PublicKeySet;
}

/** Keyed digests of short secrets: what is stored of codes, refresh tokens and phone numbers. */
export interface SecretDigests {
  /** `purpose` keeps a digest made for one use from passing in another. */
  digest(purpose: 'code' | 'refresh' | 'phone', text: string): string;
  /** Compares in constant time. */
  same(left: string, right: string): boolean;
}
