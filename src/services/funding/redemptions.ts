import { isLacking } from '../books/restores.ts';
import { WITHDRAWAL } from '../../../config/limits/funds.ts';
import type { CashAccount } from '../../domain/cash.ts';
import { AppError, isRetryable } from '../../domain/errors.ts';
import type { TransactionId, MarketId, TokenId, UserId } from '../../domain/ids.ts';
import { payoutMicros } from '../../domain/ledger-entries.ts';
import type { Market } from '../../domain/market.ts';
import { foldRedeeming } from '../../domain/position-fold.ts';
import { isTransactionOver, type TransactionRecord } from '../../domain/transaction.ts';
import { usdcMicros, type UsdcMicros } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { StoreReader, StoreWriter } from '../../ports/store.ts';
import { audit } from '../audit.ts';
import { isInMotion } from '../books/payout-booking.ts';
import { putPosition } from '../books/record-changes.ts';
import { POSITIONS, RESOLUTIONS, TRADED_MARKETS } from '../books/tables.ts';
import { openTransactions, type TransactionDraft } from '../transactions/transaction-records.ts';
import type { Transactions } from '../transactions/transactions.ts';
import {
  bookEmptyAccount,
  forgetEmptyAccount,
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

/** Where won shares lie, and the transaction that turns them into USDC. */
export interface RedeemingAccount {
  readonly cashAccount: CashAccount;
  /** Refuses what cannot be sent now. Errors: `wallet_not_ready`, `chain_unavailable`. */
  assertReady(userId: UserId): Promise<void>;
  /** Whether the chain knows how a market ended. Errors: `chain_unavailable`. */
  isDecided(market: Market): Promise<boolean>;
  /** What the chain says is held of tokens, in the order asked. Errors: `chain_unavailable`. */
  held(userId: UserId, tokenIds: readonly TokenId[]): Promise<readonly number[]>;
  /** What redeems all that the account holds of a market. */
  draft(
    userId: UserId,
    market: Market,
  ): Promise<Pick<TransactionDraft, 'account' | 'purpose' | 'body'>>;
}

/** Won shares into USDC, by a transaction of the account that holds them. */
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

export interface RedemptionDeps extends Pick<Runtime, 'store' | 'commit' | 'clock' | 'log'> {
  readonly transactions: Pick<Transactions, 'intend' | 'settled' | 'wake'>;
  readonly account: RedeemingAccount;
  readonly marketClock: Clock;
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
      const markets = marketId === undefined ? wonMarkets(deps, userId) : [marketId];
      if (marketId !== undefined && wonIn(deps, deps.store, { userId, marketId }).length === 0)
        throw new AppError('not_found', `nothing won in market ${marketId} waits to be claimed`);
      const started: {
        readonly marketId: MarketId;
        readonly usdc: UsdcMicros;
        readonly record: TransactionRecord | null;
      }[] = [];
      for (const each of markets)
        started.push({
          marketId: each,
          usdc: worthOf(wonIn(deps, deps.store, { userId, marketId: each })),
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
  const { store, transactions, account, clock } = deps;
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
    wonIn(deps, store, request).length === 0 ||
    (!isAsked && failed !== undefined && failed.nextAtMs > clock.nowMs())
  )
    return null;
  const market = store.get(TRADED_MARKETS, [marketId])?.value;
  if (market === undefined) return null;
  await account.assertReady(userId);
  // Only where one failed: a question for each redemption would find what its transaction finds
  // anyway.
  if (failed !== undefined && !(await holdsShares(deps, request))) return null;
  // The chain learns how a market ended a little after the venue says it (venue_a.md section 14.5).
  if (!(await account.isDecided(market))) return null;
  const draft = { userId, ...(await account.draft(userId, market)) };
  const record = await deps.commit((tx) => intend(deps, tx, { marketId, isAsked, draft }));
  transactions.wake(userId);
  return record;
}

/**
 * Looks whether there is anything to redeem; what is gone for good is booked so. Errors:
 * `chain_unavailable`, `conflict`.
 */
async function holdsShares(
  deps: RedemptionDeps,
  { userId, marketId }: { readonly userId: UserId; readonly marketId: MarketId },
): Promise<boolean> {
  const { store, commit, account, clock, marketClock, log } = deps;
  const { cashAccount } = account;
  const tokens = wonIn(deps, store, { userId, marketId }).map(({ position }) => position.tokenId);
  const held = await account.held(userId, tokens);
  if (held.some((shares) => shares > 0)) {
    if (store.get(REDEMPTIONS, [userId, marketId])?.value.emptySinceMs !== undefined)
      await commit((tx) => forgetEmptyAccount(tx, { userId, marketId }));
    return true;
  }
  const verdict = await commit((tx) =>
    bookEmptyAccount(tx, {
      userId,
      marketId,
      cashAccount,
      nowMs: clock.nowMs(),
      bookedAtMs: marketClock.nowMs(),
    }),
  );
  log[verdict === 'gone' ? 'error' : 'info'](
    { userId, marketId, cashAccount, verdict },
    'redemption.account_empty',
  );
  return false;
}

/** One transaction: the action, its positions' new state, and the trace of who wanted it. */
function intend(
  deps: RedemptionDeps,
  tx: StoreWriter,
  {
    marketId,
    isAsked,
    draft,
  }: {
    readonly marketId: MarketId;
    readonly isAsked: boolean;
    readonly draft: TransactionDraft;
  },
): TransactionRecord | null {
  const { transactions, clock, marketClock } = deps;
  const { userId } = draft;
  const underWay = underWayIn(tx, userId, marketId);
  const won = wonIn(deps, tx, { userId, marketId });
  if (underWay !== null || won.length === 0 || won.some(({ position }) => isInMotion(tx, position)))
    return underWay;
  const record = transactions.intend(tx, draft);
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
      ({ purpose }) =>
        (purpose.kind === 'redeem' || purpose.kind === 'venue_redemption') &&
        purpose.data.marketId === marketId,
    ) ?? null
  );
}

/** Markets with a known end in which a user still holds shares that won. */
function wonMarkets(deps: RedemptionDeps, userId: UserId): readonly MarketId[] {
  const { store: reader } = deps;
  const held = reader
    .range(POSITIONS, { prefix: [userId] })
    .filter(({ value }) => value.shares > 0)
    .map(({ value }) => value.marketId);
  return [...new Set(held)].filter(
    (marketId) =>
      reader.get(RESOLUTIONS, [marketId]) !== null &&
      wonIn(deps, reader, { userId, marketId }).length > 0,
  );
}

function wonIn(
  { account: { cashAccount } }: RedemptionDeps,
  reader: StoreReader,
  { userId, marketId }: { readonly userId: UserId; readonly marketId: MarketId },
): readonly WonPosition[] {
  return wonPositions(reader, { userId, marketId, cashAccount });
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
        'a trade of the market, or its end on chain, is not final yet, or its shares are not where they were bought',
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
