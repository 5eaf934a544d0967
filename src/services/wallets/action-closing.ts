import { withAllowance } from '../../domain/funds-dispute.ts';
import type { MarketId } from '../../domain/ids.ts';
import type { SafeActionRecord } from '../../domain/safe-action.ts';
import { formatTokenAmount } from '../../domain/token-amount.ts';
import { formatMicros } from '../../domain/units.ts';
import type { EvmReceipt } from '../../ports/evm.ts';
import type { StoreWriter } from '../../ports/store.ts';
import { depositsIn, proofTerms } from '../funding/deposit-proof.ts';
import { bookDeposit } from '../funding/movement-booking.ts';
import { bookRedemption, giveUpRedemption } from '../funding/redemption-booking.ts';
import { audit } from '../audit.ts';
import { endHold } from '../books/holds.ts';
import { foldEnd } from './action-fold.ts';
import { putAction } from './action-records.ts';
import type { TokenTransfer } from './contract-calls.ts';
import { transfersOf } from './contract-calls.ts';
import { isSameAddress } from './contracts.ts';
import type { MoneyContracts } from './contracts.ts';
import { FUNDS_DISPUTES } from '../books/tables.ts';
import { SAFES } from './tables.ts';
import type { SafeRecord } from './tables.ts';

/** How the chain says an action ended. The receipt is null where none exists: a Safe that already stood. */
export type ActionEnding =
  | { readonly kind: 'executed'; readonly receipt: EvmReceipt | null }
  | { readonly kind: 'never'; readonly reason: string };

/** What closing works with. */
export interface ClosingTerms {
  readonly contracts: MoneyContracts;
  /** False where what comes to a Safe is not the books' business. */
  readonly fundsInSafes: boolean;
  /** For the action itself. */
  readonly nowMs: number;
  /** For the books, in the markets' time. */
  readonly bookedAtMs: number;
}

/**
 * Ends an action on the chain's proof, in the caller's transaction, with all it means for the books: a withdrawal leaves or
 * is given back, a redemption is paid or may be tried again, what a transfer brought is a deposit. Executed without what it was
 * meant for is a failure: nothing left. Gives the record as it then stands.
 */
export function closeAction(
  tx: StoreWriter,
  before: SafeActionRecord,
  ending: ActionEnding,
  terms: ClosingTerms,
): SafeActionRecord {
  const missing = ending.kind === 'executed' ? missingProof(before, ending.receipt, terms) : null;
  const isDone = ending.kind === 'executed' && missing === null;
  const after = foldEnd(
    before,
    {
      state: isDone ? 'done' : 'failed',
      reason:
        ending.kind === 'executed' && isDone
          ? shortfall(before, ending.receipt)
          : ending.kind === 'never'
            ? ending.reason
            : missing,
      transactionHash:
        ending.kind === 'executed'
          ? (ending.receipt?.transactionHash ?? null)
          : before.transactionHash,
    },
    terms.nowMs,
  );
  putAction(tx, before, after);
  book(tx, after, ending, terms);
  note(tx, after);
  return after;
}

/** Says what the transaction should show and does not; null when it shows it. */
function missingProof(
  { purpose, safe }: SafeActionRecord,
  receipt: EvmReceipt | null,
  { contracts }: ClosingTerms,
): string | null {
  if (purpose.kind === 'deploy' || purpose.kind === 'allowances') return null;
  if (receipt === null) return 'executed without a transaction to prove it';
  const moved = (matches: (transfer: TokenTransfer) => boolean) =>
    transfersOf(receipt, contracts.collateral).some(matches);
  const isIncoming = ({ from, to }: TokenTransfer) =>
    isSameAddress(to, safe) && !isSameAddress(from, safe);
  switch (purpose.kind) {
    case 'withdraw':
      // To its owner as it is, or into the offramp: what has left the Safe is no longer money of the books, whatever was paid for it.
      return moved(
        ({ from, to, amount }) =>
          isSameAddress(from, safe) && !isSameAddress(to, safe) && amount === BigInt(purpose.usdc),
      )
        ? null
        : 'executed, and no money of this amount left the Safe';
    case 'transfer':
    case 'wrap':
      // Plain dollars that came and were not wrapped lie in the Safe: stray-dollars.ts wraps them.
      return moved((transfer) => isIncoming(transfer) && transfer.amount === BigInt(purpose.amount))
        ? null
        : 'executed, and no collateral of this amount came to the Safe';
    case 'redeem':
      return moved((transfer) => isSameAddress(transfer.to, safe) && transfer.amount > 0n)
        ? null
        : 'executed without a payout';
  }
}

