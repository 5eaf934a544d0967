import type { Key, StoreWriter, Table } from '../../ports/store.ts';
import {
  CHALLENGES,
  CODE_ASKERS,
  PHONES,
  SEND_COUNTS,
  SIGN_IN_EXPIRY,
  LOGIN_ATTEMPTS,
} from './tables.ts';

/** Records of sign-in that end by themselves. */
export type EndingKind = 'challenge' | 'phone' | 'code_asker' | 'count' | 'visit';

const TABLES: Readonly<Record<EndingKind, Table<unknown>>> = {
  challenge: CHALLENGES,
  phone: PHONES,
  code_asker: CODE_ASKERS,
  count: SEND_COUNTS,
  visit: LOGIN_ATTEMPTS,
};

/**
 * Ended records removed with each change that adds some: more than one adds, so the tables stay
 * small.
 */
const SWEPT_PER_CHANGE = 16;

/** Notes when a record ends. */
export function endAt(tx: StoreWriter, atMs: number, kind: EndingKind, key: Key): void {
  tx.put(SIGN_IN_EXPIRY, [atMs, kind, ...key], true);
}

/** Takes a record and its note away. */
export function endNow(tx: StoreWriter, atMs: number, kind: EndingKind, key: Key): void {
  tx.remove(SIGN_IN_EXPIRY, [atMs, kind, ...key]);
  tx.remove(TABLES[kind], key);
}

/** Forgets only when a record ends, because it is about to be written anew. */
export function moveEnd(tx: StoreWriter, fromMs: number, kind: EndingKind, key: Key): void {
  tx.remove(SIGN_IN_EXPIRY, [fromMs, kind, ...key]);
}

/** Removes some of what has ended, oldest first. */
export function sweepEnded(tx: StoreWriter, nowMs: number): void {
  for (const { key } of tx.range(SIGN_IN_EXPIRY, { limit: SWEPT_PER_CHANGE })) {
    const [atMs, kind, ...rest] = key;
    if (typeof atMs !== 'number' || atMs > nowMs) return;
    tx.remove(SIGN_IN_EXPIRY, key);
    if (isEndingKind(kind)) tx.remove(TABLES[kind], rest);
  }
}

function isEndingKind(kind: unknown): kind is EndingKind {
  return typeof kind === 'string' && Object.hasOwn(TABLES, kind);
}
