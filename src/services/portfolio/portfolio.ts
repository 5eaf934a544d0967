import type { CashAccount } from '../../domain/cash.ts';
import type { FillRecord, VenueFill } from '../../domain/fill.ts';
import type { FundsDispute } from '../../domain/funds-dispute.ts';
import type { OrderIntent } from '../../domain/order.ts';
import type { MarketId, UserId, VenueId } from '../../domain/ids.ts';
import type { Resolution } from '../../domain/market.ts';
import type { PositionRecord } from '../../domain/position.ts';
import { availableShares, availableUsdc, cashRisk, realizedOn } from '../../domain/risk.ts';
import { shareMicros, usdcMicros, type ShareMicros, type UsdcMicros } from '../../domain/units.ts';
import type { WalletMismatch } from '../../domain/wallet-mismatch.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Store, StoreReader } from '../../ports/store.ts';
import type { VenueFunds } from '../venues.ts';
import {
  bookFill,
  saysNothingNew,
  type FillResult,
  type BookingTerms,
} from '../books/fill-booking.ts';
import { orderNamed } from '../books/named-order.ts';
import type { OrderUpdates } from '../books/order-updates.ts';
import { bookPayout, bookResolution, hasWon } from '../books/payout-booking.ts';
import { balanceOf, riskOf } from '../books/record-changes.ts';
import { isLacking } from '../books/restores.ts';
import { openDisputes } from '../books/funds-disputes.ts';
import { walletMismatches } from '../books/wallet-mismatches.ts';
import {
  FILLS,
  OPEN_POSITIONS,
  POSITIONS,
  POSITION_TIMES,
  RESOLUTIONS,
  TRADED_MARKETS,
  type VenueResults,
} from '../books/tables.ts';
import { venueResultsWithSales } from '../books/venue-results.ts';

/**
 * A user's cash of one account (L3): what is final, what is matched but not final, what is set
 * aside, what may be spent now.
 */
export interface Cash {
  readonly settled: UsdcMicros;
  /** Net of fills on their way: negative when buys outweigh sells. */
  readonly provisional: UsdcMicros;
  readonly reserved: UsdcMicros;
  /**
   * Settled, less every outflow on its way and every reservation; inflows count when final. Never
   * negative.
   */
  readonly available: UsdcMicros;
}

/** A position with its final and not yet final shares. */
export interface Holding {
  readonly position: PositionRecord;
  readonly settledShares: ShareMicros;
  readonly provisionalShares: ShareMicros;
  /** Shares set aside for open sells. */
  readonly reservedShares: ShareMicros;
  /** Shares that may be sold: final, not set aside, and not sold by a trade that is not final. */
  readonly availableShares: ShareMicros;
  /** How the market ended; null while it has not. */
  readonly resolution: Resolution | null;
  /**
   * True once the market paid this outcome more than nothing and the payout has not been booked.
   */
  readonly redeemable: boolean;
}

/** Which holdings to list. */
export interface HoldingQuery {
  /** `open` still holds shares, `closed` holds none; absent lists both. */
  readonly type?: 'open' | 'closed';
  readonly redeemable?: boolean;
  readonly marketId?: MarketId;
}

