import type { Clock } from '../../ports/clock.ts';
import { audit } from '../audit.ts';
import { putRegistryRecord, readRegistryRecord } from '../registry/registry-records.ts';
import type { OwnerClosings } from './transaction-closing.ts';
import { doneByItsBlock, endedWith, endInWords } from './transaction-end.ts';

/**
 * Creates what the end of a transaction to the agent registry means: a final block with its bytes
 * is the proof, and the record ends in the same commit.
 */
export function createRegistryClosings(clock: Clock): OwnerClosings<'registry'> {
  return {
    registry: {
      verdict: doneByItsBlock,
      close(tx, record) {
        const { userId, purpose } = record;
        const { entryId } = purpose.data;
        const before = readRegistryRecord(tx, userId, entryId);
        const atMs = clock.nowMs();
        putRegistryRecord(tx, {
          before,
          after: endedWith(before, record, { done: 'recorded', atMs }),
        });
        audit(tx, {
          userId,
          atMs,
          action: 'registry_ended',
          subject: entryId,
          detail: `${before.asset} ${endInWords(record)}`,
        });
      },
    },
  };
}
