import { TRANSACTION } from '../../../config/limits/funds.ts';
import { SWAP } from '../../../config/limits/tokens.ts';
import type { Address, SwapId, UserId } from '../../domain/ids.ts';
import type { StoredCall, TransactionBody, TransactionRecord } from '../../domain/transaction.ts';
import { isSwapOver } from '../../domain/swap.ts';
import type { PurposeOf } from '../../domain/transaction-purpose.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { takeBackHold } from '../books/holds.ts';
import { putSwap, readSwap } from '../swaps/swap-records.ts';
import { transactionsOf } from '../transactions/stored-transactions.ts';
import { newTransactionId, putSuccessor } from '../transactions/transaction-records.ts';
import {
  approvalUndone,
  approvedAmount,
  callsBody,
  transfersOf,
} from '../wallets/contract-calls.ts';
import { isSameAddress } from '../wallets/contracts.ts';
import type { MoneyReceipt, OwnerClosings, TransactionFor } from './transaction-closing.ts';
import { auditEnd, doneByItsBlock, endItsHold } from './transaction-end.ts';

/**
 * Creates what the steps of swaps mean for the books: what was held has left with the swap's own
 * final block, and is given back where it never will, or did not after all. A right that the swap
 * did not use up is taken back by the very next transaction of the account, queued in the commit
 * that writes the end, and again where that one fails, SWAP.revocationsMaximum times in all. What
 * comes of the swap is for whoever follows it.
 */
export function createSwapClosings({
  clock,
  marketClock,
  random,
}: {
  /** Of the transactions themselves. */
  readonly clock: Clock;
  /** Market time, in which the books are kept. */
  readonly marketClock: Clock;
  readonly random: Random;
}): OwnerClosings<'swaps'> {
  function queueRevocation(
    tx: StoreWriter,
    record: TransactionFor<PurposeOf<'swap' | 'swap_approval'>>,
    body: TransactionBody,
  ): void {
    const { swapId } = record.purpose.data;
    putSuccessor(tx, record, {
      transactionId: newTransactionId({ clock, random }),
      nowMs: clock.nowMs(),
      purpose: { owner: 'swaps', kind: 'swap_approval', data: { swapId } },
      body,
    });
  }
  function takeRightBack(
    tx: StoreWriter,
    record: TransactionFor<PurposeOf<'swap'>>,
    receipt: MoneyReceipt | null,
  ): void {
    const given = unusedRight(tx, record, receipt);
    if (given !== null) queueRevocation(tx, record, callsBody([approvalUndone(given)]));
  }
  return {
    swap_approval: {
      verdict: doneByItsBlock,
      close(tx, record) {
        const next = revocationAfter(tx, record);
        if (next === 'again') queueRevocation(tx, record, record.body);
        if (next === 'given_up')
          auditEnd(tx, record, 'swap_right_left', { subject: record.purpose.data.swapId });
      },
    },
    swap: {
      verdict: doneByItsBlock,
      close(tx, record, receipt) {
        const { swapId } = record.purpose.data;
        endItsHold(tx, record, marketClock.nowMs());
        takeRightBack(tx, record, receipt);
        auditEnd(tx, record, 'swap_sent', { subject: swapId });
      },
      undo(tx, record) {
        const { userId, transactionId, purpose } = record;
        const { swapId } = purpose.data;
        for (const heldFor of ['swap', 'bridge'] as const)
          takeBackHold(
            tx,
            { purpose: heldFor, userId, holdId: transactionId },
            marketClock.nowMs(),
          );
        takeRightBack(tx, record, null);
        failSwap(tx, record);
        auditEnd(tx, record, 'swap_undone', { subject: swapId });
      },
    },
  };
}

/** What a bridge has paid on the other chain has arrived there, whatever became of its start. */
function failSwap(
  tx: StoreWriter,
  { userId, purpose, reason, updatedAtMs }: TransactionFor<PurposeOf<'swap'>>,
): void {
  const before = readSwap(tx, userId, purpose.data.swapId);
  const isStaying = before.state !== 'completed' || before.sell.chain !== before.buy.chain;
  if (isSwapOver(before.state) && isStaying) return;
  const nothing = { receivedHash: null, received: null, receivedToken: null };
  putSwap(tx, {
    before,
    after: { ...before, ...nothing, state: 'failed', reason, updatedAtMs },
  });
}

/** The call that gave a swap a right it did not use up; null where nothing is left of it. */
function unusedRight(
  reader: StoreReader,
  record: TransactionFor<PurposeOf<'swap'>>,
  receipt: MoneyReceipt | null,
): StoredCall | null {
  const given = rightOf(reader, record.userId, record.purpose.data.swapId);
  if (given === null || drawnOf(given.to, record, receipt) >= approvedAmount(given)) return null;
  return given;
}

/**
 * Whether a right is taken back once more where that failed; one that stays is recorded in the
 * audit trail.
 */
function revocationAfter(
  reader: StoreReader,
  record: TransactionFor<PurposeOf<'swap_approval'>>,
): 'none' | 'again' | 'given_up' {
  const { userId, state, purpose } = record;
  if (state !== 'failed' || !isRevocation(record)) return 'none';
  const tried = approvalsOf(reader, userId, purpose.data.swapId).filter(isRevocation).length;
  return tried < SWAP.revocationsMaximum ? 'again' : 'given_up';
}

function isRevocation({ body }: TransactionRecord): boolean {
  const [call] = body.kind === 'calls' ? body.calls : [];
  return call !== undefined && approvedAmount(call) === 0n;
}

/** The transactions that gave a swap its right, or took it back. */
function approvalsOf(
  reader: StoreReader,
  userId: UserId,
  swapId: SwapId,
): readonly TransactionRecord[] {
  const newest = { reverse: true, limit: TRANSACTION.newestSearched };
  return transactionsOf(reader, userId, newest).filter(
    ({ purpose }) => purpose.kind === 'swap_approval' && purpose.data.swapId === swapId,
  );
}

/** The call that gave a swap its right; null where none did, or it failed. */
function rightOf(reader: StoreReader, userId: UserId, swapId: SwapId): StoredCall | null {
  const approval = approvalsOf(reader, userId, swapId).reduce<TransactionRecord | null>(
    (last, each) => (last === null || each.place > last.place ? each : last),
    null,
  );
  if (approval?.state !== 'done' || approval.body.kind !== 'calls') return null;
  return approval.body.calls[0] ?? null;
}

/** What of a token has left the account by a swap's own block. */
function drawnOf(
  token: Address,
  { state, account }: TransactionRecord,
  receipt: MoneyReceipt | null,
): bigint {
  if (state !== 'done' || receipt === null || !('logs' in receipt)) return 0n;
  return transfersOf(receipt, token)
    .filter(({ from }) => isSameAddress(from, account.address))
    .reduce((sum, { amount }) => sum + amount, 0n);
}
