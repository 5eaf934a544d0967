import { POOL_VENUE } from '../../../../../config/limits/sandbox-pools.ts';
import { asId, type OrderId } from '../../../../domain/ids.ts';
import { mulDiv, TICKS_PER_USD } from '../../../../domain/units.ts';
import {
  bookSideOf,
  firstPriceOf,
  planMatch,
  type MatchPlan,
  type TakerTerms,
} from '../../../exchange/match-plan.ts';
import type { Holdings } from './bank.ts';
import {
  bookOf,
  keepOrder,
  promisedBy,
  type ExchangeState,
  type OpenBook,
} from './exchange-state.ts';
import type { VenueMarket } from './market.ts';
import { MAKER_ID, type OrderTerms, type VenueOrder, type VenueTrade } from './order.ts';
import { execute, uuidFrom } from './trading.ts';

/** What became of an order that was handed in. */
export type Placed =
  | { readonly kind: 'refused'; readonly status: number; readonly message: string }
  | {
      readonly kind: 'taken';
      readonly order: VenueOrder;
      readonly trade: VenueTrade | null;
      /** Until when a taker's order is held; null for one that is not. */
      readonly eligibleAtMs: number | null;
      /** Own resting orders that were cancelled for it. */
      readonly selfTraded: readonly string[];
    };

/**
 * Takes an order in: holds it, matches it, rests it. `holdings` is what its account has; null
 * for the market maker, which has all it needs.
 */
export function placeOrder(
  state: ExchangeState,
  market: VenueMarket,
  terms: OrderTerms,
  holdings: Holdings | null,
): Placed {
  const clientKey = `${terms.ownerId} ${terms.clientOrderId ?? ''}`;
  if (terms.clientOrderId !== null && state.clientIds.has(clientKey))
    return refuse(409, 'Order with this clientOrderId already exists');
  const known = state.open.get(terms.account)?.size ?? 0;
  if (terms.ownerId !== MAKER_ID && known >= POOL_VENUE.openOrdersMaximum)
    return refuse(400, 'Too many open orders');
  const open = bookOf(state, market);
  if (terms.postOnly && planFor(open, terms).legs.length > 0)
    return refuse(400, 'Post-only order would match immediately');
  const shortage = holdings === null ? null : shortageOf(state, terms, holdings);
  if (shortage !== null) return refuse(400, shortage);

  const order = newOrder(state, terms);
  if (terms.clientOrderId !== null) state.clientIds.add(clientKey);
  const selfTraded = cancelOwn(state, open, order);
  const plan = planFor(open, terms);
  const delayMs = holdings === null || plan.legs.length === 0 ? 0 : delayOf(state, market, order);
  if (delayMs === 0 || !isOpenStatus(order)) {
    const trade = isOpenStatus(order) ? meet(state, open, { order, plan }) : null;
    return { kind: 'taken', order, trade, eligibleAtMs: null, selfTraded };
  }
  order.status = 'DELAYED';
  keepOrder(state, order);
  holdBack(state, market, order, delayMs);
  const eligibleAtMs = state.clock.nowMs() + delayMs;
  return { kind: 'taken', order, trade: null, eligibleAtMs, selfTraded };
}

/** Lets a held order meet the book when its time has come. */
export function holdBack(
  state: ExchangeState,
  market: VenueMarket,
  order: VenueOrder,
  delayMs: number,
): void {
  state.clock.after(delayMs, () => {
    if (order.status !== 'DELAYED') return;
    order.status = 'LIVE';
    const open = bookOf(state, market);
    meet(state, open, { order, plan: planFor(open, order) });
  });
}

/** Matches an order by its plan; what is left rests, or ends with the order. */
function meet(
  state: ExchangeState,
  open: OpenBook,
  { order, plan }: { readonly order: VenueOrder; readonly plan: MatchPlan<VenueOrder> },
): VenueTrade | null {
  if (order.type === 'FOK' && !plan.complete) return killed(state, order);
  if (order.type !== 'GTC' && plan.legs.length === 0) return killed(state, order);
  const trade = plan.legs.length === 0 ? null : execute(state, open, { order, plan });
  order.remaining = order.type === 'FOK' ? 0 : order.originalMicros - order.matchedShares;
  const rests = order.type === 'GTC' && order.remaining >= POOL_VENUE.orderStepMicros;
  order.status = rests ? 'LIVE' : 'MATCHED';
  if (rests) open.book.add(order);
  keepOrder(state, order);
  const rested = trade === null ? 'PLACEMENT' : 'UPDATE';
  state.emit({ kind: 'order', type: order.type === 'GTC' ? rested : 'EXECUTION', order });
  if (trade !== null) state.emit({ kind: 'trade', trade });
  if (rests || trade !== null) state.emit({ kind: 'book', market: open.market });
  return trade;
}

