import type { Table } from '../../ports/store.ts';
import type { AddedToken } from './added-tokens.ts';

/** Tokens users added to their views: [userId, chain, address]. */
export const ADDED_TOKENS: Table<AddedToken> = { name: 'added_tokens' };
