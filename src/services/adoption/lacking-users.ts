import { ADOPTION } from '../../../config/limits/adoption.ts';
import { AppError } from '../../domain/errors.ts';
import type { UserId } from '../../domain/ids.ts';
import type { StoreReader } from '../../ports/store.ts';
import { isLacking } from '../books/restores.ts';
import { ADOPTIONS, RESTORES, STOPS } from '../books/tables.ts';
import { stopKey, type StopScope } from '../orders/stop-check.ts';
import { allUsers } from '../sign-in/all-users.ts';

/** Users whose books may lack something, page by page. */
export function* lackingUsers(reader: StoreReader): Generator<UserId> {
  const restore = reader.get(RESTORES, ['newest'])?.value;
  if (restore === undefined || restore.adoptedAtMs !== null) return;
  for (const userId of allUsers(reader)) if (isLacking(reader, userId)) yield userId;
}

/** Counts users of whom nothing is lacking any more since the newest restore. */
export function adoptedUsers(reader: StoreReader): number {
  const restore = reader.get(RESTORES, ['newest'])?.value;
  if (restore === undefined) return 0;
  let adopted = 0;
  for (
    let page = reader.range(ADOPTIONS, { limit: ADOPTION.usersPage });
    page.length > 0;
    page = reader.range(ADOPTIONS, { after: page.at(-1)?.key ?? [], limit: ADOPTION.usersPage })
  )
    adopted += page.filter(({ value }) => value.upToMs === restore.upToMs).length;
  return adopted;
}

/**
 * Refuses to lift a stop of the operator while the books of those it holds may lack what a restore
 * did not bring back: their limits would be counted by too little. That of everybody may go once
 * each user who lacks something has a stop of their own. Errors: `conflict`.
 */
export function assertAdopted(reader: StoreReader, scope: StopScope): void {
  if (scope.kind === 'self') return;
  if (scope.kind === 'user') {
    if (isLacking(reader, scope.userId)) throw notAdopted(scope.userId);
    return;
  }
  for (const userId of lackingUsers(reader))
    if (reader.get(STOPS, stopKey({ kind: 'user', userId }))?.value.stopped !== true)
      throw notAdopted(userId);
}

function notAdopted(userId: UserId): AppError {
  return new AppError(
    'conflict',
    `the store was restored, and the books of user ${userId} may lack what happened since the backup: run predictd adopt to its end; a user it cannot finish is stopped alone first, with POST /internal/stop and their userId`,
  );
}
