import type { Clock } from '../../ports/clock.ts';
import type { ChainReceipt } from '../../ports/transactions.ts';
import { audit } from '../audit.ts';
import type { TransactionBooks } from '../transactions/transaction-effects.ts';
import { doneByItsBlock, endInWords, endItsHold } from './transaction-end.ts';

/**
 * Creates what the steps of swaps mean for the books: what was held has left with the swap's own
 * final block, and is given back where it never will. What comes of it is for whoever follows the
 * swap.
 */
export function createSwapBooks(marketClock: Clock): TransactionBooks<ChainReceipt> {
  return {
    verdict: doneByItsBlock,
    close(tx, record) {
      const { userId, purpose, updatedAtMs } = record;
      if (purpose.kind !== 'swap') return;
      endItsHold(tx, record, marketClock.nowMs());
      audit(tx, {
        userId,
        atMs: updatedAtMs,
        action: 'swap_sent',
        subject: purpose.swapId,
        detail: endInWords(record),
      });
    },
  };
}
