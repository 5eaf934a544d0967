import { isLacking } from '../books/restores.ts';
import { WITHDRAWAL } from '../../../config/limits/funds.ts';
import { SAFE_CASH } from '../../domain/cash.ts';
import { AppError, isRetryable } from '../../domain/errors.ts';
import type { TransactionId, MarketId, UserId } from '../../domain/ids.ts';
import { payoutMicros } from '../../domain/ledger-entries.ts';
import { foldRedeeming } from '../../domain/position-fold.ts';
import { isTransactionOver, type TransactionRecord } from '../../domain/transaction.ts';
import { usdcMicros, type UsdcMicros } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EvmChain } from '../../ports/evm.ts';
import type { Log } from '../../ports/log.ts';
import type { Store, StoreReader, StoreWriter } from '../../ports/store.ts';
import { audit } from '../audit.ts';
import type { Commit } from '../commit.ts';
import { isInMotion } from '../books/payout-booking.ts';
import { putPosition } from '../books/record-changes.ts';
import { POSITIONS, RESOLUTIONS, TRADED_MARKETS } from '../books/tables.ts';
import { openTransactions } from '../transactions/transaction-records.ts';
import { callsBody, payoutQuestion, redeemCall, uintOf } from '../wallets/contract-calls.ts';
import { safeAccount, type MoneyContracts } from '../wallets/contracts.ts';
import type { Onboarding } from '../wallets/onboarding.ts';
import type { Transactions } from '../transactions/transactions.ts';
import {
  bookEmptySafe,
  forgetEmptySafe,
  wonPositions,
  type WonPosition,
} from './redemption-booking.ts';
import { REDEMPTIONS } from './tables.ts';

/**
 * How far redeeming one market has come; `waiting` for a fill or the chain to become final, or for
 * the next attempt.
 */
export interface ClaimView {
  readonly marketId: MarketId;
  readonly state: 'waiting' | 'redeeming' | 'redeemed' | 'failed';
  /** What the shares are worth. */
  readonly usdc: UsdcMicros;
  readonly transactionId: TransactionId | null;
  readonly reason: string | null;
  readonly transactionHash: string | null;
}

/** Won shares into USDC, through the Safe (venue_a.md section 14.5). */
export interface Redemptions {
  /**
   * Redeems what a user won in a market, once everything about it is final; asked again and again
   * until it is paid. Never rejects: what fails is tried again.
   */
  redeem(userId: UserId, marketId: MarketId): Promise<void>;
  /**
   * Redeems on request what was won in one market, or in all, without waiting for the next attempt;
   * resolves with the chain's word, or how far each is after some seconds. Errors: `not_found` when
   * nothing was won in the market, `wallet_not_ready`, `limit_reached`, `store_unavailable`.
   */
  claim(userId: UserId, marketId?: MarketId): Promise<readonly ClaimView[]>;
}

export interface RedemptionDeps {
  readonly store: Store;
  readonly commit: Commit;
  readonly transactions: Transactions;
  readonly onboarding: Pick<Onboarding, 'safeOf' | 'assertReady'>;
  readonly chain: Pick<EvmChain, 'call' | 'shares'>;
  readonly contracts: Pick<
    MoneyContracts,
    'collateral' | 'conditionalTokens' | 'redeemer' | 'negRiskRedeemer'
  >;
  readonly clock: Clock;
  readonly marketClock: Clock;
  readonly log: Log;
}

/** Makes the service. */
export function createRedemptions(deps: RedemptionDeps): Redemptions {
  return {
    async redeem(userId, marketId) {
      try {
        await start(deps, { userId, marketId, isAsked: false });
      } catch (cause) {
        const level = isRetryable(cause) ? 'info' : 'warn';
        deps.log[level]({ userId, marketId, cause }, 'redemption.not_started');
      }
    },
    async claim(userId, marketId) {
      const markets = marketId === undefined ? wonMarkets(deps.store, userId) : [marketId];
      if (marketId !== undefined && wonInSafe(deps.store, { userId, marketId }).length === 0)
        throw new AppError('not_found', `nothing won in market ${marketId} waits to be claimed`);
      const started: {
        readonly marketId: MarketId;
        readonly usdc: UsdcMicros;
        readonly record: TransactionRecord | null;
      }[] = [];
      for (const each of markets)
        started.push({
          marketId: each,
          usdc: worthOf(wonInSafe(deps.store, { userId, marketId: each })),
          record: await start(deps, { userId, marketId: each, isAsked: true }),
        });
      return Promise.all(
        started.map(async ({ record, ...claim }) => ({
          ...claim,
          ...standing(
            record === null
              ? null
              : await deps.transactions.settled(record, WITHDRAWAL.answerWithinMs),
          ),
        })),
      );
    },
  };
}

