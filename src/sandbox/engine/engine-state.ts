import type { Runtime } from '../../ports/runtime.ts';
import type { MarketId, OrderId, TokenId, TradeId } from '../../domain/ids.ts';
import { shareMicros } from '../../domain/units.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import { VENUE_MODEL } from '../../../config/limits/sandbox.ts';
import { Accounts, type AccountName, type Holding, type Posting } from '../exchange/accounts.ts';
import type { Allowances } from './allowances.ts';
import type {
  EngineOrder,
  EngineTrade,
  ExchangeEvent,
  ExchangeMarket,
  OrderView,
  OrderWord,
  RetiredMarket,
} from './exchange-types.ts';
import type { FaultBoard } from '../faults.ts';
import { MatchingBook, type BookSide } from '../exchange/matching-book.ts';
import type { SettlementJob, Settler } from './settler.ts';

/** When a trade reaches its settlement stages, milliseconds after the match. */
export interface SettlementTimes {
  readonly minedAfterMs: number;
  readonly confirmedAfterMs: number;
}

/** One order inside the engine. Only the engine changes it. */
export interface OrderRecord {
  readonly orderId: OrderId;
  readonly order: EngineOrder;
  readonly marketId: MarketId;
  readonly outcome: 0 | 1;
  readonly bookSide: BookSide;
  readonly firstPrice: number;
  readonly originalMicros: number;
  /** Shares still wanted; meaningless for a budget order, which never rests. */
  remaining: number;
  matchedShares: number;
  status: OrderWord;
  reason: string | null;
  tradeIds: TradeId[];
  /** Micros promised to this order: USDC for a buy, shares of its token for a sell. */
  heldMicros: number;
  readonly createdAtMs: number;
  updatedAtMs: number;
  /** Ends a delay or a GTD order. */
  timer: Timer | null;
}

/** How a trade will end, drawn when it is made. */
export type TradeResult = 'settles' | 'retries' | 'fails';

/** One trade inside the engine. */
export interface TradeRecord {
  trade: EngineTrade;
  readonly postings: readonly Posting[];
  readonly result: TradeResult;
  /** Set where the trade is settled outside; null where time settles it. */
  readonly job: SettlementJob | null;
  timer: Timer | null;
}

/** One market inside the engine. */
export interface MarketState {
  market: ExchangeMarket;
  readonly book: MatchingBook<OrderRecord>;
  /** Price of the first outcome in the last trade, and the taker's side and token. */
  lastTrade: { readonly firstPrice: number; readonly side: EngineOrder['side'] } | null;
  payoutTicks: readonly [number, number] | null;
}

/** A deposit or a redemption, as the activity feed tells it. */
export interface ActivityEntry {
  readonly kind: 'DEPOSIT' | 'WITHDRAWAL' | 'REDEEM';
  readonly account: AccountName;
  readonly usdcMicros: number;
  readonly sharesMicros: number;
  readonly marketId: MarketId | null;
  readonly tokenId: TokenId | null;
  readonly atMs: number;
  readonly transactionHash: string;
}

/** What changed since the last report to the durable listener. */
interface DirtySet {
  readonly orders: Set<OrderRecord>;
  readonly trades: Set<TradeRecord>;
  readonly holdings: Map<string, { readonly account: AccountName; readonly holding: Holding }>;
  readonly markets: Set<MarketState>;
  readonly activity: ActivityEntry[];
}

/** Everything the engine knows, shared by its parts. */
export interface EngineState {
  readonly clock: Clock;
  readonly random: Random;
  readonly faults: FaultBoard;
  readonly settlement: SettlementTimes;
  /** Settles users' trades; null where time does. */
  readonly settler: Settler | null;
  readonly accounts: Accounts;
  readonly allowances: Allowances;
  /** Accounts whose balances are the chain's. */
  readonly onChain: Set<string>;
  readonly markets: Map<MarketId, MarketState>;
  readonly marketByToken: Map<TokenId, MarketState>;
  readonly orders: Map<OrderId, OrderRecord>;
  /** Orders of an owner that are LIVE or DELAYED. */
  readonly openByOwner: Map<string, Set<OrderRecord>>;
  readonly trades: Map<TradeId, TradeRecord>;
  /** By API key or name of a market maker, and by address. */
  readonly tradesByParty: Map<string, TradeRecord[]>;
  readonly activity: ActivityEntry[];
  readonly dirty: DirtySet;
  readonly outbox: ExchangeEvent[];
}

/** An engine with no market, no account and no order. */
export function emptyState(
  parts: Pick<Runtime, 'clock' | 'random'> & {
    readonly faults: FaultBoard;
    readonly settlement: SettlementTimes;
    readonly settler: Settler | null;
    readonly allowances: Allowances;
  },
): EngineState {
  return {
    ...parts,
    accounts: new Accounts(),
    onChain: new Set(),
    markets: new Map(),
    marketByToken: new Map(),
    orders: new Map(),
    openByOwner: new Map(),
    trades: new Map(),
    tradesByParty: new Map(),
    activity: [],
    dirty: {
      orders: new Set(),
      trades: new Set(),
      holdings: new Map(),
      markets: new Set(),
      activity: [],
    },
    outbox: [],
  };
}

/** An empty market. */
export function emptyMarket(market: ExchangeMarket): MarketState {
  return { market, book: new MatchingBook(), lastTrade: null, payoutTicks: null };
}

/** True when a wire user takes part in a trade. */
export function isWireTrade({ takerOwner, makers }: EngineTrade): boolean {
  return !isMakerOwner(takerOwner) || makers.some(({ owner }) => !isMakerOwner(owner));
}

