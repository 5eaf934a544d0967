import type { UserId } from '../../domain/ids.ts';
import type { NotificationMarket } from '../../domain/notification.ts';
import type { Reservation, TradeSide } from '../../domain/order.ts';
import type { KeyLimits } from '../../domain/key-limits.ts';
import type { ToolCallRecord } from '../../domain/tool-call.ts';
import type { KeyScope } from '../../ports/identity.ts';
import type { StoreReader, Table } from '../../ports/store.ts';

/** An API key as it is kept: the key itself is nowhere. */
export interface ApiKeyRecord {
  readonly keyId: string;
  readonly userId: UserId;
  readonly name: string;
  readonly scopes: readonly KeyScope[];
  /** First characters of the key, to recognise and to find it by. */
  readonly prefix: string;
  /** Keyed digest of the whole key. */
  readonly digest: string;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | null;
  /** Where a restore from a backup has revoked it, and no person. */
  readonly endedByRestore?: true;
  readonly limits: KeyLimits;
}

/** What a key's calls of a UTC day have set aside. */
export interface ApiKeySpend {
  /** Counted from 1970. */
  readonly day: number;
  readonly usdc: number;
}

/** When a key was last used. Apart, so that a use does not write the key's own record. */
export interface ApiKeyUse {
  readonly atMs: number;
}

/** API keys: [userId, keyId]. */
export const API_KEY_RECORDS: Table<ApiKeyRecord> = { name: 'api_keys' };
/** Whose key begins so: [prefix, keyId]. Nearly always one. */
export const API_KEY_PREFIXES: Table<{ readonly userId: UserId }> = { name: 'api_key_prefixes' };
/** Last uses: [keyId]. */
export const API_KEY_USES: Table<ApiKeyUse> = { name: 'api_key_uses' };

/** Reports whether a key was neither revoked nor has expired. */
export function isInForce(
  { revokedAtMs, limits: { expiresAtMs } }: Pick<ApiKeyRecord, 'revokedAtMs' | 'limits'>,
  nowMs: number,
): boolean {
  return revokedAtMs === null && (expiresAtMs === null || nowMs < expiresAtMs);
}

/** What keys have set aside: [keyId]. */
export const API_KEY_SPENDS: Table<ApiKeySpend> = { name: 'api_key_spends' };
/** Calls of tools by number of the journal: [keyId, seq]. */
export const API_KEY_ACTIVITY: Table<ToolCallRecord> = { name: 'api_key_activity' };

/** What an assistant asks its person, in short. */
export interface KeyQuestion {
  readonly side: TradeSide;
  readonly setsAside: Reservation;
  /** On the wall clock. */
  readonly expiresAtMs: number;
  /** Absent of what was asked before November 29, 2026. */
  readonly market?: NotificationMarket;
}

/** What people are asked to confirm: [userId, confirmationId]. */
export const API_KEY_QUESTIONS: Table<KeyQuestion> = { name: 'api_key_questions' };
/** What people have confirmed and no order has used yet: [confirmationId]. */
export const API_KEY_CONSENTS: Table<{ readonly userId: UserId; readonly keyId: string }> = {
  name: 'api_key_consents',
};

/** True while a key of this user may be used. */
export function isActiveKey(
  store: StoreReader,
  { userId, keyId }: { readonly userId: UserId; readonly keyId: string },
  nowMs: number,
): boolean {
  const record = store.get(API_KEY_RECORDS, [userId, keyId])?.value;
  return record !== undefined && isInForce(record, nowMs);
}
