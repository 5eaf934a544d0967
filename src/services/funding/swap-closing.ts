import type { Clock } from '../../ports/clock.ts';
import type { ChainReceipt } from '../../ports/transactions.ts';
import { audit } from '../audit.ts';
import { openHolds, endHold } from '../books/holds.ts';
import type { TransactionBooks } from '../transactions/transaction-effects.ts';

/**
 * Creates what the steps of swaps mean for the books: what was held has left with the swap's own
 * final block, and is given back where it never will. What comes of it is for whoever follows the
 * swap.
 */
export function createSwapBooks(marketClock: Clock): TransactionBooks<ChainReceipt> {
  return {
    verdict: () => ({ state: 'done', reason: null }),
    close(tx, { userId, transactionId, purpose, state, reason, transactionHash, updatedAtMs }) {
      if (purpose.kind !== 'swap') return;
      const isDone = state === 'done';
      if (openHolds(tx, userId).some(({ holdId }) => holdId === transactionId))
        endHold(
          tx,
          { userId, holdId: transactionId },
          { how: isDone ? 'booked' : 'released', atMs: marketClock.nowMs() },
        );
      audit(tx, {
        userId,
        atMs: updatedAtMs,
        action: 'swap_sent',
        subject: purpose.swapId,
        detail: isDone
          ? `done in ${transactionHash ?? 'no transaction'}`
          : `failed: ${reason ?? 'no reason'}`,
      });
    },
  };
}