function killed(state: ExchangeState, order: VenueOrder): null {
  order.status = 'KILLED';
  order.remaining = 0;
  keepOrder(state, order);
  state.emit({ kind: 'order', type: 'EXECUTION', order });
  return null;
}

/** Ends own orders that would meet the new one, or the new one, as its policy says. */
function cancelOwn(state: ExchangeState, open: OpenBook, order: VenueOrder): readonly string[] {
  if (order.ownerId === MAKER_ID) return [];
  const own = planFor(open, order)
    .legs.map(({ maker }) => maker)
    .filter(({ ownerId }) => ownerId === order.ownerId);
  if (own.length === 0) return [];
  if (order.selfTrade !== 'cancel_maker') killed(state, order);
  if (order.selfTrade === 'cancel_taker') return [];
  for (const maker of own) endOrder(state, open, maker);
  return own.map(({ orderId }) => orderId);
}

/** Ends an open order without a fill. */
export function endOrder(state: ExchangeState, open: OpenBook, order: VenueOrder): void {
  if (order.status === 'LIVE') open.book.reduce(order, 0, true);
  order.status = 'CANCELED';
  keepOrder(state, order);
  state.emit({ kind: 'order', type: 'CANCELLATION', order });
  state.emit({ kind: 'book', market: open.market });
}

function planFor(open: OpenBook, terms: OrderTerms): MatchPlan<VenueOrder> {
  const { side, outcome, price, originalMicros, type } = terms;
  const taker: TakerTerms = {
    side,
    outcome,
    price,
    askedMicros: originalMicros,
    byBudget: type === 'FOK' && side === 'buy',
  };
  // the venue's fee is of the whole trade, by its average price
  return planMatch(taker, open.book, () => 0);
}

function shortageOf(state: ExchangeState, terms: OrderTerms, holdings: Holdings): string | null {
  const { account, slug, side, outcome, originalMicros, type, price } = terms;
  const promised = promisedBy(state, account, slug);
  const isMissing = state.faults.take('allowance-missing', { address: account }) !== null;
  if (side === 'sell') {
    if (isMissing || !holdings.areSharesAllowed)
      return 'Insufficient allowance: conditional tokens';
    return holdings.shares[outcome] - promised.shares[outcome] < originalMicros
      ? 'Insufficient conditional token balance'
      : null;
  }
  const needed =
    type === 'FOK' ? originalMicros : mulDiv(originalMicros, price, TICKS_PER_USD, 'ceil');
  if (holdings.usdc - promised.usdc < needed) return 'Insufficient collateral balance';
  return isMissing || holdings.usdcAllowed - promised.usdc < needed
    ? 'Insufficient collateral allowance'
    : null;
}

function delayOf(state: ExchangeState, market: VenueMarket, order: VenueOrder): number {
  const held = state.faults.take('delayed-then-matched', {
    address: order.account,
    marketId: market.slug,
    orderId: order.orderId,
  });
  return held === null ? market.takerDelayMs : held.delayOr(POOL_VENUE.takerDelayMs);
}

function newOrder(state: ExchangeState, terms: OrderTerms): VenueOrder {
  const nowMs = state.clock.nowMs();
  return {
    ...terms,
    orderId: asId<OrderId>(uuidFrom(state.random)),
    bookSide: bookSideOf(terms, terms.outcome),
    firstPrice: firstPriceOf(terms.price, terms.outcome),
    remaining: terms.originalMicros,
    status: 'LIVE',
    matchedShares: 0,
    matchedUsdc: 0,
    tradeIds: [],
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

function isOpenStatus({ status }: VenueOrder): boolean {
  return status === 'LIVE';
}

function refuse(status: number, message: string): Placed {
  return { kind: 'refused', status, message };
}
