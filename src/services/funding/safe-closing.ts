import { SAFE_CASH } from '../../domain/cash.ts';
import { withAllowance } from '../../domain/funds-dispute.ts';
import { asId, type Address } from '../../domain/ids.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import type { TransactionRecord } from '../../domain/transaction.ts';
import type { PurposeOf, SafePurpose } from '../../domain/transaction-purpose.ts';
import { formatMicros } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EvmReceipt } from '../../ports/evm.ts';
import type { StoreWriter } from '../../ports/store.ts';
import { endHold } from '../books/holds.ts';
import { FUNDS_DISPUTES } from '../books/tables.ts';
import type { Verdict } from '../transactions/transaction-effects.ts';
import { transfersOf, type TokenTransfer } from '../wallets/contract-calls.ts';
import { isSameAddress, type MoneyContracts } from '../wallets/contracts.ts';
import { SAFES, type SafeRecord } from '../wallets/tables.ts';
import { depositsIn, proofTerms } from './deposit-proof.ts';
import { bookDeposit, type BookingTime } from './movement-booking.ts';
import { bookRedemption, giveUpRedemption } from './redemption-booking.ts';
import type {
  Closing,
  MoneyReceipt,
  OwnerClosings,
  TransactionFor,
} from './transaction-closing.ts';
import { auditEnd, doneByItsBlock } from './transaction-end.ts';

/**
 * Creates the closings of what a Safe does: on the chain's proof a withdrawal leaves or is given
 * back, a redemption is paid or may be tried again, what a transfer brought is a deposit. Executed
 * without what it was meant for is a failure: nothing left.
 */
export function createSafeClosings(deps: {
  readonly contracts: MoneyContracts;
  /**
   * True where what lies in a Safe is its user's cash at the venue; false where the venue's word,
   * or another wallet, is what the books follow.
   */
  readonly fundsInSafes: boolean;
  /** Of the transactions themselves. */
  readonly clock: Clock;
  /** Market time, in which the books are kept. */
  readonly marketClock: Clock;
}): OwnerClosings<'safe'> {
  const { contracts, fundsInSafes } = deps;
  const time = (): BookingTime => ({
    nowMs: deps.clock.nowMs(),
    bookedAtMs: deps.marketClock.nowMs(),
  });
  const brings: Closing<PurposeOf<'transfer' | 'wrap'>> = {
    verdict: proven(({ purpose: { data }, account }, receipt) =>
      bringsTo(receipt, { safe: account.address, amount: BigInt(data.amount) }, contracts),
    ),
    close(tx, record, given) {
      const receipt = evmReceipt(given);
      if (fundsInSafes && receipt !== null) bookBrought(tx, record, { receipt, contracts }, time());
      auditEnd(tx, record, ENDINGS[record.purpose.kind]);
    },
  };
  return {
    deploy: {
      verdict: doneByItsBlock,
      close(tx, record) {
        if (record.state === 'done') noteSafe(tx, record, { isDeployed: true });
      },
    },
    allowances: {
      verdict: doneByItsBlock,
      close(tx, record) {
        if (record.state === 'done') noteAllowances(tx, record, time().bookedAtMs);
      },
    },
    withdraw: {
      verdict: proven(leavesSafe),
      close(tx, record) {
        const { userId, transactionId, state } = record;
        endHold(
          tx,
          { userId, holdId: transactionId },
          { how: state === 'done' ? 'booked' : 'released', atMs: time().bookedAtMs },
        );
        auditEnd(tx, record, 'withdrawal_ended');
      },
    },
    redeem: {
      verdict: proven(({ account }, receipt) =>
        transfersOf(receipt, contracts.collateral).some(
          ({ to, amount }) => isSameAddress(to, account.address) && amount > 0n,
        )
          ? { state: 'done', reason: null }
          : { state: 'failed', reason: 'executed without a payout' },
      ),
      close(tx, record, receipt) {
        bookRedeem(tx, record, { receipt: evmReceipt(receipt), contracts }, time());
        auditEnd(tx, record, 'claim_ended');
      },
    },
    transfer: brings,
    wrap: brings,
  };

  /** To its owner as it is, or into the offramp: what has left is no longer in the books. */
  function leavesSafe(
    { purpose: { data }, account: { address: safe } }: TransactionFor<PurposeOf<'withdraw'>>,
    receipt: EvmReceipt,
  ): Verdict {
    const hasLeft = transfersOf(receipt, contracts.collateral).some(
      ({ from, to, amount }) =>
        isSameAddress(from, safe) && !isSameAddress(to, safe) && amount === BigInt(data.usdc),
    );
    return hasLeft
      ? { state: 'done', reason: shortfall({ ...data, safe }, receipt) }
      : { state: 'failed', reason: 'executed, and no money of this amount left the Safe' };
  }
}

