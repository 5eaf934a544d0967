import type { KeyObject } from 'node:crypto';
import { SignJWT, decodeJwt, errors, jwtVerify, type JWTPayload } from 'jose';
import { SIGN_IN } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type UserId } from '../../domain/ids.ts';
import type { Random } from '../../ports/random.ts';
import {
  KEY_SCOPES,
  type AccessClaims,
  type KeyScope,
  type PublicKeySet,
  type SignInMethod,
  type TokenIssuer,
} from '../../ports/identity.ts';

/** A signing key with its public half as it is published. */
export interface SigningKey {
  readonly keyId: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly publicJwk: PublicKeySet['keys'][number];
}

/** `typ` of access tokens (RFC 9068, section 2.1): no other kind of token passes for one. */
const TOKEN_TYPE = 'at+jwt';

/** The keys of one moment. */
export interface KeyRing {
  readonly signing: SigningKey;
  /**
   * Keys that are published and whose tokens are taken: the signing one, the next one and those
   * just replaced.
   */
  readonly accepted: readonly SigningKey[];
}

/**
 * Makes and checks access tokens: EdDSA only, a known `kid`, our `typ`, issuer, audience and times.
 * Nothing in the token chooses the algorithm or the key. Issued and verified tokens are remembered,
 * and their end is checked each time.
 */
export function createTokenIssuer(parts: {
  /** Looked at for each token: keys change while the service runs. */
  readonly ring: () => KeyRing;
  /** Chance for the token's own id. */
  readonly random: Random;
  readonly issuer: string;
  readonly audience: string;
}): TokenIssuer {
  const verified = new Map<string, Verified>();
  const known = (keyId: string | undefined): SigningKey | undefined =>
    parts.ring().accepted.find((key) => key.keyId === keyId);

  async function check(token: string, nowMs: number): Promise<Verified> {
    const { payload, protectedHeader } = await jwtVerify(
      token,
      ({ kid }) => {
        const key = known(kid);
        if (key === undefined) throw new errors.JWKSNoMatchingKey();
        return key.publicKey;
      },
      {
        algorithms: ['EdDSA'],
        typ: TOKEN_TYPE,
        issuer: parts.issuer,
        audience: parts.audience,
        requiredClaims: ['sub', 'sid', 'jti', 'iat', 'exp', 'auth_time'],
        currentDate: new Date(nowMs),
      },
    );
    return { claims: claimsOf(payload), keyId: protectedHeader.kid ?? '' };
  }

  return {
    async issue(claims) {
      const { keyId, privateKey } = parts.ring().signing;
      const token = await new SignJWT({
        sid: claims.familyId,
        amr: [claims.method],
        auth_time: seconds(claims.authenticatedAtMs),
        jti: Buffer.from(parts.random.bytes(16)).toString('base64url'),
        ...(claims.scopes === null ? {} : { scope: claims.scopes.join(' ') }),
      })
        .setProtectedHeader({ alg: 'EdDSA', kid: keyId, typ: TOKEN_TYPE })
        .setIssuer(parts.issuer)
        .setAudience(parts.audience)
        .setSubject(claims.userId)
        .setIssuedAt(seconds(claims.issuedAtMs))
        .setExpirationTime(seconds(claims.expiresAtMs))
        .sign(privateKey);
      remember(verified, token, { claims: claimsOf(decodeJwt(token)), keyId });
      return token;
    },
    subjectOf(token) {
      try {
        const { sub } = decodeJwt(token);
        return sub === undefined ? null : asId<UserId>(sub);
      } catch {
        return null;
      }
    },
    recall(token, nowMs) {
      const found = verified.get(token);
      return found === undefined ||
        found.claims.expiresAtMs <= nowMs ||
        known(found.keyId) === undefined
        ? null
        : found.claims;
    },
    async verify(token, nowMs) {
      try {
        const found = verified.get(token) ?? (await check(token, nowMs));
        const { claims } = found;
        if (known(found.keyId) === undefined)
          throw new AppError('token_invalid', 'the key of the token is no longer ours');
        remember(verified, token, found);
        if (claims.expiresAtMs <= nowMs)
          throw new AppError('token_expired', 'the token has expired');
        return claims;
      } catch (cause) {
        verified.delete(token);
        throw refusal(cause);
      }
    },
    publicKeys: () => ({ keys: parts.ring().accepted.map((key) => key.publicJwk) }),
  };
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}

/** A token that was found good, and the key it was signed by. */
interface Verified {
  readonly claims: AccessClaims;
  readonly keyId: string;
}

const METHODS: readonly SignInMethod[] = ['otp', 'google', 'siwf', 'apikey'];

function claimsOf({
  sub,
  sid,
  iat,
  exp,
  amr,
  auth_time: authTime,
  scope,
}: JWTPayload): AccessClaims {
  const method =
    Array.isArray(amr) && amr.length === 1 ? METHODS.find((each) => each === amr[0]) : undefined;
  if (
    sub === undefined ||
    typeof sid !== 'string' ||
    iat === undefined ||
    exp === undefined ||
    typeof authTime !== 'number' ||
    method === undefined
  ) {
    throw new AppError('token_invalid', 'a claim is missing');
  }
  return {
    userId: asId<UserId>(sub),
    familyId: sid,
    method,
    authenticatedAtMs: authTime * 1_000,
    scopes: scopesOf(scope, method),
    issuedAtMs: iat * 1_000,
    expiresAtMs: exp * 1_000,
  };
}

/** Only a key's token is bounded by scopes, and it always is. */
function scopesOf(scope: unknown, method: SignInMethod): readonly KeyScope[] | null {
  if (method !== 'apikey' && scope === undefined) return null;
  if (method !== 'apikey' || typeof scope !== 'string')
    throw new AppError('token_invalid', 'the scope does not fit');
  return KEY_SCOPES.filter((each) => scope.split(' ').includes(each));
}

function remember(verified: Map<string, Verified>, token: string, claims: Verified): void {
  if (verified.size >= SIGN_IN.tokensVerifiedMaximum && !verified.has(token)) {
    const [oldest] = verified.keys();
    if (oldest !== undefined) verified.delete(oldest);
  }
  verified.set(token, claims);
}

function refusal(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  if (cause instanceof errors.JWTExpired)
    return new AppError('token_expired', 'the token has expired', { cause });
  return new AppError('token_invalid', 'the token was not issued by this service', { cause });
}
