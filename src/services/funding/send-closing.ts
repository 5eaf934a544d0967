import type { Clock } from '../../ports/clock.ts';
import type { ChainReceipt } from '../../ports/transactions.ts';
import { audit } from '../audit.ts';
import { endHold } from '../books/holds.ts';
import type { TransactionBooks } from '../transactions/transaction-effects.ts';

/**
 * Creates what transfers to others mean for the books: the bytes are ours and move the whole amount
 * or nothing, so that a final block with them is the proof. What was held has left then, and is
 * given back where it never will.
 */
export function createSendBooks(marketClock: Clock): TransactionBooks<ChainReceipt> {
  return {
    verdict: () => ({ state: 'done', reason: null }),
    close(tx, { userId, transactionId, purpose, state, reason, transactionHash, updatedAtMs }) {
      const isDone = state === 'done';
      if (purpose.kind === 'send' && purpose.usdc !== null)
        endHold(
          tx,
          { userId, holdId: transactionId },
          { how: isDone ? 'booked' : 'released', atMs: marketClock.nowMs() },
        );
      audit(tx, {
        userId,
        atMs: updatedAtMs,
        action: 'send_ended',
        subject: transactionId,
        detail: isDone
          ? `done in ${transactionHash ?? 'no transaction'}`
          : `failed: ${reason ?? 'no reason'}`,
      });
    },
  };
}
