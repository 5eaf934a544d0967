import type { PurposeOf } from '../../domain/transaction-purpose.ts';
import type { Clock } from '../../ports/clock.ts';
import type { StoreWriter } from '../../ports/store.ts';
import { transfersOf } from '../wallets/contract-calls.ts';
import { isSameAddress } from '../wallets/contracts.ts';
import {
  bookRedemption,
  giveUpRedemption,
  takeBackRedemption,
  type Holder,
} from './redemption-booking.ts';
import { REDEEMED_PAYOUTS } from './tables.ts';
import type { MoneyReceipt, OwnerClosings, TransactionFor } from './transaction-closing.ts';
import { stopOnMoney } from './stopped-money.ts';
import { auditEnd, doneByItsBlock } from './transaction-end.ts';
import { undoTrades } from './undone-trades.ts';

type Redemption = TransactionFor<PurposeOf<'venue_redemption'>>;

/**
 * Creates what the transactions of venues mean for the books. A call books nothing: the fills of an
 * order that is a transaction are booked by the order path alone, and a right moves no money; where
 * it was not carried out after all, they are taken back. A redemption is paid by what came to the
 * account, or may be tried again: also where the chain took back what it had paid.
 */
export function createVenueClosings({
  clock,
  marketClock,
}: {
  /** Of the transactions themselves. */
  readonly clock: Clock;
  /** Market time, in which the books are kept. */
  readonly marketClock: Clock;
}): OwnerClosings<'venue'> {
  const holderOf = ({ userId, purpose: { data } }: Redemption): Holder => ({
    userId,
    marketId: data.marketId,
    cashAccount: data.cashAccount,
    nowMs: clock.nowMs(),
    bookedAtMs: marketClock.nowMs(),
  });
  function book(tx: StoreWriter, record: Redemption, receipt: MoneyReceipt): void {
    const { userId, transactionId } = record;
    const holder = holderOf(record);
    const payouts = bookRedemption(tx, {
      ...holder,
      paidMicros: Number(paidTo(record, receipt)),
      transactionId,
      transactionHash: receipt.transactionHash,
    });
    tx.put(REDEEMED_PAYOUTS, [userId, transactionId], { payouts, bookedAtMs: holder.nowMs });
  }
  return {
    venue_call: {
      refusal(reader, { userId, purpose: { data } }) {
        if (data.untilMs !== undefined && marketClock.nowMs() >= data.untilMs)
          return 'its time passed while it waited in its account’s queue';
        // Sales wait behind it, and it would be made at the end of the stop.
        return data.side === 'buy' ? stopOnMoney(reader, userId) : null;
      },
      verdict: doneByItsBlock,
      close: () => undefined,
      undo: (tx, record) => undoTrades(tx, record, marketClock.nowMs()),
      // its fills are found by what it moved (changed-trades.ts)
      redo: () => undefined,
    },
    venue_redemption: {
      verdict: (record, receipt) =>
        paidTo(record, receipt) > 0n
          ? { state: 'done', reason: null }
          : { state: 'failed', reason: 'executed without a payout' },
      close(tx, record, receipt) {
        if (record.state !== 'done' || receipt === null) giveUpRedemption(tx, holderOf(record));
        else book(tx, record, receipt);
        auditEnd(tx, record, 'claim_ended');
      },
      undo(tx, record) {
        takeBackRedemption(tx, { ...holderOf(record), ...record });
        auditEnd(tx, record, 'claim_undone');
      },
      redo(tx, record, receipt) {
        if (receipt !== null) book(tx, record, receipt);
        auditEnd(tx, record, 'claim_ended');
      },
    },
  };
}

/** What winners are paid in that came to the account, less what of it left, smallest unit. */
function paidTo({ account, purpose }: Redemption, receipt: MoneyReceipt | null): bigint {
  if (receipt === null || !('logs' in receipt)) return 0n;
  return transfersOf(receipt, purpose.data.token).reduce(
    (sum, { from, to, amount }) =>
      sum +
      (isSameAddress(to, account.address) ? amount : 0n) -
      (isSameAddress(from, account.address) ? amount : 0n),
    0n,
  );
}
