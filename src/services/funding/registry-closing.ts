import type { Clock } from '../../ports/clock.ts';
import type { ChainReceipt } from '../../ports/transactions.ts';
import { audit } from '../audit.ts';
import { putRegistryRecord, readRegistryRecord } from '../registry/registry-records.ts';
import type { TransactionBooking } from '../transactions/transaction-effects.ts';
import { doneByItsBlock, endedWith, endInWords } from './transaction-end.ts';

/**
 * Creates what the end of a transaction to the agent registry means: a final block with its bytes
 * is the proof, and the record ends in the same commit.
 */
export function createRegistryBooks(clock: Clock): TransactionBooking<ChainReceipt> {
  return {
    verdict: doneByItsBlock,
    close(tx, record) {
      const { userId, purpose } = record;
      if (purpose.kind !== 'registry') return;
      const before = readRegistryRecord(tx, userId, purpose.entryId);
      const atMs = clock.nowMs();
      putRegistryRecord(tx, {
        before,
        after: endedWith(before, record, { done: 'recorded', atMs }),
      });
      audit(tx, {
        userId,
        atMs,
        action: 'registry_ended',
        subject: purpose.entryId,
        detail: `${before.asset} ${endInWords(record)}`,
      });
    },
  };
}
