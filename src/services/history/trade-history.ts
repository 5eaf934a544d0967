import type { FillRecord } from '../../domain/fill.ts';
import type { MarketId, UserId, VenueId } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import { isTerminal, type OrderRecord } from '../../domain/order.ts';
import type { StoreReader } from '../../ports/store.ts';
import type { Page } from '../../ports/catalogue.ts';
import { mergedNewestFirst, newestFirst } from '../newest-first.ts';
import { holdingOf, type Holding } from '../portfolio/portfolio.ts';
import {
  FILLS,
  MARKET_ORDERS,
  OPEN_ORDERS,
  ORDERS,
  POSITIONS,
  POSITION_TIMES,
  TOKEN_FILLS,
  TRADED_MARKETS,
  USER_FILLS,
  type FillPlace,
  type PositionGroup,
} from '../books/tables.ts';
import { cursorOf, partsOf } from './cursor.ts';

/** Which page of a list, newest first. */
interface HistoryPage {
  /** Of all venues where absent. What lies at others between is passed over. */
  readonly venue?: VenueId;
  readonly limit: number;
  readonly cursor: string | null;
}

/** Which orders: those that may still trade, those that have ended, or both. */
export interface OrderListQuery extends HistoryPage {
  readonly state: 'open' | 'ended' | 'all';
  readonly marketId?: MarketId;
}

/** Which fills. */
interface FillListQuery extends HistoryPage {
  readonly marketId?: MarketId;
}

/**
 * Which positions: those that hold shares, won ones that are not yet redeemed among them, those
 * that hold none, or both.
 */
interface HoldingListQuery extends HistoryPage {
  readonly type: 'open' | 'closed' | 'all';
  readonly marketId?: MarketId;
  readonly redeemable?: boolean;
  /** Those whose market has ended. What was sold before that is passed over. */
  readonly resolved?: true;
}

/** A fill, the order it is of, and the market as first traded. */
export interface FillView {
  readonly fill: FillRecord;
  readonly order: OrderRecord | null;
  /** Null where the market's record is missing. */
  readonly market: Market | null;
}

/**
 * What a user has traded, manually and by agents, newest first. A page costs a page, however much
 * lies behind it.
 */
export interface TradeHistory {
  /** Errors: `invalid_request` for a cursor of another list. */
  orders(userId: UserId, query: OrderListQuery): Page<OrderRecord>;
  /**
   * In the order in which they were booked. Errors: `invalid_request` for a cursor of another list.
   */
  fills(userId: UserId, query: FillListQuery): Page<FillView>;
  /** A market as it was first traded; null of another. */
  marketOf(marketId: MarketId): Market | null;
  /** By when they were opened. Errors: `invalid_request` for a cursor of another list. */
  holdings(userId: UserId, query: HoldingListQuery): Page<Holding>;
}

/** Makes the lists over the store and its indexes. */
export function createTradeHistory(store: StoreReader): TradeHistory {
  return {
    orders(userId, query) {
      const before = partsOf('orders', query.cursor, isText)?.[0] ?? null;
      return pageOf(ordersOf(store, userId, query, before), query.limit, ({ intent }) =>
        cursorOf('orders', [intent.intentId]),
      );
    },
    fills(userId, query) {
      const before = partsOf('fills', query.cursor, isNumber)?.[0] ?? null;
      const { data, nextCursor } = pageOf(
        fillsOf(store, userId, query, before),
        query.limit,
        ({ seq }) => cursorOf('fills', [seq]),
      );
      return { data: data.map(({ view }) => view), nextCursor };
    },
    marketOf: (marketId) => store.get(TRADED_MARKETS, [marketId])?.value ?? null,
    holdings(userId, query) {
      const before = partsOf('holdings', query.cursor, isMomentAndText);
      const { data, nextCursor } = pageOf(
        holdingsOf(store, userId, query, before),
        query.limit,
        ({ openedAtMs, tokenId }) => cursorOf('holdings', [openedAtMs, tokenId]),
      );
      return { data: data.map(({ holding }) => holding), nextCursor };
    },
  };
}

