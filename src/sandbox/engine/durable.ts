import { asId } from '../../domain/ids.ts';
import { shareMicros } from '../../domain/units.ts';
import type { ApiKey, ApiKeys } from './api-keys.ts';
import type { Posting, SavedHolding } from '../exchange/accounts.ts';
import {
  announceLevel,
  emptyMarket,
  isMakerOwner,
  isWireTrade,
  rememberMarket,
  rememberOrder,
  setHold,
  type ActivityEntry,
  type EngineState,
  type MarketState,
  type OrderRecord,
  type TradeResult,
  type TradeRecord,
} from './engine-state.ts';
import type { EngineTrade, ExchangeMarket, OrderView } from './exchange-types.ts';
import { bookSideOf, firstPriceOf } from '../exchange/match-plan.ts';
import { restingHold } from './matching.ts';
import { resumeDelayed, scheduleExpiry } from './placing.ts';
import { goOn, indexTrade, markUnsettled, type RunScheduled } from './settlement.ts';
import type { SettlementJob } from './settler.ts';

/**
 * One fact of the model venue worth keeping, as plain JSON. A later record of the same key takes
 * the earlier one's place.
 */
export type DurableRecord =
  | {
      readonly kind: 'market';
      readonly market: ExchangeMarket;
      readonly lastTrade: MarketState['lastTrade'];
      readonly payoutTicks: readonly [number, number] | null;
    }
  | { readonly kind: 'holding'; readonly holding: SavedHolding }
  | { readonly kind: 'order'; readonly order: OrderView & { readonly remaining: number } }
  | {
      readonly kind: 'trade';
      readonly trade: EngineTrade;
      readonly postings: readonly Posting[];
      readonly result: TradeResult;
      readonly job?: SettlementJob;
    }
  | { readonly kind: 'activity'; readonly entry: ActivityEntry }
  | { readonly kind: 'key'; readonly key: ApiKey };

/**
 * All that must outlive the process. Orders of the market makers are not in it: they quote anew.
 */
export interface ExchangeSnapshot {
  readonly version: 1;
  readonly records: readonly DurableRecord[];
}

/** What a record is about. */
function durableKey(record: DurableRecord): string {
  switch (record.kind) {
    case 'market':
      return `market ${record.market.marketId}`;
    case 'holding':
      return `holding ${record.holding.account} ${record.holding.holding}`;
    case 'order':
      return `order ${record.order.order.orderId}`;
    case 'trade':
      return `trade ${record.trade.tradeId}`;
    case 'activity':
      return `activity ${record.entry.transactionHash} ${record.entry.account} ${record.entry.tokenId ?? ''}`;
    case 'key':
      return `key ${record.key.apiKey}`;
  }
}

/** Puts later records over a snapshot, as when a log of changes is read back. */
export function foldDurable(
  snapshot: ExchangeSnapshot | null,
  later: readonly DurableRecord[],
): ExchangeSnapshot {
  const byKey = new Map((snapshot?.records ?? []).map((record) => [durableKey(record), record]));
  for (const record of later) byKey.set(durableKey(record), record);
  return { version: 1, records: [...byKey.values()] };
}

/** Everything worth keeping, now. */
export function takeSnapshot(state: EngineState, keys: ApiKeys): ExchangeSnapshot {
  return {
    version: 1,
    records: [
      ...[...state.markets.values()].map(marketRecord),
      ...state.accounts.save().map((holding) => holdingRecord(state, holding)),
      ...[...state.orders.values()]
        .filter(({ order }) => !isMakerOwner(order.owner))
        .map(orderRecord),
      ...[...state.trades.values()].filter(({ trade }) => isWireTrade(trade)).map(tradeRecord),
      ...state.activity.map((entry): DurableRecord => ({ kind: 'activity', entry })),
      ...keys.all().map((key): DurableRecord => ({ kind: 'key', key })),
    ],
  };
}

/**
 * What changed since the last call. Balances that only market makers moved wait until something of
 * a wire user changes, so that market makers do not fill the log.
 */
export function takeChanges(state: EngineState): readonly DurableRecord[] {
  const { orders, trades, holdings, markets, activity } = state.dirty;
  if (orders.size + trades.size + markets.size + activity.length === 0) return [];
  const records: DurableRecord[] = [
    ...[...markets].map(marketRecord),
    ...[...holdings.values()].map(({ account, holding }) =>
      holdingRecord(state, {
        account,
        holding,
        balance: state.accounts.balance(account, holding),
      }),
    ),
    ...[...orders].map(orderRecord),
    ...[...trades].map(tradeRecord),
    ...activity.map((entry): DurableRecord => ({ kind: 'activity', entry })),
  ];
  for (const set of [orders, trades, holdings, markets]) set.clear();
  activity.length = 0;
  return records;
}

