import { asId, type Address } from '../../domain/ids.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import type { HoldRef } from '../../domain/ledger-entries.ts';
import type { TransactionRecord } from '../../domain/transaction.ts';
import type { SendPurpose } from '../../domain/transaction-purpose.ts';
import type { Clock } from '../../ports/clock.ts';
import { bookHoldAfterAll, takeBackHold } from '../books/holds.ts';
import type { Verdict } from '../transactions/transaction-effects.ts';
import { transfersOf } from '../wallets/contract-calls.ts';
import { isSameAddress } from '../wallets/contracts.ts';
import type { MoneyReceipt, OwnerClosings } from './transaction-closing.ts';
import { auditEnd, doneByItsBlock, endItsHold } from './transaction-end.ts';

/**
 * Creates what transfers to others mean for the books. A final block with our bytes is the proof
 * that the coin has left, and on Solana any token; a contract of an EVM chain may do otherwise than
 * it is published, so that its own events say what has. What was held is booked then, and given
 * back where it never leaves, or did not leave after all.
 */
export function createSendClosings(marketClock: Clock): OwnerClosings<'send'> {
  return {
    send: {
      verdict: ({ account, purpose: { data } }, receipt) =>
        data.token !== null && account.rail === 'evm'
          ? verdictOf(account.address, data, receipt)
          : doneByItsBlock(),
      close(tx, record) {
        endItsHold(tx, record, marketClock.nowMs());
        auditEnd(tx, record, 'send_ended');
      },
      undo(tx, record) {
        takeBackHold(tx, holdOf(record), marketClock.nowMs());
        auditEnd(tx, record, 'send_undone');
      },
      redo(tx, record) {
        bookHoldAfterAll(tx, holdOf(record), marketClock.nowMs());
        auditEnd(tx, record, 'send_ended');
      },
    },
  };
}

function holdOf({ userId, transactionId }: TransactionRecord): HoldRef {
  return { purpose: 'transfer', userId, holdId: transactionId };
}

/** What the token's own events say: nothing left, all of it arrived, or less than was sent. */
function verdictOf(
  from: string,
  { token, symbol, decimals, to, units }: SendPurpose['data'],
  receipt: MoneyReceipt | null,
): Verdict {
  const moves =
    receipt !== null && 'logs' in receipt && token !== null
      ? transfersOf(receipt, asId<Address>(token))
      : [];
  const sum = (isOurs: (move: (typeof moves)[number]) => boolean) =>
    moves.filter(isOurs).reduce((total, { amount }) => total + amount, 0n);
  if (sum((move) => isSameAddress(move.from, from)) === 0n)
    return { state: 'failed', reason: `executed, and no ${symbol} left your wallet` };
  const arrived = sum((move) => isSameAddress(move.to, to));
  return {
    state: 'done',
    reason:
      arrived === BigInt(units)
        ? null
        : `${formatTokenAmount(arrived, decimals)} ${symbol} arrived: the token keeps the rest`,
  };
}