/** Queues the redemption of a market, or gives the one under way; null while it has to wait. */
async function start(
  deps: RedemptionDeps,
  request: { readonly userId: UserId; readonly marketId: MarketId; readonly isAsked: boolean },
): Promise<TransactionRecord | null> {
  const { store, transactions, clock } = deps;
  const { userId, marketId, isAsked } = request;
  const underWay = underWayIn(store, userId, marketId);
  if (underWay !== null) return underWay;
  if (isAsked && isLacking(store, userId))
    throw new AppError(
      'conflict',
      'the service was restored from a backup and may not know what was claimed since: claim again once your books are reconciled',
      { retryable: true },
    );
  const failed = store.get(REDEMPTIONS, [userId, marketId])?.value;
  if (
    wonInSafe(store, request).length === 0 ||
    (!isAsked && failed !== undefined && failed.nextAtMs > clock.nowMs())
  )
    return null;
  deps.onboarding.assertReady(userId);
  // Only where one failed: a question for each redemption would find what its transaction finds
  // anyway.
  if (failed !== undefined && !(await holdsShares(deps, request))) return null;
  // The chain learns how a market ended a little after the venue says it (venue_a.md section 14.5).
  if (
    uintOf(await deps.chain.call(deps.contracts.conditionalTokens, payoutQuestion(marketId))) === 0n
  )
    return null;
  const record = await deps.commit((tx) => intend(deps, tx, request));
  transactions.wake(userId);
  return record;
}

/**
 * Looks whether there is anything to redeem; what is gone for good is booked so. Errors:
 * `chain_unavailable`, `conflict`.
 */
async function holdsShares(
  { store, commit, chain, contracts, onboarding, clock, marketClock, log }: RedemptionDeps,
  { userId, marketId }: { readonly userId: UserId; readonly marketId: MarketId },
): Promise<boolean> {
  const tokens = wonInSafe(store, { userId, marketId }).map(({ position }) => position.tokenId);
  const held = await chain.shares(onboarding.safeOf(userId), contracts.conditionalTokens, tokens);
  if (held.some((shares) => shares > 0n)) {
    if (store.get(REDEMPTIONS, [userId, marketId])?.value.emptySinceMs !== undefined)
      await commit((tx) => forgetEmptySafe(tx, { userId, marketId }));
    return true;
  }
  const verdict = await commit((tx) =>
    bookEmptySafe(tx, {
      userId,
      marketId,
      cashAccount: SAFE_CASH,
      nowMs: clock.nowMs(),
      bookedAtMs: marketClock.nowMs(),
    }),
  );
  log[verdict === 'gone' ? 'error' : 'info'](
    { userId, marketId, verdict },
    'redemption.safe_empty',
  );
  return false;
}

/** One transaction: the action, its positions' new state, and the trace of who wanted it. */
function intend(
  deps: RedemptionDeps,
  tx: StoreWriter,
  {
    userId,
    marketId,
    isAsked,
  }: { readonly userId: UserId; readonly marketId: MarketId; readonly isAsked: boolean },
): TransactionRecord | null {
  const { transactions, onboarding, contracts, clock, marketClock } = deps;
  const underWay = underWayIn(tx, userId, marketId);
  const won = wonInSafe(tx, { userId, marketId });
  if (underWay !== null || won.length === 0 || won.some(({ position }) => isInMotion(tx, position)))
    return underWay;
  const redeemer =
    tx.get(TRADED_MARKETS, [marketId])?.value.negRisk === true
      ? contracts.negRiskRedeemer
      : contracts.redeemer;
  const record = transactions.intend(tx, {
    userId,
    account: safeAccount(onboarding.safeOf(userId)),
    purpose: { owner: 'safe', kind: 'redeem', data: { marketId } },
    body: callsBody([redeemCall(redeemer, contracts.collateral, marketId)]),
  });
  for (const { position } of won)
    putPosition(tx, position, foldRedeeming(position, true), marketClock.nowMs());
  audit(tx, {
    userId,
    atMs: clock.nowMs(),
    action: 'claim_requested',
    subject: record.transactionId,
    detail: `market ${marketId}, ${isAsked ? 'asked for' : 'by itself'}`,
  });
  return record;
}

function underWayIn(
  reader: StoreReader,
  userId: UserId,
  marketId: MarketId,
): TransactionRecord | null {
  return (
    openTransactions(reader, userId).find(
      ({ purpose }) => purpose.kind === 'redeem' && purpose.data.marketId === marketId,
    ) ?? null
  );
}

/** Markets with a known end in which a user still holds shares that won. */
function wonMarkets(reader: StoreReader, userId: UserId): readonly MarketId[] {
  const held = reader
    .range(POSITIONS, { prefix: [userId] })
    .filter(({ value }) => value.shares > 0)
    .map(({ value }) => value.marketId);
  return [...new Set(held)].filter(
    (marketId) =>
      reader.get(RESOLUTIONS, [marketId]) !== null &&
      wonInSafe(reader, { userId, marketId }).length > 0,
  );
}

function wonInSafe(
  reader: StoreReader,
  { userId, marketId }: { readonly userId: UserId; readonly marketId: MarketId },
): readonly WonPosition[] {
  return wonPositions(reader, { userId, marketId, cashAccount: SAFE_CASH });
}

function worthOf(won: readonly WonPosition[]): UsdcMicros {
  return usdcMicros(
    won.reduce(
      (sum, { position, payoutTicks }) => sum + payoutMicros(position.shares, payoutTicks),
      0,
    ),
  );
}

function standing(
  record: TransactionRecord | null,
): Pick<ClaimView, 'state' | 'transactionId' | 'reason' | 'transactionHash'> {
  if (record === null)
    return {
      state: 'waiting',
      transactionId: null,
      reason:
        'a trade of the market, or its end on chain, is not final yet, or its shares are not in the Safe',
      transactionHash: null,
    };
  const { transactionId, reason, transactionHash, state } = record;
  return {
    state: !isTransactionOver(state) ? 'redeeming' : state === 'done' ? 'redeemed' : 'failed',
    transactionId,
    reason,
    transactionHash,
  };
}