/**
 * Lists a market; the oldest resolved one makes room, and its tokens cannot be held any more.
 * Returns that one; null while there is room.
 */
export function rememberMarket(state: EngineState, market: MarketState): RetiredMarket | null {
  state.markets.set(market.market.marketId, market);
  for (const tokenId of market.market.tokens) state.marketByToken.set(tokenId, market);
  if (state.markets.size <= VENUE_MODEL.marketsKeptMaximum) return null;
  for (const { market: oldest, payoutTicks } of state.markets.values()) {
    if (payoutTicks === null) continue;
    const holders = oldest.tokens.flatMap((tokenId) =>
      [...state.accounts.holders(tokenId)].map(({ account }) => ({ account, tokenId })),
    );
    const orders = [...state.orders.values()]
      .filter(({ marketId, order }) => marketId === oldest.marketId && !isMakerOwner(order.owner))
      .map(({ order }) => order.orderId);
    state.markets.delete(oldest.marketId);
    for (const tokenId of oldest.tokens) {
      state.marketByToken.delete(tokenId);
      state.accounts.retire(tokenId);
    }
    return { market: oldest, payoutTicks, holders, orders };
  }
  return null;
}

/**
 * True for the owner name of a market maker's order, which no wire user has. API keys are UUIDs, so
 * the two never meet.
 */
export function isMakerOwner(owner: string): boolean {
  return owner.startsWith('maker');
}

/** A copy of an order for readers outside the engine. */
export function viewOf(record: OrderRecord): OrderView {
  const { order, marketId, outcome, status, reason, originalMicros, createdAtMs, updatedAtMs } =
    record;
  return {
    order,
    marketId,
    outcome,
    status,
    reason,
    originalMicros,
    createdAtMs,
    updatedAtMs,
    matchedShares: shareMicros(record.matchedShares),
    tradeIds: [...record.tradeIds],
  };
}

/** What an order is paid from: collateral for a buy, its token for a sell. */
export function holdingOf(order: Pick<EngineOrder, 'side' | 'tokenId'>): Holding {
  return order.side === 'buy' ? 'usdc' : order.tokenId;
}

/** Applies a transaction and remembers which balances changed. */
export function post(state: EngineState, postings: readonly Posting[], sign: 1 | -1 = 1): void {
  state.accounts.post(postings, sign);
  for (const { account, holding } of postings)
    state.dirty.holdings.set(`${account} ${holding}`, { account, holding });
}

/** Sets what is promised to an order. */
export function setHold(state: EngineState, record: OrderRecord, micros: number): void {
  state.accounts.hold(record.order.maker, holdingOf(record.order), micros - record.heldMicros);
  record.heldMicros = micros;
}

/** Says what happened to an order, and keeps the indexes of open and durable orders right. */
export function announceOrder(
  state: EngineState,
  type: 'PLACEMENT' | 'UPDATE' | 'CANCELLATION',
  record: OrderRecord,
): void {
  const { owner } = record.order;
  record.updatedAtMs = state.clock.nowMs();
  const open = state.openByOwner.get(owner) ?? new Set<OrderRecord>();
  if (record.status === 'LIVE' || record.status === 'DELAYED') {
    open.add(record);
    state.openByOwner.set(owner, open);
  } else {
    open.delete(record);
    if (open.size === 0) state.openByOwner.delete(owner);
    if (isMakerOwner(owner)) state.orders.delete(record.orderId);
  }
  if (!isMakerOwner(owner)) state.dirty.orders.add(record);
  state.outbox.push({
    kind: 'order',
    type,
    orderId: record.orderId,
    owner,
    status: record.status,
    order: viewOf(record),
  });
}

/** Remembers an order; the oldest finished ones of wire users make room. */
export function rememberOrder(state: EngineState, record: OrderRecord): void {
  state.orders.set(record.orderId, record);
  if (state.orders.size <= VENUE_MODEL.ordersKeptMaximum) return;
  for (const old of state.orders.values()) {
    if (old.status === 'LIVE' || old.status === 'DELAYED') continue;
    state.orders.delete(old.orderId);
    return;
  }
}

/** Says that a level has a new size, in terms of the market's first token. */
export function announceLevel(
  state: EngineState,
  market: MarketState,
  record: OrderRecord,
  size: number,
): void {
  const { price, side } = {
    price: record.firstPrice,
    side: record.bookSide === 'bid' ? 'buy' : 'sell',
  } as const;
  state.outbox.push({
    kind: 'level',
    marketId: market.market.marketId,
    tokenId: market.market.tokens[0],
    side,
    // A resting order's price was checked when it came in.
    price: price as EngineOrder['price'],
    size: shareMicros(size),
  });
}

/** Takes a LIVE or DELAYED order out of the engine's hands: book, hold, timer. */
export function release(state: EngineState, market: MarketState, record: OrderRecord): void {
  record.timer?.cancel();
  record.timer = null;
  if (record.status === 'LIVE')
    announceLevel(state, market, record, market.book.reduce(record, 0, true));
  setHold(state, record, 0);
}

/** Ends an open order without a fill. */
export function endOrder(
  state: EngineState,
  record: OrderRecord,
  status: 'CANCELED' | 'CANCELED_MARKET_RESOLVED' | 'INVALID',
  reason: string | null,
): void {
  release(state, marketOf(state, record.marketId), record);
  record.status = status;
  record.reason = reason;
  announceOrder(state, 'CANCELLATION', record);
}

/** The state of a market that is known to be listed. */
export function marketOf(state: EngineState, marketId: MarketId): MarketState {
  const market = state.markets.get(marketId);
  if (market === undefined) throw new Error(`invariant broken: ${marketId} is not listed`);
  return market;
}
