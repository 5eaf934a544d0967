import { TRANSACTION } from '../../../config/limits/funds.ts';
import type { UserId } from '../../domain/ids.ts';
import {
  attemptToSend,
  isTransactionOver,
  type Attempt,
  type ChainAccount,
  type TransactionRecord,
} from '../../domain/transaction.ts';
import { chainLabel, type Web3ChainId } from '../../domain/web3-chains.ts';
import type { ChainReceipt } from '../../ports/transactions.ts';
import { railOf } from './rail-of.ts';
import { transactionsOf } from './stored-transactions.ts';
import { isSameAccount } from './transaction-records.ts';
import type { TransactionEffectDeps } from './transaction-effects.ts';

/** What the chain says now of transactions that have ended. */
export interface EndedAgain {
  /** How many no block has any more: their bytes went out again. */
  readonly sentAgain: number;
  /** Chain's names of those that are booked as executed, and ended otherwise after all. */
  readonly undone: ReadonlySet<string>;
}

type Deps<R extends ChainReceipt> = Pick<
  TransactionEffectDeps<R>,
  'store' | 'rails' | 'clock' | 'log' | 'metrics'
>;

/** Which of a user's transactions are asked about. */
export interface EndedOf {
  readonly userId: UserId;
  readonly chain: Web3ChainId;
  /** Of this account alone, and under this nonce or a later one; absent: all of the chain. */
  readonly from?: { readonly account: ChainAccount; readonly nonce: number };
}

/**
 * Asks the chain once more about a user's newest ended transactions. A block that was taken back
 * deeper than is waited for takes them with it: the same bytes are sent again, in their order, so
 * that the chain comes back to what is booked. Only accounts whose transactions are bounded by a
 * nonce are asked about, since the chain takes such bytes once, however often they are sent.
 * Errors: `chain_unavailable`.
 */
export async function askAgain<R extends ChainReceipt>(
  deps: Deps<R>,
  { userId, chain, from }: EndedOf,
): Promise<EndedAgain> {
  const { store, rails, clock, log, metrics } = deps;
  const nowMs = clock.nowMs();
  const ended = transactionsOf(store, userId, { reverse: true, limit: TRANSACTION.rowsPerRead })
    .filter(
      ({ state, account, attempts, updatedAtMs }) =>
        isTransactionOver(state) &&
        account.chain === chain &&
        nowMs - updatedAtMs < TRANSACTION.askedAgainMs &&
        attempts.some((attempt) => nonceOf(attempt) !== null) &&
        (from === undefined ||
          (isSameAccount(account, from.account) &&
            attempts.some((attempt) => (nonceOf(attempt) ?? -1) >= from.nonce))),
    )
    .slice(0, TRANSACTION.askedAgainMaximum)
    .reverse();
  const undone = new Set<string>();
  let sentAgain = 0;
  for (const record of ended) {
    const rail = railOf(rails, record);
    const status = await rail.status(record);
    const isUndone = status.kind === 'failed' || status.kind === 'never';
    if (isUndone && record.state === 'done') for (const name of namesOf(record)) undone.add(name);
    const attempt = executedOf(record);
    if (status.kind !== 'pending' || attempt === null) continue;
    if (nowMs - record.updatedAtMs < rail.pace.rebroadcastMs) continue;
    const outcome = await rail.send(attempt);
    sentAgain += 1;
    const { transactionId, account } = record;
    metrics.count('chain_forks_total', { chain: chainLabel(account.chain) });
    log.error({ userId, transactionId, outcome: outcome.kind }, 'transaction.taken_back');
  }
  return { sentAgain, undone };
}

/** What a block had of a transaction; the newest attempt where its name is another than theirs. */
function executedOf(record: TransactionRecord): Attempt | null {
  return record.attempts.find(({ id }) => id === record.transactionHash) ?? attemptToSend(record);
}

function namesOf({ attempts, transactionHash }: TransactionRecord): readonly string[] {
  return [...attempts.map(({ id }) => id), ...(transactionHash === null ? [] : [transactionHash])];
}

function nonceOf({ bound }: Attempt): number | null {
  return bound.kind === 'nonce' ? bound.nonce : null;
}
