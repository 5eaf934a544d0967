import { TRANSACTION } from '../../../config/limits/funds.ts';
import type { UserId } from '../../domain/ids.ts';
import {
  attemptToSend,
  isTransactionOver,
  type Attempt,
  type ChainAccount,
  type NeverProof,
  type TransactionRecord,
} from '../../domain/transaction.ts';
import { chainLabel, type Web3ChainId } from '../../domain/web3-chains.ts';
import type { StoreWriter } from '../../ports/store.ts';
import type { ChainReceipt, TransactionStatus } from '../../ports/transactions.ts';
import type { NeverProofs } from './never-proofs.ts';
import { railOf } from './rail-of.ts';
import { readTransaction, transactionsOf } from './stored-transactions.ts';
import type { TransactionEffectDeps } from './transaction-effects.ts';
import { foldExecuted, foldNotExecuted } from './transaction-fold.ts';
import { isSameAccount, putTransaction } from './transaction-records.ts';

/** What the chain says now of transactions that have ended. */
export interface EndedAgain {
  /** How many no final block has: their bytes went out again, or will. */
  readonly moving: number;
  /** How many ended otherwise than was booked, and are booked so now. */
  readonly changed: number;
}

/** Which of a user's transactions are asked about. */
interface EndedOf {
  readonly userId: UserId;
  /** Absent: on all chains. */
  readonly chain?: Web3ChainId;
  /** Those that ended in this time; absent: within TRANSACTION.askedAgainMs. */
  readonly withinMs?: number;
  /** Of this account alone, and under this nonce or a later one; absent: of all EVM accounts. */
  readonly from?: { readonly account: ChainAccount; readonly nonce: number };
}

/**
 * Asks the chain once more about a user's newest ended transactions. A block that was taken back
 * deeper than is waited for takes them with it: the same bytes are sent again, in their order, so
 * that the chain comes back to what is booked; one that fails then is booked as undone, and one
 * that had failed and is carried out then as done. Only accounts whose transactions are bounded by
 * a nonce are asked about, since the chain takes such bytes once, however often they are sent.
 * Errors: `chain_unavailable`, `store_unavailable`.
 */
export type AskEnded = (which: EndedOf) => Promise<EndedAgain>;

/** Makes the question. */
export function createAskEnded<R extends ChainReceipt>(
  deps: TransactionEffectDeps<R>,
  proofs: NeverProofs,
): AskEnded {
  const isProven = ({ transactionId }: TransactionRecord, { proof }: Failure): boolean =>
    proof === undefined || proofs.isProven(transactionId, proof);

  return async (which) => {
    let [moving, changed] = [0, 0];
    for (const record of endedOf(deps, which)) {
      const status = await railOf(deps.rails, record).status(record);
      const failure = failureIn(deps, record, status);
      if (failure?.proof === undefined) proofs.forget(record.transactionId);
      const isOpen = failure === null ? !isFinal(status) : !isProven(record, failure);
      if (isOpen) moving += 1;
      else if (failure !== null && (await undo(deps, record, failure))) changed += 1;
      else if (isCarriedOut(deps, record, status) && (await redo(deps, record, status)))
        changed += 1;
      if (status.kind === 'pending') await sendAgain(deps, record);
    }
    return { moving, changed };
  };
}

/** Why one that was done was not carried out after all; null while it may have been. */
interface Failure {
  readonly reason: string;
  /** Where no block has it: what used its nonce. */
  readonly proof?: NeverProof;
  /** What it took all the same. */
  readonly fee?: bigint;
}

/** What is executed may have come to nothing, by its own events. */
function failureIn<R extends ChainReceipt>(
  { books, clock }: TransactionEffectDeps<R>,
  record: TransactionRecord,
  status: TransactionStatus<R>,
): Failure | null {
  if (record.state !== 'done' || books.owns?.(record) === false) return null;
  // a node that has forgotten its receipt shows the same as one that never had it
  const isOld = clock.nowMs() - record.updatedAtMs > TRANSACTION.absenceProvesForMs;
  if (status.kind === 'never' && isOld) return null;
  if (status.kind === 'failed' || status.kind === 'never') return status;
  if (status.kind !== 'confirmed') return null;
  const { state, reason } = books.verdict(record, status.receipt);
  return state === 'failed' ? { reason: reason ?? 'it came to nothing' } : null;
}

type Confirmed<R extends ChainReceipt> = Extract<
  TransactionStatus<R>,
  { readonly kind: 'confirmed' }
>;

/** One that had failed, by its own bytes: not by a call without effect in its place. */
function isCarriedOut<R extends ChainReceipt>(
  { books }: TransactionEffectDeps<R>,
  record: TransactionRecord,
  status: TransactionStatus<R>,
): status is Confirmed<R> {
  if (record.state !== 'failed' || status.kind !== 'confirmed' || status.receipt === null)
    return false;
  const { transactionHash } = status.receipt;
  const isOwn = record.attempts.some(({ id, isCancel }) => id === transactionHash && !isCancel);
  return (
    isOwn &&
    books.owns?.(record) !== false &&
    books.verdict(record, status.receipt).state === 'done'
  );
}