function pageOf<T>(
  entries: Iterable<T>,
  limit: number,
  cursorAfter: (entry: T) => string,
): Page<T> {
  const data: T[] = [];
  for (const entry of entries) {
    const last = data.at(-1);
    if (data.length === limit && last !== undefined) return { data, nextCursor: cursorAfter(last) };
    data.push(entry);
  }
  return { data, nextCursor: null };
}

/**
 * Of the past only what has ended is passed over when ended ones are asked for: at most
 * ORDER.openPerUserMaximum.
 */
function* ordersOf(
  store: StoreReader,
  userId: UserId,
  { state, marketId, venue }: OrderListQuery,
  before: string | null,
): Generator<OrderRecord> {
  for (const intentId of intentIdsOf(
    store,
    userId,
    { state, ...(marketId === undefined ? {} : { marketId }) },
    before,
  )) {
    const order = store.get(ORDERS, [userId, intentId])?.value;
    if (order === undefined || !isAt(order.intent, venue)) continue;
    if (state === 'all' || isTerminal(order.state) === (state === 'ended')) yield order;
  }
}

function* intentIdsOf(
  store: StoreReader,
  userId: UserId,
  { state, marketId }: Pick<OrderListQuery, 'state' | 'marketId'>,
  before: string | null,
): Generator<string> {
  if (state === 'open') {
    for (const { key, value } of newestFirst(store, OPEN_ORDERS, {
      prefix: [userId],
      start: before === null ? null : [userId, before],
    })) {
      if (marketId === undefined || value.marketId === marketId) yield String(key[1]);
    }
  } else if (marketId !== undefined) {
    for (const { key } of newestFirst(store, MARKET_ORDERS, {
      prefix: [userId, marketId],
      start: before === null ? null : [userId, marketId, before],
    }))
      yield String(key[2]);
  } else {
    for (const { key } of newestFirst(store, ORDERS, {
      prefix: [userId],
      start: before === null ? null : [userId, before],
    }))
      yield String(key[1]);
  }
}

interface NumberedPlace {
  readonly seq: number;
  readonly place: FillPlace;
}

function placesOf(
  store: StoreReader,
  userId: UserId,
  { marketId }: FillListQuery,
  before: number | null,
): Generator<NumberedPlace> {
  if (marketId === undefined)
    return numbered(
      newestFirst(store, USER_FILLS, {
        prefix: [userId],
        start: before === null ? null : [userId, before],
      }),
    );
  const tokens =
    store.get(TRADED_MARKETS, [marketId])?.value.outcomes.map(({ tokenId }) => tokenId) ?? [];
  const lists = tokens.map((tokenId) =>
    numbered(
      newestFirst(store, TOKEN_FILLS, {
        prefix: [userId, tokenId],
        start: before === null ? null : [userId, tokenId, before],
      }),
    ),
  );
  return mergedNewestFirst(lists, (one, other) => one.seq > other.seq);
}

function* numbered(
  records: Iterable<{ readonly key: readonly (string | number)[]; readonly value: FillPlace }>,
): Generator<NumberedPlace> {
  for (const { key, value } of records) yield { seq: Number(key.at(-1)), place: value };
}

/** The fills at those places, with their numbers. */
function* fillsOf(
  store: StoreReader,
  userId: UserId,
  query: FillListQuery,
  before: number | null,
): Generator<{ readonly seq: number; readonly view: FillView }> {
  for (const { seq, place } of placesOf(store, userId, query, before))
    for (const view of fillAt(store, userId, place))
      if (view.order === null || isAt(view.order.intent, query.venue)) yield { seq, view };
}

function isAt(of: { readonly venue: VenueId }, venue: VenueId | undefined): boolean {
  return venue === undefined || of.venue === venue;
}

