import { assert } from '../domain/errors.ts';
import type { TransactionQueue } from '../services/transactions/transactions.ts';

/**
 * The queues of transactions as venues hold them: venues are opened before the money that makes the
 * queues, and use them once they trade.
 */
interface LateTransactions extends TransactionQueue {
  /** Hands over the queues; called once, before anything trades. */
  join(queue: TransactionQueue): void;
}

/** Creates the holder, which gives nothing before `join`. */
export function lateTransactions(): LateTransactions {
  const late: { queue: TransactionQueue | null } = { queue: null };
  const queue = (): TransactionQueue => {
    assert(late.queue !== null, 'the queues of transactions are joined before a venue trades');
    return late.queue;
  };
  return {
    join(joined) {
      late.queue = joined;
    },
    enqueue: (...drafts) => queue().enqueue(...drafts),
    settled: (...record) => queue().settled(...record),
    find: (...ref) => queue().find(...ref),
    askAgain: (...which) => queue().askAgain(...which),
  };
}
