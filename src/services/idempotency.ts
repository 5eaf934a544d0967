import { API } from '../../config/limits/api.ts';
import { AppError } from '../domain/errors.ts';
import type { UserId } from '../domain/ids.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store, StoreReader, StoreWriter, Table } from '../ports/store.ts';
import type { Commit } from '../ports/commit.ts';

/** An answer as it went out the first time. */
interface StoredAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

interface IdempotencyRecord {
  /** Digest of the call: method, path, input. */
  readonly fingerprint: string;
  /** Of the first call with the key, part of the attempt key for as long as the record lives. */
  readonly firstAtMs: number;
  readonly expiresAtMs: number;
  /** Null while a call runs, or ran when the process died, and after one that was refused. */
  readonly answer: StoredAnswer | null;
}

/** Keys of callers: [userId, key]. */
export const IDEMPOTENCY_KEYS: Table<IdempotencyRecord> = { name: 'idempotency_keys' };
/** When keys end: [expiresAtMs, userId, key]. */
export const IDEMPOTENCY_EXPIRY: Table<true> = { name: 'idempotency_expiry' };

/** Makes repeated calls harmless: the same key and call give the answer of the first. */
export interface Idempotency {
  /**
   * Runs `produce` unless this key has an answer. After a crash, or a refusal (`keep: false`), it
   * runs again with the same `attemptKey`, under which the services find what they did: one key
   * never makes two things (L1). While they find nothing, the key is free for any call. Errors:
   * `idempotency_mismatch` when the key was used for another call that made something,
   * `request_in_progress` while the first one runs.
   */
  run(
    call: IdempotentCall,
    produce: (
      attemptKey: string,
    ) => Promise<{ readonly answer: StoredAnswer; readonly keep: boolean }>,
  ): Promise<{ readonly answer: StoredAnswer; readonly isReplay: boolean }>;
  /** Reports whether something was made under a key of late, or is remembered to have been. */
  hasMade(reader: Pick<StoreReader, 'get'>, userId: UserId, key: string): boolean;
}

/** Who repeats what. */
interface IdempotentCall {
  readonly userId: UserId;
  readonly key: string;
  readonly fingerprint: string;
}

/**
 * Makes the service. Records live API.idempotencyKeptMs and are then swept, a few with each new
 * key.
 */
export function createIdempotency(deps: {
  readonly store: Store;
  readonly commit: Commit;
  readonly clock: Clock;
  /** Where what was made under an attempt key is found, by [userId, attemptKey]. */
  readonly made: readonly Table<unknown>[];
}): Idempotency {
  const running = new Set<string>();
  return {
    hasMade(reader, userId, key) {
      const record = reader.get(IDEMPOTENCY_KEYS, [userId, key])?.value;
      return record !== undefined && hasMade(reader, deps.made, { userId, key }, record);
    },
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
        const { record, hadMade } = await deps.store.write((tx) =>
          begin(tx, call, { nowMs: deps.clock.nowMs(), made: deps.made }),
        );
        if (record.answer !== null) return { answer: record.answer, isReplay: true };
        const { answer, keep } = await produce(attemptKeyOf(call, record));
        if (keep)
          await deps.commit((tx) => tx.put(IDEMPOTENCY_KEYS, keyOf(call), { ...record, answer }));
        return { answer, isReplay: keep && hadMade };
      } finally {
        running.delete(name);
      }
    },
  };
}

function keyOf(call: IdempotentCall): readonly [string, string] {
  return [call.userId, call.key];
}

interface Begun {
  readonly record: IdempotencyRecord;
  /** True where a first call made something before this one. */
  readonly hadMade: boolean;
}

function begin(
  tx: StoreWriter,
  call: IdempotentCall,
  { nowMs, made }: { readonly nowMs: number; readonly made: readonly Table<unknown>[] },
): Begun {
  sweep(tx, nowMs);
  const found = tx.get(IDEMPOTENCY_KEYS, keyOf(call))?.value ?? null;
  const standing = found !== null && found.expiresAtMs > nowMs ? found : null;
  if (standing !== null && hasMade(tx, made, call, standing)) {
    if (standing.fingerprint === call.fingerprint) return { record: standing, hadMade: true };
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
    firstAtMs: standing?.firstAtMs ?? nowMs,
    expiresAtMs: nowMs + API.idempotencyKeptMs,
    answer: null,
  };
  tx.put(IDEMPOTENCY_KEYS, keyOf(call), record);
  tx.put(IDEMPOTENCY_EXPIRY, [record.expiresAtMs, ...keyOf(call)], true);
  return { record, hadMade: false };
}

function hasMade(
  reader: Pick<StoreReader, 'get'>,
  made: readonly Table<unknown>[],
  call: Pick<IdempotentCall, 'userId' | 'key'>,
  record: IdempotencyRecord,
): boolean {
  const attemptKey = attemptKeyOf(call, record);
  return (
    record.answer !== null ||
    made.some((table) => reader.get(table, [call.userId, attemptKey]) !== null)
  );
}

function attemptKeyOf(
  { key }: Pick<IdempotentCall, 'key'>,
  { firstAtMs }: IdempotencyRecord,
): string {
  return `${key}:${firstAtMs}`;
}

function forget(tx: StoreWriter, call: IdempotentCall, record: IdempotencyRecord): void {
  tx.remove(IDEMPOTENCY_KEYS, keyOf(call));
  tx.remove(IDEMPOTENCY_EXPIRY, [record.expiresAtMs, ...keyOf(call)]);
}

/**
 * Records removed with each new key: more than are added, so the table cannot outgrow its life
 * span.
 */
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