function fillAt(
  store: StoreReader,
  userId: UserId,
  { orderId, tradeId }: FillPlace,
): readonly FillView[] {
  const fill = store.get(FILLS, [userId, orderId, tradeId])?.value;
  return fill === undefined
    ? []
    : [
        {
          fill,
          order: store.get(ORDERS, [userId, fill.intentId])?.value ?? null,
          market: store.get(TRADED_MARKETS, [fill.marketId])?.value ?? null,
        },
      ];
}

interface PlacedHolding {
  readonly openedAtMs: number;
  readonly tokenId: string;
  readonly holding: Holding;
}

/**
 * Only what is open can be redeemed, so the filter passes over open ones alone: as many as the caps
 * allow.
 */
function* holdingsOf(
  store: StoreReader,
  userId: UserId,
  { type, marketId, redeemable, resolved, venue }: HoldingListQuery,
  before: readonly [number, string] | null,
): Generator<PlacedHolding> {
  const groups: readonly PositionGroup[] = type === 'all' ? ['open', 'closed'] : [type];
  const asked = redeemable === true ? groups.filter((group) => group === 'open') : groups;
  const places =
    marketId === undefined
      ? mergedNewestFirst(
          asked.map((group) =>
            placesIn(
              newestFirst(store, POSITION_TIMES, {
                prefix: [userId, group],
                start: before === null ? null : [userId, group, ...before],
              }),
            ),
          ),
          isOpenedLater,
        )
      : placesOfMarket(store, userId, { marketId, groups: asked, before });
  for (const { openedAtMs, tokenId } of places) {
    const position = store.get(POSITIONS, [userId, tokenId])?.value;
    if (position === undefined) continue;
    const market = store.get(TRADED_MARKETS, [position.marketId])?.value;
    if (market !== undefined && !isAt(market, venue)) continue;
    const holding = holdingOf(store, position);
    if (resolved === true && !isResolved(holding)) continue;
    if (redeemable === undefined || holding.redeemable === redeemable)
      yield { openedAtMs, tokenId, holding };
  }
}

/** One that was sold while its market traded has nothing to do with how that ended. */
function isResolved({ position: { state }, resolution }: Holding): boolean {
  return resolution !== null && state !== 'closed';
}

type HoldingPlace = Pick<PlacedHolding, 'openedAtMs' | 'tokenId'>;

function isOpenedLater(one: HoldingPlace, other: HoldingPlace): boolean {
  return (
    one.openedAtMs > other.openedAtMs ||
    (one.openedAtMs === other.openedAtMs && one.tokenId > other.tokenId)
  );
}

function* placesIn(
  records: Iterable<{ readonly key: readonly (string | number)[] }>,
): Generator<HoldingPlace> {
  for (const { key } of records) yield { openedAtMs: Number(key[2]), tokenId: String(key[3]) };
}

/** A market has as many as it has outcomes: each is read by its token, none is passed over. */
function placesOfMarket(
  store: StoreReader,
  userId: UserId,
  {
    marketId,
    groups,
    before,
  }: {
    readonly marketId: MarketId;
    readonly groups: readonly PositionGroup[];
    readonly before: readonly [number, string] | null;
  },
): readonly HoldingPlace[] {
  const outcomes = store.get(TRADED_MARKETS, [marketId])?.value.outcomes ?? [];
  return outcomes
    .flatMap(({ tokenId }) => store.get(POSITIONS, [userId, tokenId])?.value ?? [])
    .filter(({ shares }) => groups.includes(shares === 0 ? 'closed' : 'open'))
    .filter(
      (place) =>
        before === null || isOpenedLater({ openedAtMs: before[0], tokenId: before[1] }, place),
    )
    .sort((one, other) => (isOpenedLater(one, other) ? -1 : 1));
}

function isText(parts: readonly unknown[]): parts is readonly [string] {
  return parts.length === 1 && typeof parts[0] === 'string';
}

function isNumber(parts: readonly unknown[]): parts is readonly [number] {
  return parts.length === 1 && Number.isSafeInteger(parts[0]);
}

function isMomentAndText(parts: readonly unknown[]): parts is readonly [number, string] {
  return parts.length === 2 && Number.isSafeInteger(parts[0]) && typeof parts[1] === 'string';
}