/** What the owner was paid of a withdrawal, where that is not its amount; null where it is. */
function shortfall({ purpose, safe }: SafeActionRecord, receipt: EvmReceipt | null): string | null {
  if (purpose.kind !== 'withdraw' || receipt === null) return null;
  const paid = transfersOf(receipt, purpose.token)
    .filter(({ from, to }) => isSameAddress(to, purpose.to) && !isSameAddress(from, purpose.to))
    .reduce((sum, { amount }) => sum + amount, 0n);
  return paid === BigInt(purpose.usdc)
    ? null
    : `${formatMicros(purpose.usdc)} left the Safe ${safe}, and ${formatTokenAmount(paid, 6)} of ${purpose.token} came to the owner`;
}

function book(
  tx: StoreWriter,
  after: SafeActionRecord,
  ending: ActionEnding,
  terms: ClosingTerms,
): void {
  const { userId, actionId, purpose } = after;
  const isDone = after.state === 'done';
  switch (purpose.kind) {
    case 'deploy':
      return isDone ? noteSafe(tx, after, { isDeployed: true }) : undefined;
    case 'allowances':
      return isDone
        ? noteAllowances(tx, after, { set: purpose.set, atMs: terms.bookedAtMs })
        : undefined;
    case 'withdraw':
      return endHold(
        tx,
        { userId, holdId: actionId },
        { how: isDone ? 'booked' : 'released', atMs: terms.bookedAtMs },
      );
    case 'transfer':
    case 'wrap':
      return bookBrought(tx, after, ending, terms);
    case 'redeem':
      return bookRedeem(tx, after, { marketId: purpose.marketId, ending }, terms);
  }
}

/** What came is a deposit under the name the look at the chain gives it too: whichever is first books it, the other finds it booked. */
function bookBrought(
  tx: StoreWriter,
  { userId, safe }: SafeActionRecord,
  ending: ActionEnding,
  terms: ClosingTerms,
): void {
  if (!terms.fundsInSafes || ending.kind !== 'executed' || ending.receipt === null) return;
  const brought = depositsIn(
    ending.receipt,
    proofTerms(tx, terms.contracts),
    new Map([[safe.toLowerCase(), userId]]),
  );
  for (const deposit of brought) bookDeposit(tx, deposit, terms);
}

const ENDINGS = {
  withdraw: 'withdrawal_ended',
  redeem: 'claim_ended',
  transfer: 'transfer_ended',
  wrap: 'wrap_ended',
} as const;

/** What becomes of money by somebody's wish is remembered with its end. */
function note(
  tx: StoreWriter,
  { userId, actionId, purpose, state, reason, transactionHash, updatedAtMs }: SafeActionRecord,
): void {
  if (purpose.kind === 'deploy' || purpose.kind === 'allowances') return;
  const action = ENDINGS[purpose.kind];
  audit(tx, {
    userId,
    atMs: updatedAtMs,
    action,
    subject: actionId,
    detail:
      state === 'done'
        ? `done in ${transactionHash ?? 'no transaction'}`
        : `failed: ${reason ?? 'no reason'}`,
  });
}

function bookRedeem(
  tx: StoreWriter,
  { userId, actionId, state, safe }: SafeActionRecord,
  { marketId, ending }: { readonly marketId: MarketId; readonly ending: ActionEnding },
  { contracts, nowMs, bookedAtMs }: ClosingTerms,
): void {
  const holder = { userId, marketId, nowMs, bookedAtMs };
  if (state !== 'done' || ending.kind !== 'executed' || ending.receipt === null)
    return giveUpRedemption(tx, holder);
  const paid = transfersOf(ending.receipt, contracts.collateral)
    .filter(({ to }) => isSameAddress(to, safe))
    .reduce((sum, { amount }) => sum + amount, 0n);
  bookRedemption(tx, {
    ...holder,
    paidMicros: Number(paid),
    actionId,
    transactionHash: ending.receipt.transactionHash,
  });
}

/** The Safe has given its allowances; where the venue had missed one, the next order finds out at once. */
function noteAllowances(
  tx: StoreWriter,
  after: SafeActionRecord,
  { set, atMs }: { readonly set: string; readonly atMs: number },
): void {
  noteSafe(tx, after, { isDeployed: true, allowanceSet: set });
  for (const { key, value } of tx.range(FUNDS_DISPUTES, { prefix: [after.userId] }))
    if (value.lacksAllowanceOf === 'usdc:safe')
      tx.put(FUNDS_DISPUTES, key, withAllowance(value, atMs));
}

function noteSafe(
  tx: StoreWriter,
  { userId, safe, updatedAtMs }: SafeActionRecord,
  known: Partial<Pick<SafeRecord, 'isDeployed' | 'allowanceSet'>>,
): void {
  const before = tx.get(SAFES, [userId])?.value ?? { isDeployed: false, allowanceSet: null };
  tx.put(SAFES, [userId], { ...before, ...known, safe, updatedAtMs });
}
