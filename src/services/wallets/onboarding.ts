import { backOffMs } from '../../domain/back-off.ts';
import { ONBOARDING } from '../../../config/limits/funds.ts';
import { SAFE_CASH } from '../../domain/cash.ts';
import { AppError } from '../../domain/errors.ts';
import type { FundsDispute } from '../../domain/funds-dispute.ts';
import type { Address, UserId } from '../../domain/ids.ts';
import type { TransactionBody } from '../../domain/transaction.ts';
import type { SafePurpose } from '../../domain/transaction-purpose.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Timer } from '../../ports/clock.ts';
import type { StoreReader } from '../../ports/store.ts';
import { FUNDS_DISPUTES } from '../books/tables.ts';
import { openTransactions } from '../transactions/transaction-records.ts';
import type { Transactions } from '../transactions/transactions.ts';
import { allowanceCall, callsBody } from './contract-calls.ts';
import { safeAccount, type MoneyContracts } from './contracts.ts';
import { SAFES } from './tables.ts';

/** What a user's Safe still needs before it can trade; empty when it is ready. */
type MissingStep = 'deployment' | 'allowances';

/**
 * Makes the Safe of every user ready: deployed, with every allowance, without anybody's doing
 * (spec, Accounts and wallets).
 */
export interface Onboarding {
  /**
   * Starts what is missing, durably; nothing happens when it is under way or done. Errors:
   * `limit_reached`, `store_unavailable`.
   */
  begin(userId: UserId): Promise<void>;
  /** The Safe the venue's rule gives this user, deployed or not. */
  safeOf(userId: UserId): Address;
  missing(userId: UserId): readonly MissingStep[];
  /** Errors: `wallet_not_ready` (retryable), naming what is missing. */
  assertReady(userId: UserId): void;
  /**
   * The start: takes up every user whose Safe is not ready, whatever a crash left undone (L9).
   * Gives how many.
   */
  recover(users: readonly UserId[]): number;
  stop(): void;
}

/** Makes the service; a user who is created begins at once. */
export function createOnboarding(
  deps: Pick<Runtime, 'store' | 'commit' | 'bus' | 'clock' | 'log'> & {
    readonly transactions: Transactions;
    readonly contracts: Pick<MoneyContracts, 'allowances' | 'allowanceSet'>;
    /**
     * True where orders move the funds of Safes: one the venue may not take from is then given its
     * allowances anew.
     */
    readonly isFunder: boolean;
    /** The user's EVM address. Errors: `not_found`. */
    readonly ownerOf: (userId: UserId) => Address;
    /** The Safe an owner has by the venue's rule, deployed or not. */
    readonly safeOf: (owner: Address) => Address;
  },
): Onboarding {
  const { store, transactions, contracts, isFunder, clock, log } = deps;
  const retries = new Map<UserId, Timer>();
  let isOver = false;
  const safeOf = (userId: UserId): Address => deps.safeOf(deps.ownerOf(userId));
  const missingOf = (reader: StoreReader, userId: UserId): readonly MissingStep[] =>
    missingSteps(reader, userId, { isFunder, allowanceSet: contracts.allowanceSet });

  async function begin(userId: UserId): Promise<void> {
    const safe = safeOf(userId);
    await deps.commit((tx) => {
      const open = openTransactions(tx, userId);
      for (const step of missingOf(tx, userId)) {
        const { purpose, body } = bringing(step, contracts);
        if (!open.some((underWay) => underWay.purpose.kind === purpose.kind))
          transactions.intend(tx, { userId, account: safeAccount(safe), purpose, body });
      }
    });
    transactions.wake(userId);
  }

  function attempt(userId: UserId, failures: number): void {
    if (isOver) return;
    begin(userId).catch((cause: unknown) => {
      log.warn({ userId, failures, cause }, 'onboarding.failed');
      retry(userId, failures + 1);
    });
  }

  function retry(userId: UserId, failures: number): void {
    if (isOver) return;
    retries.get(userId)?.cancel();
    retries.set(
      userId,
      clock.after(
        backOffMs(failures, {
          firstMs: ONBOARDING.retryFirstMs,
          maximumMs: ONBOARDING.retryMaximumMs,
        }),
        () => {
          retries.delete(userId);
          attempt(userId, failures);
        },
      ),
    );
  }

  const unsubscribe = deps.bus.subscribe(({ event }) => {
    if (
      event.type === 'user.created' ||
      (event.type === 'funds.disputed' && isOfSafe(event.dispute) && isFunder)
    )
      attempt(event.userId, 0);
    if (event.type !== 'transaction.changed' || event.transaction.state !== 'failed') return;
    // Given up because the relayer would not have it: the Safe is needed all the same.
    if (event.transaction.purpose.kind === 'allowances') retry(event.userId, 16);
  });

  return {
    begin,
    safeOf,
    missing: (userId) => missingOf(store, userId),
    assertReady(userId) {
      const missing = missingOf(store, userId);
      if (missing.length > 0)
        throw new AppError(
          'wallet_not_ready',
          `the Safe of user ${userId} still waits for its ${missing.join(' and ')}; both come by themselves`,
          { retryable: true, retryAfterMs: ONBOARDING.retryFirstMs },
        );
    },
    recover(users) {
      const waiting = users.filter((userId) => missingOf(store, userId).length > 0);
      for (const userId of waiting) attempt(userId, 0);
      return waiting.length;
    },
    stop() {
      isOver = true;
      unsubscribe();
      for (const timer of retries.values()) timer.cancel();
      retries.clear();
    },
  };
}

/** What brings a step about in the Safe's queue. */
function bringing(
  step: MissingStep,
  { allowances, allowanceSet }: Pick<MoneyContracts, 'allowances' | 'allowanceSet'>,
): { readonly purpose: SafePurpose; readonly body: TransactionBody } {
  if (step === 'deployment')
    return {
      purpose: { owner: 'safe', kind: 'deploy', data: {} },
      body: { kind: 'create_account' },
    };
  return {
    purpose: { owner: 'safe', kind: 'allowances', data: { set: allowanceSet } },
    body: callsBody(allowances.map(allowanceCall)),
  };
}

/** True where the venue's word is that the Safe has not let it take the funds. */
function isOfSafe({ lacksAllowanceOf }: FundsDispute): boolean {
  return lacksAllowanceOf === SAFE_CASH;
}

/**
 * What our records say it lacks, the deployment first, and what the venue says it does: allowances
 * can be taken back by whoever holds the key.
 */
function missingSteps(
  reader: StoreReader,
  userId: UserId,
  { isFunder, allowanceSet }: { readonly isFunder: boolean; readonly allowanceSet: string },
): readonly MissingStep[] {
  const known = reader.get(SAFES, [userId])?.value ?? null;
  const isDoubted =
    isFunder &&
    reader.range(FUNDS_DISPUTES, { prefix: [userId] }).some(({ value }) => isOfSafe(value));
  const isDeployed = known?.isDeployed === true;
  const isAllowed = known?.allowanceSet === allowanceSet && !isDoubted;
  return [
    ...(isDeployed ? [] : ['deployment' as const]),
    ...(isAllowed ? [] : ['allowances' as const]),
  ];
}
