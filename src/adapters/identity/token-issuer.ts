import type { KeyObject } from 'node:crypto';
import { SignJWT, errors, jwtVerify } from 'jose';
import type { JWTPayload } from 'jose';
import { SIGN_IN } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import { asId } from '../../domain/ids.ts';
import type { UserId } from '../../domain/ids.ts';
import type { AccessClaims, TokenIssuer, PublicKeySet } from '../../ports/identity.ts';

/** A signing key with its public half as it is published. */
export interface SigningKey {
  readonly keyId: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly publicJwk: PublicKeySet['keys'][number];
}

/** `typ` of access tokens (RFC 9068, section 2.1): no other kind of token passes for one. */
const TOKEN_TYPE = 'at+jwt';

/** What an issuer is made of. */
export interface TokenIssuerParts {
  readonly signing: SigningKey;
  /** Keys whose tokens are still taken, the signing one included. */
  readonly accepted: readonly SigningKey[];
  readonly issuer: string;
  readonly audience: string;
}

/**
 * Makes and checks access tokens: EdDSA only, a known `kid`, our `typ`, issuer, audience and times. Nothing in the token
 * chooses the algorithm or the key. Verified tokens are remembered, and their end is checked each time.
 */
export function createTokenIssuer(parts: TokenIssuerParts): TokenIssuer {
  const keys = new Map(parts.accepted.map((key) => [key.keyId, key.publicKey]));
  const verified = new Map<string, AccessClaims>();

  async function check(token: string, nowMs: number): Promise<AccessClaims> {
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        const key = kid === undefined ? undefined : keys.get(kid);
        if (key === undefined) throw new errors.JWKSNoMatchingKey();
        return key;
      },
      {
        algorithms: ['EdDSA'],
        typ: TOKEN_TYPE,
        issuer: parts.issuer,
        audience: parts.audience,
        requiredClaims: ['sub', 'sid', 'iat', 'exp'],
        currentDate: new Date(nowMs),
      },
    );
    return claimsOf(payload);
  }

  return {
    issue: (claims) =>
      new SignJWT({ sid: claims.familyId })
        .setProtectedHeader({ alg: 'EdDSA', kid: parts.signing.keyId, typ: TOKEN_TYPE })
        .setIssuer(parts.issuer)
        .setAudience(parts.audience)
        .setSubject(claims.userId)
        .setIssuedAt(Math.floor(claims.issuedAtMs / 1_000))
        .setExpirationTime(Math.floor(claims.expiresAtMs / 1_000))
        .sign(parts.signing.privateKey),
    async verify(token, nowMs) {
      try {
        const claims = verified.get(token) ?? (await check(token, nowMs));
        remember(verified, token, claims);
        if (claims.expiresAtMs <= nowMs) throw new AppError('token_expired', 'the token has expired');
        return claims;
      } catch (cause) {
        verified.delete(token);
        throw refusal(cause);
      }
    },
    publicKeys: () => ({ keys: parts.accepted.map((key) => key.publicJwk) }),
  };
}

function claimsOf({ sub, sid, iat, exp }: JWTPayload): AccessClaims {
  if (sub === undefined || typeof sid !== 'string' || iat === undefined || exp === undefined) throw new AppError('token_invalid', 'a claim is missing');
  return { userId: asId<UserId>(sub), familyId: sid, issuedAtMs: iat * 1_000, expiresAtMs: exp * 1_000 };
}

function remember(verified: Map<string, AccessClaims>, token: string, claims: AccessClaims): void {
  if (verified.size >= SIGN_IN.tokensVerifiedMaximum && !verified.has(token)) {
    const [oldest] = verified.keys();
    if (oldest !== undefined) verified.delete(oldest);
  }
  verified.set(token, claims);
}

function refusal(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  if (cause instanceof errors.JWTExpired) return new AppError('token_expired', 'the token has expired', { cause });
  return new AppError('token_invalid', 'the token is not one of ours', { cause });
}
