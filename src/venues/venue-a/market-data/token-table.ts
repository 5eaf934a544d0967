import { UNSTATED, type BookFold } from '../../../domain/book-fold.ts';
import type { WatchedToken } from './change-batch.ts';

const KEY_DIGITS = 9;
const QUOTE = 0x22;

/** Watched tokens by id, findable from text and straight from the bytes of a frame. */
export interface TokenTable {
  readonly tokens: readonly WatchedToken[];
  byId(tokenId: string): WatchedToken | null;
  /** The token whose id is at `at` and is followed by a quote; null for any other. */
  at(frame: Uint8Array, at: number): WatchedToken | null;
}

/**
 * Indexes the books by their first nine digits; an id found that way is then compared whole, so no
 * two can be mixed up.
 */
export function createTokenTable(books: readonly BookFold[]): TokenTable {
  const tokens = books.map(
    (book): WatchedToken => ({
      book,
      idBytes: Buffer.from(book.tokenId, 'ascii'),
      bid: UNSTATED,
      ask: UNSTATED,
      frame: 0,
    }),
  );
  const byId = new Map(tokens.map((token) => [token.book.tokenId as string, token]));
  const byKey = new Map<number, WatchedToken[]>();
  for (const token of tokens) {
    const key = keyAt(token.idBytes, 0);
    byKey.set(key, [...(byKey.get(key) ?? []), token]);
  }
  return {
    tokens,
    byId: (tokenId) => byId.get(tokenId) ?? null,
    at(frame, at) {
      const candidates = byKey.get(keyAt(frame, at));
      if (candidates === undefined) return null;
      for (const token of candidates) if (isIdAt(frame, at, token.idBytes)) return token;
      return null;
    },
  };
}

function keyAt(bytes: Uint8Array, at: number): number {
  let key = 0;
  for (let index = at; index < at + KEY_DIGITS; index += 1) {
    const digit = (bytes[index] ?? QUOTE) - 48;
    if (digit < 0 || digit > 9) break;
    key = key * 10 + digit;
  }
  return key;
}

function isIdAt(frame: Uint8Array, at: number, id: Uint8Array): boolean {
  const length = id.length;
  if (frame[at + length] !== QUOTE) return false;
  for (let index = 0; index < length; index += 1) if (frame[at + index] !== id[index]) return false;
  return true;
}