/**
 * Fills an empty engine from a snapshot: balances, orders at their place in the books, trades on
 * their way.
 */
export function restore(
  state: EngineState,
  keys: ApiKeys,
  snapshot: ExchangeSnapshot,
  run: RunScheduled,
): void {
  const orders: Extract<DurableRecord, { kind: 'order' }>[] = [];
  const trades: Extract<DurableRecord, { kind: 'trade' }>[] = [];
  for (const record of snapshot.records) {
    if (record.kind === 'market')
      rememberMarket(state, {
        ...emptyMarket(record.market),
        lastTrade: record.lastTrade,
        payoutTicks: record.payoutTicks,
      });
    else if (record.kind === 'holding') {
      state.accounts.load([record.holding]);
      if (record.holding.isOnChain === true) state.onChain.add(record.holding.account);
    } else if (record.kind === 'activity') state.activity.push(record.entry);
    else if (record.kind === 'key') keys.load(record.key);
    else if (record.kind === 'order') orders.push(record);
    else trades.push(record);
  }
  state.activity.sort((a, b) => a.atMs - b.atMs);
  for (const { order } of orders.sort((a, b) => a.order.createdAtMs - b.order.createdAtMs))
    restoreOrder(state, order, run);
  for (const { trade, postings, result, job } of trades.sort(
    (a, b) => a.trade.matchedAtMs - b.trade.matchedAtMs,
  )) {
    const record: TradeRecord = { trade, postings, result, job: job ?? null, timer: null };
    indexTrade(state, record);
    if (trade.status === 'CONFIRMED' || trade.status === 'FAILED') continue;
    markUnsettled(state, record, 1);
    goOn(state, record, run);
  }
  // There is no listener yet, and what was read back needs no writing.
  state.outbox.length = 0;
}

function restoreOrder(
  state: EngineState,
  saved: Extract<DurableRecord, { kind: 'order' }>['order'],
  run: RunScheduled,
): void {
  const market = state.markets.get(saved.marketId);
  // A market dropped for its age takes its finished orders with it.
  if (market === undefined) return;
  const { order, outcome } = saved;
  const record: OrderRecord = {
    orderId: asId(order.orderId),
    order,
    marketId: saved.marketId,
    outcome,
    bookSide: bookSideOf(order, outcome),
    firstPrice: firstPriceOf(order.price, outcome),
    originalMicros: saved.originalMicros,
    remaining: saved.remaining,
    matchedShares: saved.matchedShares,
    status: saved.status,
    reason: saved.reason,
    tradeIds: [...saved.tradeIds],
    heldMicros: 0,
    createdAtMs: saved.createdAtMs,
    updatedAtMs: saved.updatedAtMs,
    timer: null,
  };
  rememberOrder(state, record);
  if (record.status !== 'LIVE' && record.status !== 'DELAYED') return;
  state.openByOwner.set(order.owner, (state.openByOwner.get(order.owner) ?? new Set()).add(record));
  if (record.status === 'DELAYED') {
    resumeDelayed(state, record, run);
    return;
  }
  setHold(state, record, restingHold(record));
  announceLevel(state, market, record, market.book.add(record));
  scheduleExpiry(state, record, run);
}

function holdingRecord({ onChain }: EngineState, holding: SavedHolding): DurableRecord {
  return {
    kind: 'holding',
    holding: onChain.has(holding.account) ? { ...holding, isOnChain: true } : holding,
  };
}

function marketRecord({ market, lastTrade, payoutTicks }: MarketState): DurableRecord {
  return { kind: 'market', market, lastTrade, payoutTicks };
}

function orderRecord({
  order,
  marketId,
  outcome,
  status,
  reason,
  originalMicros,
  remaining,
  matchedShares,
  tradeIds,
  createdAtMs,
  updatedAtMs,
}: OrderRecord): DurableRecord {
  return {
    kind: 'order',
    order: {
      order,
      marketId,
      outcome,
      status,
      reason,
      originalMicros,
      remaining,
      matchedShares: shareMicros(matchedShares),
      tradeIds: [...tradeIds],
      createdAtMs,
      updatedAtMs,
    },
  };
}

function tradeRecord({ trade, postings, result, job }: TradeRecord): DurableRecord {
  const isFinal = trade.status === 'CONFIRMED' || trade.status === 'FAILED';
  return { kind: 'trade', trade, postings, result, ...(job === null || isFinal ? {} : { job }) };
}
