import type { Clock } from '../../ports/clock.ts';
import type { ChainReceipt } from '../../ports/transactions.ts';
import { audit } from '../audit.ts';
import { putLaunch, readLaunch } from '../launches/launch-records.ts';
import type { TransactionBooking } from '../transactions/transaction-effects.ts';
import { doneByItsBlock, endedWith, endInWords } from './transaction-end.ts';

/**
 * Creates what the end of a launch's transaction means: the bytes are ours and make the token or
 * nothing, so that a final block with them is the proof, and the launch ends in the same commit.
 */
export function createLaunchBooks(clock: Clock): TransactionBooking<ChainReceipt> {
  return {
    verdict: doneByItsBlock,
    close(tx, record) {
      const { userId, purpose } = record;
      if (purpose.kind !== 'launch') return;
      const before = readLaunch(tx, userId, purpose.launchId);
      const atMs = clock.nowMs();
      putLaunch(tx, { before, after: endedWith(before, record, { done: 'launched', atMs }) });
      audit(tx, {
        userId,
        atMs,
        action: 'launch_ended',
        subject: purpose.launchId,
        detail: `${before.mint} ${endInWords(record)}`,
      });
    },
  };
}
