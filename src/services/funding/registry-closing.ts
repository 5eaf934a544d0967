import type { Clock } from '../../ports/clock.ts';
import type { ChainReceipt } from '../../ports/transactions.ts';
import { audit } from '../audit.ts';
import { putRegistryRecord, readRegistryRecord } from '../registry/registry-records.ts';
import type { TransactionBooks } from '../transactions/transaction-effects.ts';

/**
 * Creates what the end of a transaction to the agent registry means: a final block with its bytes
 * is the proof, and the record ends in the same commit.
 */
export function createRegistryBooks(clock: Clock): TransactionBooks<ChainReceipt> {
  return {
    verdict: () => ({ state: 'done', reason: null }),
    close(tx, { userId, purpose, state, reason, transactionHash }) {
      if (purpose.kind !== 'registry') return;
      const before = readRegistryRecord(tx, userId, purpose.entryId);
      const atMs = clock.nowMs();
      const isDone = state === 'done';
      putRegistryRecord(tx, {
        before,
        after: {
          ...before,
          state: isDone ? 'recorded' : 'failed',
          transactionHash,
          reason,
          updatedAtMs: atMs,
        },
      });
      audit(tx, {
        userId,
        atMs,
        action: 'registry_ended',
        subject: purpose.entryId,
        detail: isDone
          ? `${before.asset} in ${transactionHash ?? 'no transaction'}`
          : `failed: ${reason ?? 'no reason'}`,
      });
    },
  };
}