const ENDINGS = { transfer: 'transfer_ended', wrap: 'wrap_ended' } as const;

function evmReceipt(receipt: MoneyReceipt | null): EvmReceipt | null {
  return receipt !== null && 'logs' in receipt ? receipt : null;
}

/** Returns the verdict of what counts only with a transaction that shows it. */
function proven<P extends SafePurpose>(
  judge: (record: TransactionFor<P>, receipt: EvmReceipt) => Verdict,
): Closing<P>['verdict'] {
  return (record, given) => {
    const receipt = evmReceipt(given);
    return receipt === null
      ? { state: 'failed', reason: 'executed without a transaction to prove it' }
      : judge(record, receipt);
  };
}

/** Plain dollars that came and were not wrapped lie in the Safe: orphaned-usdc.ts wraps them. */
function bringsTo(
  receipt: EvmReceipt,
  { safe, amount }: { readonly safe: string; readonly amount: bigint },
  { collateral }: Pick<MoneyContracts, 'collateral'>,
): Verdict {
  const isIncoming = ({ from, to }: TokenTransfer) =>
    isSameAddress(to, safe) && !isSameAddress(from, safe);
  return transfersOf(receipt, collateral).some(
    (transfer) => isIncoming(transfer) && transfer.amount === amount,
  )
    ? { state: 'done', reason: null }
    : { state: 'failed', reason: 'executed, and no collateral of this amount came to the Safe' };
}

/** What the owner was paid of a withdrawal, where that is not its amount; null where it is. */
function shortfall(
  { to: owner, usdc, token, safe }: PurposeOf<'withdraw'>['data'] & { readonly safe: string },
  receipt: EvmReceipt,
): string | null {
  const paid = transfersOf(receipt, token)
    .filter(({ from, to }) => isSameAddress(to, owner) && !isSameAddress(from, owner))
    .reduce((sum, { amount }) => sum + amount, 0n);
  return paid === BigInt(usdc)
    ? null
    : `${formatMicros(usdc)} left the Safe ${safe}, and ${formatTokenAmount(paid, 6)} of ${token} came to the owner`;
}

/** What closing reads of the chain. */
interface Shown {
  readonly receipt: EvmReceipt;
  readonly contracts: MoneyContracts;
}

/**
 * What came is a deposit under the name that reading the chain gives it too: whichever is first
 * books it, the other finds it booked.
 */
function bookBrought(
  tx: StoreWriter,
  { userId, account }: TransactionRecord,
  { receipt, contracts }: Shown,
  time: BookingTime,
): void {
  const brought = depositsIn(
    receipt,
    proofTerms(tx, contracts),
    new Map([[account.address.toLowerCase(), userId]]),
  );
  for (const deposit of brought) bookDeposit(tx, deposit, time);
}

function bookRedeem(
  tx: StoreWriter,
  { userId, transactionId, state, account, purpose }: TransactionFor<PurposeOf<'redeem'>>,
  {
    receipt,
    contracts,
  }: { readonly receipt: EvmReceipt | null; readonly contracts: MoneyContracts },
  time: BookingTime,
): void {
  const holder = { userId, marketId: purpose.data.marketId, cashAccount: SAFE_CASH, ...time };
  if (state !== 'done' || receipt === null) return giveUpRedemption(tx, holder);
  const paid = transfersOf(receipt, contracts.collateral)
    .filter(({ to }) => isSameAddress(to, account.address))
    .reduce((sum, { amount }) => sum + amount, 0n);
  bookRedemption(tx, {
    ...holder,
    paidMicros: Number(paid),
    transactionId,
    transactionHash: receipt.transactionHash,
  });
}

/**
 * The Safe has given its allowances; where the venue had missed one, the next order finds out at
 * once.
 */
function noteAllowances(
  tx: StoreWriter,
  after: TransactionFor<PurposeOf<'allowances'>>,
  atMs: number,
): void {
  noteSafe(tx, after, { isDeployed: true, allowanceSet: after.purpose.data.set });
  for (const { key, value } of tx.range(FUNDS_DISPUTES, { prefix: [after.userId] }))
    if (value.lacksAllowanceOf === SAFE_CASH)
      tx.put(FUNDS_DISPUTES, key, withAllowance(value, atMs));
}

function noteSafe(
  tx: StoreWriter,
  { userId, account, updatedAtMs }: TransactionRecord,
  known: Partial<Pick<SafeRecord, 'isDeployed' | 'allowanceSet'>>,
): void {
  const before = tx.get(SAFES, [userId])?.value ?? { isDeployed: false, allowanceSet: null };
  tx.put(SAFES, [userId], {
    ...before,
    ...known,
    safe: asId<Address>(account.address),
    updatedAtMs,
  });
}
