import { REGISTRY } from '../../../config/limits/launches.ts';
import { AppError, assert } from '../../domain/errors.ts';
import type { RegistryEntryId, UserId } from '../../domain/ids.ts';
import type { RegistryRecord } from '../../domain/registry.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { REGISTRY_RECORDS } from './tables.ts';

const DAY_MS = 86_400_000;

/** Writes a record, null before its first, with the fact when its state changed. */
export function putRegistryRecord(
  tx: StoreWriter,
  { before, after }: { readonly before: RegistryRecord | null; readonly after: RegistryRecord },
): void {
  assert(before === null || before.state === 'queued', `${after.entryId} has not ended`);
  tx.put(REGISTRY_RECORDS, [after.userId, after.entryId], after);
  if (before?.state !== after.state)
    tx.append({
      type: 'registry.changed',
      userId: after.userId,
      atMs: after.updatedAtMs,
      from: before?.state ?? null,
      record: after,
    });
}

/** Returns one record as stored. Errors: `not_found`. */
export function readRegistryRecord(
  reader: StoreReader,
  userId: UserId,
  entryId: RegistryEntryId,
): RegistryRecord {
  const found = reader.get(REGISTRY_RECORDS, [userId, entryId])?.value;
  if (found === undefined) throw new AppError('not_found', `there is no entry ${entryId}`);
  return found;
}

/** Returns a user's own entries that are there or on their way. */
export function ownEntries(reader: StoreReader, userId: UserId): readonly RegistryRecord[] {
  return reader
    .range(REGISTRY_RECORDS, { prefix: [userId] })
    .map(({ value }) => value)
    .filter(({ kind, state }) => kind === 'agent' && state !== 'failed');
}

/** Refuses more than a day's worth. Errors: `limit_reached`. */
export function assertRegistryRoom(reader: StoreReader, userId: UserId, nowMs: number): void {
  const dayStartMs = nowMs - (nowMs % DAY_MS);
  let today = 0;
  for (const { value } of reader.range(REGISTRY_RECORDS, { prefix: [userId], reverse: true })) {
    if (value.createdAtMs < dayStartMs) break;
    today += 1;
  }
  if (today >= REGISTRY.perDay)
    throw new AppError(
      'limit_reached',
      `${REGISTRY.perDay} entries and pieces of feedback may be made in a UTC day`,
      { retryable: true, retryAfterMs: dayStartMs + DAY_MS - nowMs },
    );
}