/** Positions and cash of users, from the ledger. */
export interface Portfolio {
  cash(userId: UserId, account: CashAccount): Cash;
  /** False while the books may lack what happened after the moment a restore put them back to. */
  isReconciled(userId: UserId): boolean;
  /** Where the user's own wallets differ from the books, and nothing explains it. */
  mismatches(userId: UserId): readonly WalletMismatch[];
  /** What a venue refuses to spend although the books have it. */
  disputes(userId: UserId): readonly FundsDispute[];
  /** The account that pays for orders at a venue. */
  accountAt(venue: VenueId): CashAccount;
  /** The cash that pays for orders at a venue. */
  cashAt(userId: UserId, venue: VenueId): Cash;
  /** What positions came to at each venue: ended ones, and open ones that were sold in part. */
  results(userId: UserId): VenueResults;
  /** Profit of all accounts on the UTC day of `atMs`, below zero for a loss: what was realised. */
  realizedToday(userId: UserId, atMs: number): UsdcMicros;
  /** Holdings, by token. Open ones are read alone, without those of the past. */
  holdings(userId: UserId, query?: HoldingQuery): readonly Holding[];
  /** Fills of a user, in the order of their orders. */
  fills(userId: UserId): readonly FillRecord[];
  /**
   * Books what the venue says of one trade of one own order: once each for match, settlement
   * and reversal, however often it is reported. Resolves when durable. A trade of an order that is
   * not ours is `foreign` and counted.
   */
  recordFill(fill: VenueFill): Promise<FillResult>;
  /** Books how a market ended. The first answer is kept. */
  recordResolution(resolution: Resolution): Promise<void>;
  /**
   * Pays out what a resolved market owes, each position once its fills and orders are final; true
   * when nothing is left to pay.
   */
  payOut(marketId: MarketId): Promise<boolean>;
}

export interface PortfolioDeps
  extends Pick<Runtime, 'store' | 'commit' | 'clock' | 'log' | 'metrics'> {
  readonly updates: Pick<OrderUpdates, 'announce'>;
  /** Open or not, for cash; open ones alone for the rest. */
  readonly venues: {
    of(venue: VenueId): { readonly funds: Pick<VenueFunds, 'redeem'> | null };
    trading(intent: OrderIntent): BookingTerms;
    cashAccountOf(venue: VenueId): CashAccount;
  };
}

/** Makes the portfolio over the ledger in the store. */
export function createPortfolio(deps: PortfolioDeps): Portfolio {
  const { store } = deps;
  return {
    cash: (userId, account) => cashOf(store, userId, account),
    isReconciled: (userId) => !isLacking(store, userId),
    mismatches: (userId) => walletMismatches(store, userId),
    disputes: (userId) => openDisputes(store, userId),
    accountAt: (venue) => deps.venues.cashAccountOf(venue),
    cashAt: (userId, venue) => cashOf(store, userId, deps.venues.cashAccountOf(venue)),
    realizedToday: (userId, atMs) => realizedOn(riskOf(store, userId), atMs),
    holdings: (userId, query = {}) =>
      positionsOf(store, userId, query)
        .map((position) => holdingOf(store, position))
        .filter((holding) => matches(holding, query)),
    results: (userId) => venueResultsWithSales(store, userId),
    fills: (userId) => store.range(FILLS, { prefix: [userId] }).map(({ value }) => value),
    recordFill: (fill) => recordFill(deps, fill),
    async recordResolution(resolution) {
      if (store.get(RESOLUTIONS, [resolution.marketId]) !== null) return;
      const isNew = await deps.commit((tx) => bookResolution(tx, resolution, deps.clock.nowMs()));
      if (isNew)
        deps.log.info(
          { marketId: resolution.marketId, payoutTicks: resolution.payoutTicks },
          'market.resolved',
        );
    },
    payOut: (marketId) => payOut(deps, marketId),
  };
}

function cashOf(store: Store, userId: UserId, account: CashAccount): Cash {
  const { settled, provisional } = balanceOf(store, userId, account);
  const risk = riskOf(store, userId);
  return {
    settled: usdcMicros(settled),
    provisional: usdcMicros(provisional),
    reserved: usdcMicros(cashRisk(risk, account).reservedUsdc),
    available: availableUsdc(risk, account, settled),
  };
}

/** Positions a query may be about, by token. */
function positionsOf(
  store: StoreReader,
  userId: UserId,
  { type, marketId }: HoldingQuery,
): readonly PositionRecord[] {
  if (type !== 'open')
    return store.range(POSITIONS, { prefix: [userId] }).map(({ value }) => value);
  const keys =
    marketId === undefined
      ? store.range(POSITION_TIMES, { prefix: [userId, 'open'] })
      : store.range(OPEN_POSITIONS, { prefix: [marketId, userId] });
  return keys
    .map(({ key }) => String(key.at(-1)))
    .sort()
    .flatMap((tokenId) => store.get(POSITIONS, [userId, tokenId])?.value ?? []);
}

