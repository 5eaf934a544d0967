import { SURFACE } from '../../config/limits.ts';
import { AppError } from '../domain/errors.ts';
import type { UserId } from '../domain/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store, StoreWriter, Table } from '../ports/store.ts';
import type { Commit } from './commit.ts';

/** An answer as it went out the first time. */
export interface StoredAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

interface IdempotencyRecord {
  /** Digest of the call: method, path, input. */
  readonly fingerprint: string;
  readonly firstAtMs: number;
  readonly expiresAtMs: number;
  /** Null while the first call runs, or ran when the process died. */
  readonly answer: StoredAnswer | null;
}

/** Keys of callers: [userId, key]. */
export const IDEMPOTENCY_KEYS: Table<IdempotencyRecord> = { name: 'idempotency_keys' };
/** When keys end: [expiresAtMs, userId, key]. */
export const IDEMPOTENCY_EXPIRY: Table<true> = { name: 'idempotency_expiry' };

/** Makes repeated calls harmless: the same key and call give the answer of the first. */
export interface Idempotency {
  /**
   * Runs `produce` unless this key has an answer. A crash in between runs it again with the same `attemptKey`, under which
   * the order service finds what it did. `keep: false` frees the key, for failures after which trying again is right.
   * Errors: `idempotency_mismatch` when the key was used for another call, `request_in_progress` while the first one runs.
   */
  run(
    call: IdempotentCall,
    produce: (
      attemptKey: string,
    ) => Promise<{ readonly answer: StoredAnswer; readonly keep: boolean }>,
  ): Promise<{ readonly answer: StoredAnswer; readonly isReplay: boolean }>;
}

/** Who repeats what. */
export interface IdempotentCall {
  readonly userId: UserId;
  readonly key: string;
  readonly fingerprint: string;
}

/** Makes the service. Records live SURFACE.idempotencyKeptMs and are then swept, a few with each new key. */
export function createIdempotency(deps: {
  readonly store: Store;
  readonly commit: Commit;
  readonly clock: Clock;
}): Idempotency {
  const running = new Set<string>();
  return {
    async run(call, produce) {
      const name = `${call.userId} ${call.key}`;
      if (running.has(name)) {
        throw new AppError(
          'request_in_progress',
          'the first call with this Idempotency-Key has not ended',
          { retryable: true, retryAfterMs: 1_000 },
        );
      }
      running.add(name);
      try {
        // the first order's own commit is flushed after this one, so this needs no flush of its own
        const record = await deps.store.write((tx) => begin(tx, call, deps.clock.nowMs()));
        if (record.answer !== null) return { answer: record.answer, isReplay: true };
        const { answer, keep } = await produce(`${call.key}:${record.firstAtMs}`);
        await deps.commit((tx) =>
          keep
            ? tx.put(IDEMPOTENCY_KEYS, keyOf(call), { ...record, answer })
            : forget(tx, call, record),
        );
        return { answer, isReplay: false };
      } finally {
        running.delete(name);
      }
    },
  };
}

function keyOf(call: IdempotentCall): readonly [string, string] {
  return [call.userId, call.key];
}

function begin(tx: StoreWriter, call: IdempotentCall, nowMs: number): IdempotencyRecord {
  sweep(tx, nowMs);
  const found = tx.get(IDEMPOTENCY_KEYS, keyOf(call))?.value ?? null;
  if (found !== null && found.expiresAtMs > nowMs) {
    if (found.fingerprint === call.fingerprint) return found;
    throw new AppError(
      'idempotency_mismatch',
      'this Idempotency-Key was used with another request; take a new one',
      {
        fields: [{ path: '/header/idempotency-key', message: 'belongs to another request' }],
      },
    );
  }
  if (found !== null) forget(tx, call, found);
  const record = {
    fingerprint: call.fingerprint,
    firstAtMs: nowMs,
    expiresAtMs: nowMs + SURFACE.idempotencyKeptMs,
    answer: null,
  };
  tx.put(IDEMPOTENCY_KEYS, keyOf(call), record);
  tx.put(IDEMPOTENCY_EXPIRY, [record.expiresAtMs, ...keyOf(call)], true);
  return record;
}

function forget(tx: StoreWriter, call: IdempotentCall, record: IdempotencyRecord): void {
  tx.remove(IDEMPOTENCY_KEYS, keyOf(call));
  tx.remove(IDEMPOTENCY_EXPIRY, [record.expiresAtMs, ...keyOf(call)]);
}

/** Records removed with each new key: more than are added, so the table cannot outgrow its life span. */
const SWEPT_PER_CALL = 4;

function sweep(tx: StoreWriter, nowMs: number): void {
  for (const { key } of tx.range(IDEMPOTENCY_EXPIRY, { limit: SWEPT_PER_CALL })) {
    const [expiresAtMs, userId, callKey] = key;
    if (
      typeof expiresAtMs !== 'number' ||
      expiresAtMs > nowMs ||
      userId === undefined ||
      callKey === undefined
    )
      return;
    tx.remove(IDEMPOTENCY_EXPIRY, key);
    tx.remove(IDEMPOTENCY_KEYS, [userId, callKey]);
  }
}
