import { join } from 'node:path';
import { openJournalReader } from '../../src/adapters/lmdb/journal-reader.ts';
import type { Person } from '../chaos/users.ts';

/**
 * Counts records that name a person, in their key or in what they say, at another shard than that
 * person's. `folders` are the data folders of all shards in their order, of processes that ended.
 */
export async function recordsOnOtherSides(
  folders: readonly string[],
  people: readonly Person[],
  shardOf: (person: Person) => number,
): Promise<number> {
  let count = 0;
  for (const [shard, folder] of folders.entries()) {
    const others = people.filter((person) => shardOf(person) !== shard);
    const reader = await openJournalReader(join(folder, 'store'));
    try {
      for (const { key, value } of reader.stored()) {
        const text = JSON.stringify([key, value]);
        if (others.some(({ userId }) => text.includes(userId.slice('usr_'.length)))) count += 1;
      }
    } finally {
      await reader.close();
    }
  }
  return count;
}