/** What lies so deep that the node has pruned it is not taken back any more. */
function isFinal<R extends ChainReceipt>({ kind }: TransactionStatus<R>): boolean {
  return kind === 'confirmed' || kind === 'failed' || kind === 'never' || kind === 'pruned';
}

/** Oldest first. */
function endedOf<R extends ChainReceipt>(
  { store, clock }: TransactionEffectDeps<R>,
  { userId, chain, withinMs, from }: EndedOf,
): readonly TransactionRecord[] {
  // each user's are read every minute where a time is given
  const limit = withinMs === undefined ? TRANSACTION.askedAgainMaximum : TRANSACTION.watchedMaximum;
  return transactionsOf(store, userId, { reverse: true, limit })
    .filter(
      ({ state, account, attempts, updatedAtMs }) =>
        isTransactionOver(state) &&
        (chain === undefined || account.chain === chain) &&
        clock.nowMs() - updatedAtMs < (withinMs ?? TRANSACTION.askedAgainMs) &&
        attempts.some((attempt) => nonceOf(attempt) !== null) &&
        (from === undefined
          ? account.rail === 'evm'
          : isSameAccount(account, from.account) &&
            attempts.some((attempt) => (nonceOf(attempt) ?? -1) >= from.nonce)),
    )
    .reverse();
}

async function sendAgain<R extends ChainReceipt>(
  { rails, clock, log, metrics }: TransactionEffectDeps<R>,
  record: TransactionRecord,
): Promise<void> {
  const { userId, transactionId, account, updatedAtMs } = record;
  const rail = railOf(rails, record);
  const attempt = executedOf(record);
  if (attempt === null || clock.nowMs() - updatedAtMs < rail.pace.rebroadcastMs) return;
  const outcome = await rail.send(attempt);
  metrics.count('chain_forks_total', { chain: chainLabel(account.chain) });
  log.error({ userId, transactionId, outcome: outcome.kind }, 'transaction.taken_back');
}

/** Writes one that was done as failed, once, with all that this means for the books. */
function undo<R extends ChainReceipt>(
  deps: TransactionEffectDeps<R>,
  record: TransactionRecord,
  failure: Failure,
): Promise<boolean> {
  const nowMs = deps.clock.nowMs();
  const reason = `undone: ${failure.reason}`;
  return endAgain(deps, record, {
    fold: (before) => foldNotExecuted(before, { ...failure, reason }, nowMs),
    what: 'undo',
    book: (tx, after) => deps.books.undo?.(tx, after) === true,
  });
}

/** Writes one that had failed as done, likewise. */
function redo<R extends ChainReceipt>(
  deps: TransactionEffectDeps<R>,
  record: TransactionRecord,
  { receipt }: Confirmed<R>,
): Promise<boolean> {
  const nowMs = deps.clock.nowMs();
  const verdict = deps.books.verdict(record, receipt);
  const transactionHash = receipt?.transactionHash ?? null;
  return endAgain(deps, record, {
    fold: (before) =>
      foldExecuted(before, { ...verdict, transactionHash, fee: receipt?.fee }, nowMs),
    what: 'redo',
    book: (tx, after) => deps.books.redo?.(tx, after, receipt) === true,
  });
}

async function endAgain<R extends ChainReceipt>(
  { commit, log }: TransactionEffectDeps<R>,
  record: TransactionRecord,
  {
    what,
    fold,
    book,
  }: {
    readonly what: 'undo' | 'redo';
    readonly fold: (before: TransactionRecord) => TransactionRecord;
    readonly book: (tx: StoreWriter, after: TransactionRecord) => boolean;
  },
): Promise<boolean> {
  const isBooked = await commit((tx) => {
    const before = readTransaction(tx, record);
    if (before.state !== record.state) return false;
    const after = fold(before);
    if (!book(tx, after)) return false;
    putTransaction(tx, { before, after });
    return true;
  });
  const { userId, transactionId, purpose } = record;
  const { state, reason } = fold(record);
  log.error(
    { userId, transactionId, kind: purpose.kind, state, reason, isBooked },
    what === 'undo' ? 'transaction.undone' : 'transaction.carried_out_after_all',
  );
  return isBooked;
}

/** What a block had of a transaction; the newest attempt where its name is another than theirs. */
function executedOf(record: TransactionRecord): Attempt | null {
  return record.attempts.find(({ id }) => id === record.transactionHash) ?? attemptToSend(record);
}

function nonceOf({ bound }: Attempt): number | null {
  return bound.kind === 'nonce' ? bound.nonce : null;
}
