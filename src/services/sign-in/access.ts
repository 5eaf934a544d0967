import { TOKENS } from '../../../config/limits/identity.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { AccessClaims, KeyScope, SignInMethod, TokenIssuer } from '../../ports/identity.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { UserDirectory } from '../../ports/user-directory.ts';
import { isActiveKey } from '../api-keys/tables.ts';
import { assertHere } from '../placement.ts';
import {
  REFRESH_TOKEN_FAMILIES,
  USERS,
  type RefreshTokenFamily,
  type UserRecord,
} from './tables.ts';

/** Who a token speaks for. */
export interface Session {
  readonly userId: UserId;
  /** The family of refresh tokens, or the API key, whose end ends the token. */
  readonly sessionId: string;
  readonly method: SignInMethod;
  readonly authenticatedAtMs: number;
  /** Null where a person signed in. */
  readonly scopes: readonly KeyScope[] | null;
  readonly expiresAtMs: number;
}

/** Who calls, by their access token. */
export interface Access {
  /**
   * Errors: `token_invalid` (ended sessions and revoked keys included), `token_expired`,
   * `not_owner` where another shard has the user.
   */
  authenticate(accessToken: string): Promise<Session>;
  /**
   * Whose a token is that was found good before, while its session goes on; null of any other.
   * Costs no signature check and settles nothing: `authenticate` does.
   */
  recognize(accessToken: string): UserId | null;
}

/** Makes the check of tokens part of the sessions service. */
export function createAccess({
  store,
  clock,
  tokens,
  directory,
}: {
  readonly store: StoreReader;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly tokens: Pick<TokenIssuer, 'verify' | 'recall' | 'subjectOf'>;
  readonly directory: Pick<UserDirectory, 'slots'>;
}): Access {
  const isGoingOn = ({ userId, familyId, method }: AccessClaims, nowMs: number): boolean =>
    (method === 'apikey'
      ? isActiveKey(store, { userId, keyId: familyId }, nowMs)
      : isRunningFamily(store.get(REFRESH_TOKEN_FAMILIES, [familyId])?.value, userId, nowMs)) &&
    isInUse(store.get(USERS, [userId])?.value);

  return {
    async authenticate(accessToken) {
      const nowMs = clock.nowMs();
      if (directory.slots !== null) assertHere(directory, tokens.subjectOf(accessToken) ?? '');
      const claims = await tokens.verify(accessToken, nowMs);
      if (!isGoingOn(claims, nowMs))
        throw claims.method === 'apikey'
          ? new AppError('api_key_invalid', 'the API key was revoked or has expired')
          : new AppError('token_invalid', 'the session has ended; sign in again');
      const {
        userId,
        familyId: sessionId,
        method,
        authenticatedAtMs,
        scopes,
        expiresAtMs,
      } = claims;
      return { userId, sessionId, method, authenticatedAtMs, scopes, expiresAtMs };
    },
    recognize(accessToken) {
      const nowMs = clock.nowMs();
      const claims = tokens.recall(accessToken, nowMs);
      return claims !== null && isGoingOn(claims, nowMs) ? claims.userId : null;
    },
  };
}

function isInUse(user: UserRecord | undefined): boolean {
  return user !== undefined && user.removedAtMs === undefined;
}

function isRunningFamily(
  family: RefreshTokenFamily | undefined,
  userId: UserId,
  nowMs: number,
): boolean {
  return (
    family !== undefined &&
    family.revokedAtMs === null &&
    family.userId === userId &&
    family.createdAtMs + TOKENS.sessionLifeMs > nowMs
  );
}
