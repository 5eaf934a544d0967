import { SIGN_IN } from '../../../config/limits.ts';
import type { UserId } from '../../domain/ids.ts';
import type { StoreWriter } from '../../ports/store.ts';
import { FAMILIES, REFRESH_TOKENS, USER_FAMILIES } from './tables.ts';
import type { FamilyRecord } from './tables.ts';

/** What became of a refresh token that was shown. `reused` has ended the family. */
export type Rotation =
  | { readonly kind: 'rotated'; readonly userId: UserId; readonly generation: number; readonly expiresAtMs: number }
  | { readonly kind: 'unknown' | 'revoked' | 'expired' | 'reused' };

/** Starts a family of refresh tokens and gives its end. Ended families of the user, and the oldest beyond the limit, are removed. */
export function startFamily(tx: StoreWriter, start: { readonly familyId: string; readonly userId: UserId; readonly digest: string; readonly nowMs: number }): number {
  const { familyId, userId, digest, nowMs } = start;
  trim(tx, userId, nowMs);
  const expiresAtMs = nowMs + SIGN_IN.refreshTokenLifeMs;
  tx.put(FAMILIES, [familyId], { userId, createdAtMs: nowMs, generation: 0, expiresAtMs, revokedAtMs: null });
  tx.put(USER_FAMILIES, [userId, nowMs, familyId], true);
  tx.put(REFRESH_TOKENS, [familyId, 0], { digest });
  return expiresAtMs;
}

/** Trades the newest token of a family for the next. A token that was traded before ends the family: two hold it, one is a thief. */
export function rotate(
  tx: StoreWriter,
  shown: { readonly familyId: string; readonly generation: number; readonly isRight: (digest: string) => boolean; readonly nextDigest: string; readonly nowMs: number },
): Rotation {
  const family = tx.get(FAMILIES, [shown.familyId])?.value;
  const token = tx.get(REFRESH_TOKENS, [shown.familyId, shown.generation])?.value;
  if (family === undefined || token === undefined || !shown.isRight(token.digest)) return { kind: 'unknown' };
  if (family.revokedAtMs !== null) return { kind: 'revoked' };
  if (family.expiresAtMs <= shown.nowMs) return { kind: 'expired' };
  if (shown.generation !== family.generation) {
    tx.put(FAMILIES, [shown.familyId], { ...family, revokedAtMs: shown.nowMs });
    return { kind: 'reused' };
  }
  const generation = family.generation + 1;
  const next: FamilyRecord = { ...family, generation, expiresAtMs: shown.nowMs + SIGN_IN.refreshTokenLifeMs };
  tx.put(FAMILIES, [shown.familyId], next);
  tx.put(REFRESH_TOKENS, [shown.familyId, generation], { digest: shown.nextDigest });
  tx.remove(REFRESH_TOKENS, [shown.familyId, generation - SIGN_IN.generationsKept]);
  return { kind: 'rotated', userId: family.userId, generation, expiresAtMs: next.expiresAtMs };
}

/** Ends a family; one that has ended stays as it is. */
export function revokeFamily(tx: StoreWriter, familyId: string, nowMs: number): void {
  const family = tx.get(FAMILIES, [familyId])?.value;
  if (family !== undefined && family.revokedAtMs === null) tx.put(FAMILIES, [familyId], { ...family, revokedAtMs: nowMs });
}

function trim(tx: StoreWriter, userId: UserId, nowMs: number): void {
  const all = tx.range(USER_FAMILIES, { prefix: [userId] });
  const surplus = all.length - SIGN_IN.familiesPerUserMaximum + 1;
  for (const [index, { key }] of all.entries()) {
    const familyId = key[2];
    if (familyId === undefined) continue;
    const family = tx.get(FAMILIES, [familyId])?.value;
    const isOver = family === undefined || family.revokedAtMs !== null || family.expiresAtMs <= nowMs;
    if (!isOver && index >= surplus) continue;
    for (const token of tx.range(REFRESH_TOKENS, { prefix: [familyId] })) tx.remove(REFRESH_TOKENS, token.key);
    tx.remove(FAMILIES, [familyId]);
    tx.remove(USER_FAMILIES, key);
  }
}
