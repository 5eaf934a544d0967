import { API_KEYS } from '../../../config/limits/identity.ts';
import { AppError } from '../../domain/errors.ts';
import type { ToolCallRecord } from '../../domain/tool-call.ts';
import type { UserId } from '../../domain/ids.ts';
import type { StoreReader, StoreWriter, Store } from '../../ports/store.ts';
import type { Commit } from '../../ports/commit.ts';
import { newestFirst } from '../newest-first.ts';
import { API_KEY_ACTIVITY, API_KEY_RECORDS } from './tables.ts';

/** One page of a key's calls. */
interface ActivityPage {
  readonly data: readonly ToolCallRecord[];
  readonly nextCursor: string | null;
}

/** What was done with API keys through MCP: every call, in the journal and for its owner to see. */
export interface KeyActivity {
  /** Stores a call that was answered; resolves when the line would survive a power failure. */
  record(call: ToolCallRecord): Promise<void>;
  /**
   * A key's calls, newest first; of each key the newest API_KEYS.activityKept are there. Errors:
   * `not_found`, `invalid_request` for a cursor of another list.
   */
  list(
    userId: UserId,
    keyId: string,
    page: { readonly limit: number; readonly cursor: string | null },
  ): ActivityPage;
}

/** Makes the list over the store. */
export function createKeyActivity({
  store,
  commit,
}: {
  readonly store: Store;
  readonly commit: Commit;
}): KeyActivity {
  return {
    record: (call) => commit((tx) => write(tx, call)),
    list(userId, keyId, { limit, cursor }) {
      if (store.get(API_KEY_RECORDS, [userId, keyId]) === null)
        throw new AppError('not_found', `you have no key ${keyId}`);
      return pageOf(store, keyId, { limit, before: cursor === null ? null : seqOf(cursor) });
    },
  };
}

/** Forgets what was done with a key that is deleted; the journal keeps it. */
export function forgetActivity(tx: StoreWriter, keyId: string): void {
  for (const { key } of tx.range(API_KEY_ACTIVITY, { prefix: [keyId] }))
    tx.remove(API_KEY_ACTIVITY, key);
}

function write(tx: StoreWriter, call: ToolCallRecord): void {
  const { userId, keyId } = call;
  const seq = tx.append({ type: 'tool.called', ...call });
  // A key that was deleted meanwhile has no list any more.
  if (tx.get(API_KEY_RECORDS, [userId, keyId]) === null) return;
  tx.put(API_KEY_ACTIVITY, [keyId, seq], call, 0);
  const kept = tx.range(API_KEY_ACTIVITY, { prefix: [keyId], limit: API_KEYS.activityKept + 1 });
  if (kept.length > API_KEYS.activityKept && kept[0] !== undefined)
    tx.remove(API_KEY_ACTIVITY, kept[0].key);
}

function pageOf(
  store: StoreReader,
  keyId: string,
  { limit, before }: { readonly limit: number; readonly before: number | null },
): ActivityPage {
  const data: ToolCallRecord[] = [];
  let last: number | null = null;
  const start = before === null ? null : [keyId, before];
  for (const { key, value } of newestFirst(store, API_KEY_ACTIVITY, { prefix: [keyId], start })) {
    if (data.length === limit) return { data, nextCursor: String(last) };
    data.push(value);
    last = Number(key[1]);
  }
  return { data, nextCursor: null };
}

function seqOf(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new AppError('invalid_request', 'the cursor is not one of this list', {
    fields: [{ path: '/cursor', message: 'must be the nextCursor of the page before' }],
  });
}
