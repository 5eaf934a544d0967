import { LAUNCH } from '../../../config/limits/launches.ts';
import { AppError, assert } from '../../domain/errors.ts';
import type { LaunchId, UserId } from '../../domain/ids.ts';
import type { LaunchRecord } from '../../domain/launch.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { LAUNCHES } from './tables.ts';

/** Writes a launch, null before its first record, with the fact when its state changed. */
export function putLaunch(
  tx: StoreWriter,
  { before, after }: { readonly before: LaunchRecord | null; readonly after: LaunchRecord },
): void {
  const { userId, launchId } = after;
  assert(before === null || before.state === 'queued', `launch ${launchId} has not ended`);
  tx.put(LAUNCHES, [userId, launchId], after);
  if (before?.state !== after.state)
    tx.append({
      type: 'launch.changed',
      userId,
      atMs: after.updatedAtMs,
      from: before?.state ?? null,
      launch: after,
    });
}

/** Returns one launch as stored. Errors: `not_found`. */
export function readLaunch(reader: StoreReader, userId: UserId, launchId: LaunchId): LaunchRecord {
  const found = reader.get(LAUNCHES, [userId, launchId])?.value;
  if (found === undefined) throw new AppError('not_found', `there is no launch ${launchId}`);
  return found;
}

/** Returns a user's launches since a moment, newest first; those that failed are left out. */
function launchesSince(
  reader: StoreReader,
  userId: UserId,
  sinceMs: number,
): readonly LaunchRecord[] {
  const found: LaunchRecord[] = [];
  for (const { value } of reader.range(LAUNCHES, { prefix: [userId], reverse: true })) {
    if (value.createdAtMs < sinceMs) break;
    if (value.state !== 'failed') found.push(value);
  }
  return found;
}

/** Returns a user's newest launches whose token is there, newest first. */
export function tokensLaunched(reader: StoreReader, userId: UserId): readonly LaunchRecord[] {
  return reader
    .range(LAUNCHES, { prefix: [userId], reverse: true, limit: LAUNCH.tokensShownMaximum })
    .map(({ value }) => value)
    .filter(({ state }) => state === 'launched');
}

/** When a user may launch again, epoch ms; null where they may now. */
export function mayLaunchAtMs(reader: StoreReader, userId: UserId, nowMs: number): number | null {
  const last = launchesSince(reader, userId, nowMs - LAUNCH.everyMs + 1)[0];
  return last === undefined ? null : last.createdAtMs + LAUNCH.everyMs;
}
