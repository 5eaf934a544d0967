import type { UserId } from '../../domain/ids.ts';
import type { StoreReader } from '../../ports/store.ts';
import { ADOPTIONS, RESTORES } from './tables.ts';

/**
 * Reports whether the books of a user may lack what happened after the moment a restore put them
 * back to: until it was adopted, what chain and books differ by is not explained by anything else,
 * and nothing is paid out by them.
 */
export function isLacking(reader: StoreReader, userId: UserId): boolean {
  const restore = reader.get(RESTORES, ['newest'])?.value;
  if (restore === undefined || restore.adoptedAtMs !== null) return false;
  return reader.get(ADOPTIONS, [userId])?.value.upToMs !== restore.upToMs;
}
