import { TOKENS } from '../../../config/limits/identity.ts';
import { SIGN_IN } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { SignInMethod } from '../../ports/identity.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import {
  REFRESH_TOKEN_FAMILIES,
  REFRESH_TOKENS,
  USER_REFRESH_TOKEN_FAMILIES,
  type RefreshTokenFamily,
  type RefreshTokenRecord,
} from './tables.ts';

/** What became of a refresh token that was shown. `reused` has ended the family. */
export type Rotation =
  | { readonly kind: 'rotated'; readonly family: RefreshTokenFamily }
  | { readonly kind: 'reused'; readonly family: RefreshTokenFamily }
  | { readonly kind: 'unknown' | 'revoked' | 'expired' };

/** A new session. */
export interface FamilyStart {
  readonly familyId: string;
  readonly userId: UserId;
  readonly digest: string;
  readonly method: SignInMethod;
  /** What the device calls itself. */
  readonly program: string;
  readonly nowMs: number;
}

/**
 * Starts a family of refresh tokens. Ended families of the user, and the oldest beyond the limit,
 * are removed.
 */
export function startFamily(
  tx: StoreWriter,
  { familyId, userId, digest, method, program, nowMs }: FamilyStart,
): RefreshTokenFamily {
  trim(tx, userId, nowMs);
  const family: RefreshTokenFamily = {
    userId,
    createdAtMs: nowMs,
    generation: 0,
    expiresAtMs: nowMs + SIGN_IN.refreshTokenLifeMs,
    revokedAtMs: null,
    method,
    program,
  };
  tx.put(REFRESH_TOKEN_FAMILIES, [familyId], family);
  tx.put(USER_REFRESH_TOKEN_FAMILIES, [userId, nowMs, familyId], true);
  tx.put(REFRESH_TOKENS, [familyId, 0], { digest, usedAtMs: null, usedBy: null });
  return family;
}

/** A refresh token as it was shown, by whom, and what shall follow it. */
export interface ShownToken {
  readonly familyId: string;
  readonly generation: number;
  readonly isRight: (digest: string) => boolean;
  /** Follows from the shown token alone, so that the same token leads to the same successor. */
  readonly nextDigest: string;
  readonly device: string;
  /** What the device calls itself. */
  readonly program: string;
  readonly nowMs: number;
}

/**
 * Trades the newest token of a family for the next. A token that was traded before ends the family:
 * two hold it, one is a thief. But for a moment the same device gets the same successor again, if
 * that is unused: its answer was lost.
 */
export function rotate(tx: StoreWriter, shown: ShownToken): Rotation {
  const family = tx.get(REFRESH_TOKEN_FAMILIES, [shown.familyId])?.value;
  const token = tx.get(REFRESH_TOKENS, [shown.familyId, shown.generation])?.value;
  if (family === undefined || token === undefined || !shown.isRight(token.digest))
    return { kind: 'unknown' };
  if (family.revokedAtMs !== null) return { kind: 'revoked' };
  if (family.expiresAtMs <= shown.nowMs) return { kind: 'expired' };
  if (shown.generation !== family.generation) {
    if (shown.generation === family.generation - 1 && isLostAnswer(token, shown))
      return { kind: 'rotated', family };
    const ended = { ...family, revokedAtMs: shown.nowMs };
    tx.put(REFRESH_TOKEN_FAMILIES, [shown.familyId], ended);
    return { kind: 'reused', family: ended };
  }
  const generation = family.generation + 1;
  const expiresAtMs = Math.min(
    shown.nowMs + SIGN_IN.refreshTokenLifeMs,
    family.createdAtMs + TOKENS.sessionLifeMs,
  );
  const next: RefreshTokenFamily = {
    ...family,
    generation,
    expiresAtMs,
    program: shown.program,
    refreshedAtMs: shown.nowMs,
  };
  tx.put(REFRESH_TOKEN_FAMILIES, [shown.familyId], next);
  tx.put(REFRESH_TOKENS, [shown.familyId, shown.generation], {
    ...token,
    usedAtMs: shown.nowMs,
    usedBy: shown.device,
  });
  tx.put(REFRESH_TOKENS, [shown.familyId, generation], {
    digest: shown.nextDigest,
    usedAtMs: null,
    usedBy: null,
  });
  tx.remove(REFRESH_TOKENS, [shown.familyId, generation - SIGN_IN.generationsKept]);
  return { kind: 'rotated', family: next };
}

/** Ends a family and gives its user; null without one that runs. */
export function revokeFamily(tx: StoreWriter, familyId: string, nowMs: number): UserId | null {
  const family = tx.get(REFRESH_TOKEN_FAMILIES, [familyId])?.value;
  if (family === undefined || family.revokedAtMs !== null) return null;
  tx.put(REFRESH_TOKEN_FAMILIES, [familyId], { ...family, revokedAtMs: nowMs });
  return family.userId;
}

/** A family that goes on, with its id. */
export type RunningFamily = RefreshTokenFamily & { readonly familyId: string };

/** Returns the families of a user that go on, the one begun last first. */
export function runningFamilies(
  store: StoreReader,
  userId: UserId,
  nowMs: number,
): readonly RunningFamily[] {
  return store
    .range(USER_REFRESH_TOKEN_FAMILIES, { prefix: [userId] })
    .flatMap(({ key }) => {
      const familyId = key[2];
      if (typeof familyId !== 'string') return [];
      const family = store.get(REFRESH_TOKEN_FAMILIES, [familyId])?.value;
      return family === undefined || family.revokedAtMs !== null || family.expiresAtMs <= nowMs
        ? []
        : [{ ...family, familyId }];
    })
    .reverse();
}

function isLostAnswer(token: RefreshTokenRecord, shown: ShownToken): boolean {
  return (
    token.usedAtMs !== null &&
    token.usedAtMs + TOKENS.refreshGraceMs > shown.nowMs &&
    token.usedBy === shown.device
  );
}

function trim(tx: StoreWriter, userId: UserId, nowMs: number): void {
  const all = tx.range(USER_REFRESH_TOKEN_FAMILIES, { prefix: [userId] });
  const surplus = all.length - SIGN_IN.familiesPerUserMaximum + 1;
  for (const [index, { key }] of all.entries()) {
    const familyId = key[2];
    if (familyId === undefined) continue;
    const family = tx.get(REFRESH_TOKEN_FAMILIES, [familyId])?.value;
    const isOver =
      family === undefined || family.revokedAtMs !== null || family.expiresAtMs <= nowMs;
    if (!isOver && index >= surplus) continue;
    for (const token of tx.range(REFRESH_TOKENS, { prefix: [familyId] }))
      tx.remove(REFRESH_TOKENS, token.key);
    tx.remove(REFRESH_TOKEN_FAMILIES, [familyId]);
    tx.remove(USER_REFRESH_TOKEN_FAMILIES, key);
  }
}

/** Takes a refresh token apart: family, generation, secret. Errors: `token_invalid`. */
export function readRefreshToken(text: string): {
  readonly familyId: string;
  readonly generation: number;
  readonly secret: string;
} {
  const [, familyId = '', generation = '', secret = ''] =
    /^(ses_[0-9a-z]{26})\.(\d{1,9})\.([\w-]{1,128})$/.exec(text) ?? [];
  if (familyId === '')
    throw new AppError('token_invalid', 'this refresh token was not issued by this service');
  return { familyId, generation: Number(generation), secret };
}