/** A position as it is in the ledger, with how its market ended. */
export function holdingOf(store: StoreReader, position: PositionRecord): Holding {
  const { userId, tokenId, marketId } = position;
  const { settled, provisional } = balanceOf(store, userId, tokenId);
  const risk = riskOf(store, userId);
  const resolution = store.get(RESOLUTIONS, [marketId])?.value ?? null;
  return {
    position,
    settledShares: shareMicros(settled),
    provisionalShares: shareMicros(provisional),
    reservedShares: shareMicros(risk.tokens[tokenId]?.reservedShares ?? 0),
    availableShares: availableShares(risk, tokenId, settled),
    resolution,
    redeemable: resolution !== null && hasWon(position, resolution),
  };
}

function matches({ position, redeemable }: Holding, query: HoldingQuery): boolean {
  if (query.marketId !== undefined && position.marketId !== query.marketId) return false;
  if (query.redeemable !== undefined && redeemable !== query.redeemable) return false;
  return query.type === undefined || (query.type === 'open') === (position.shares !== 0);
}

async function recordFill(
  { store, commit, updates, clock, log, metrics, venues }: PortfolioDeps,
  fill: VenueFill,
): Promise<FillResult> {
  const { tradeId, orderId, word } = fill;
  if (saysNothingNew(store, fill)) return 'unchanged';
  const { result, order, contradicts } = await commit((tx) =>
    bookFill(tx, fill, { nowMs: clock.nowMs(), termsOf: (intent) => venues.trading(intent) }),
  );
  metrics.count('fills_total', { venue: venueOf(store, fill) ?? 'none', result });
  if (contradicts) log.error({ tradeId, orderId, word, result }, 'fill.contradicted');
  if (result === 'foreign') log.debug({ tradeId, orderId }, 'fill.foreign');
  else if (result !== 'unchanged') log.info({ tradeId, orderId, word, result }, 'fill.booked');
  if (order !== null) updates.announce(order);
  return result;
}

/** Returns the venue of the order a fill is of; undefined for an unknown order. */
function venueOf(store: Store, { orderId }: VenueFill): VenueId | undefined {
  return orderNamed(store, orderId)?.intent.venue;
}

/** One transaction a holder: a market held by thousands must not hold up everybody else. */
async function payOut(deps: PortfolioDeps, marketId: MarketId): Promise<boolean> {
  const { store, commit, clock, log, venues } = deps;
  const resolution = store.get(RESOLUTIONS, [marketId])?.value;
  if (resolution === undefined) return false;
  const venue = store.get(TRADED_MARKETS, [marketId])?.value.venue;
  const funds = venue === undefined ? null : venues.of(venue).funds;
  let isDone = true;
  const winners = new Set<UserId>();
  for (const { value: seen } of openPositionsOf(store, marketId)) {
    const { userId, tokenId } = seen;
    if (isLacking(store, userId)) {
      isDone = false;
      continue;
    }
    const isMarked =
      funds !== null &&
      hasWon(seen, resolution) &&
      (seen.state === 'resolved' || seen.state === 'redeeming');
    // What was seen may have changed while others were paid: a failed sale gives shares back.
    const outcome = isMarked
      ? 'won'
      : await commit((tx) =>
          bookPayout(tx, resolution, {
            userId,
            tokenId,
            isRedeemed: funds !== null,
            nowMs: clock.nowMs(),
          }),
        );
    if (outcome === 'won') winners.add(userId);
    if (outcome === 'won' || outcome === 'pending') isDone = false;
    if (outcome === 'paid')
      log.info(
        { userId, marketId, tokenId, payoutTicks: resolution.payoutTicks[seen.outcome] },
        'position.paid',
      );
  }
  if (funds !== null) for (const userId of winners) await funds.redeem(userId, marketId);
  return isDone;
}

function openPositionsOf(store: Store, marketId: MarketId) {
  return store
    .range(OPEN_POSITIONS, { prefix: [marketId] })
    .flatMap(({ key: [, ...holder] }) => store.get(POSITIONS, holder) ?? []);
}
