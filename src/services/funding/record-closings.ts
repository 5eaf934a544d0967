import type { TransactionRecord } from '../../domain/transaction.ts';
import { putLaunch, readLaunch } from '../launches/launch-records.ts';
import { putRegistryRecord, readRegistryRecord } from '../registry/registry-records.ts';
import type { OwnerClosings } from './transaction-closing.ts';
import { auditEnd, doneByItsBlock } from './transaction-end.ts';

/**
 * What the end of a launch's transaction means: its bytes make the token or nothing, so that a
 * final block with them is the proof, and the launch ends in the same commit.
 */
export const launchClosings: OwnerClosings<'launches'> = {
  launch: {
    verdict: doneByItsBlock,
    close(tx, record) {
      const subject = record.purpose.data.launchId;
      const before = readLaunch(tx, record.userId, subject);
      putLaunch(tx, { before, after: { ...before, ...endOf(record, 'launched') } });
      auditEnd(tx, record, 'launch_ended', { subject, of: before.mint });
    },
  },
};

/** The same of a transaction to the agent registry. */
export const registryClosings: OwnerClosings<'registry'> = {
  registry: {
    verdict: doneByItsBlock,
    close(tx, record) {
      const subject = record.purpose.data.entryId;
      const before = readRegistryRecord(tx, record.userId, subject);
      putRegistryRecord(tx, { before, after: { ...before, ...endOf(record, 'recorded') } });
      auditEnd(tx, record, 'registry_ended', { subject, of: before.asset });
    },
  },
};

/** What a record of its own takes over from the end of its transaction. */
function endOf<Done extends string>(
  { state, reason, transactionHash, updatedAtMs }: TransactionRecord,
  done: Done,
) {
  const ended = state === 'done' ? done : ('failed' as const);
  return { state: ended, transactionHash, reason, updatedAtMs };
}
