import { WITHDRAWAL } from '../../../config/limits/funds.ts';
import { SAFE_CASH } from '../../domain/cash.ts';
import { AppError } from '../../domain/errors.ts';
import type { TransactionId, Address, UserId } from '../../domain/ids.ts';
import type { TransactionRecord } from '../../domain/transaction.ts';
import { formatMicros, usdcMicros, type UsdcMicros } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { audit, auditRefusal } from '../audit.ts';
import { openHold } from '../books/holds.ts';
import type { EvmCall } from '../../ports/evm.ts';
import {
  purposeFor,
  progressOf,
  requestTransaction,
  transactionViews,
  type TransactionProgress,
  type TransactionViews,
} from '../transactions/transaction-requests.ts';
import { approveCall, callsBody, transferCall, unwrapCall } from '../wallets/contract-calls.ts';
import { isSameAddress, safeAccount, symbolOf, type MoneyContracts } from '../wallets/contracts.ts';
import type { Onboarding } from '../wallets/onboarding.ts';
import type { Transactions } from '../transactions/transactions.ts';

/** A withdrawal a user asks for. */
interface WithdrawRequest {
  readonly usdc: UsdcMicros;
  /** Where the caller thinks it goes; absent for the only place it can go to. */
  readonly to?: Address;
  /** The same key gives the same withdrawal. */
  readonly key?: string;
}

/**
 * How far a withdrawal has come: `reserved` here, `sent` to the chain, `settled` there, or
 * `returned` to the Safe's balance.
 */
export interface WithdrawalView extends Omit<TransactionProgress, 'state'> {
  readonly withdrawalId: TransactionId;
  readonly state: 'reserved' | 'sent' | 'settled' | 'returned';
  readonly usdc: UsdcMicros;
  /** Symbol of the dollar it arrives as. */
  readonly token: string;
  readonly to: Address;
}

/** USDC from a Safe to its owner's own EVM wallet, gasless (spec, Accounts and wallets). */
export interface Withdrawals extends TransactionViews<WithdrawalView> {
  /**
   * Holds the amount and has the Safe send it; resolves with the chain's word, or how far it is
   * after some seconds. Errors, nothing being held and a line in the audit trail where trying again
   * would not help: `amount_too_small`, `insufficient_funds`, `forbidden` for another address,
   * `wallet_not_ready`, `limit_reached`, `store_unavailable`.
   */
  withdraw(userId: UserId, request: WithdrawRequest): Promise<WithdrawalView>;
}

export interface WithdrawalDeps extends Pick<Runtime, 'store' | 'commit' | 'clock'> {
  readonly transactions: Transactions;
  readonly onboarding: Pick<Onboarding, 'safeOf' | 'assertReady'>;
  readonly contracts: Pick<
    MoneyContracts,
    'collateral' | 'offramp' | 'withdrawalToken' | 'dollars'
  >;
  readonly ownerOf: (userId: UserId) => Address;
  readonly marketClock: Clock;
}

/** Makes the service. */
export function createWithdrawals(deps: WithdrawalDeps): Withdrawals {
  const { store, ownerOf, contracts } = deps;
  const viewOf = (record: TransactionRecord): WithdrawalView => view(record, contracts);
  return {
    ...transactionViews(store, 'withdraw', viewOf),
    async withdraw(userId, request) {
      const { key, usdc, to } = request;
      const wanted = {
        userId,
        action: 'withdrawal_refused',
        detail: `${formatMicros(usdc)} USDC to ${to ?? ownerOf(userId)}`,
      } as const;
      const terms = { kind: 'withdraw', key, waitMs: WITHDRAWAL.answerWithinMs } as const;
      return viewOf(
        await requestTransaction(deps.transactions, userId, terms, () =>
          auditRefusal(deps, wanted, () => intend(deps, userId, request)),
        ),
      );
    },
  };
}

/** Checks, holds and queues in one transaction: nothing can spend the money in between (L5). */
async function intend(
  deps: WithdrawalDeps,
  userId: UserId,
  { usdc, to, key }: WithdrawRequest,
): Promise<TransactionRecord> {
  const { onboarding, transactions, contracts, clock, marketClock } = deps;
  const owner = deps.ownerOf(userId);
  if (to !== undefined && !isSameAddress(to, owner)) {
    throw new AppError('forbidden', `a Safe pays out to its owner's wallet ${owner} alone`, {
      fields: [{ path: '/to', message: 'your own EVM wallet, or left out' }],
    });
  }
  if (usdc < WITHDRAWAL.minimumMicros) throw tooSmall(usdc);
  onboarding.assertReady(userId);
  const draft = {
    userId,
    account: safeAccount(onboarding.safeOf(userId)),
    purpose: {
      owner: 'safe',
      kind: 'withdraw',
      data: { to: owner, usdc, token: contracts.withdrawalToken.address },
    } as const,
    body: callsBody(callsOf(contracts, owner, BigInt(usdc))),
    key,
  };
  return deps.commit((tx) =>
    transactions.intend(tx, draft, ({ transactionId }) => {
      openHold(
        tx,
        { userId, holdId: transactionId, purpose: 'withdrawal', cashAccount: SAFE_CASH, usdc },
        marketClock.nowMs(),
      );
      audit(tx, {
        userId,
        atMs: clock.nowMs(),
        action: 'withdrawal_requested',
        subject: transactionId,
        detail: `${formatMicros(usdc)} ${contracts.withdrawalToken.symbol} to ${owner}`,
      });
    }),
  );
}

/**
 * The collateral as it is, or turned into a plain dollar that the offramp pays to the owner: as a
 * whole or not at all.
 */
function callsOf(
  { collateral, offramp, withdrawalToken: { address: asset } }: WithdrawalDeps['contracts'],
  to: Address,
  amount: bigint,
): readonly EvmCall[] {
  return isSameAddress(asset, collateral)
    ? [transferCall(collateral, to, amount)]
    : [approveCall(collateral, offramp, amount), unwrapCall(offramp, { asset, to, amount })];
}

function tooSmall(usdc: UsdcMicros): AppError {
  const least = formatMicros(usdcMicros(WITHDRAWAL.minimumMicros));
  return new AppError(
    'amount_too_small',
    `a withdrawal is at least ${least} USDC, not ${formatMicros(usdc)}`,
    { fields: [{ path: '/amount', message: `at least ${least}` }] },
  );
}

const STATES = {
  queued: 'reserved',
  sent: 'sent',
  settled: 'settled',
  failed: 'returned',
} as const;

function view(
  record: TransactionRecord,
  { dollars }: Pick<MoneyContracts, 'dollars'>,
): WithdrawalView {
  const { usdc, token, to } = purposeFor(record, 'withdraw').data;
  const { state, ...progress } = progressOf(record);
  return {
    withdrawalId: record.transactionId,
    state: STATES[state],
    usdc,
    token: symbolOf(dollars, token),
    to,
    ...progress,
  };
}
