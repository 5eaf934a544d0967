import { priceTicks, TICKS_PER_USD } from '../../domain/units.ts';
import { allowanceRefused } from './allowances.ts';
import type { EngineAnswer, EngineOrder } from './exchange-types.ts';
import {
  announceLevel,
  announceOrder,
  endOrder,
  holdingOf,
  isMakerOwner,
  marketOf,
  release,
  rememberOrder,
  setHold,
  type EngineState,
  type MarketState,
  type OrderRecord,
} from './engine-state.ts';
import { bookSideOf, firstPriceOf, lotMicros } from '../exchange/match-plan.ts';
import {
  askedMicros,
  planOrder,
  splitPlan,
  type MatchTerms,
  type TradePlan,
} from './match-plan.ts';
import { carryOut, restingHold } from './matching.ts';
import {
  duplicateRefusal,
  fundsRefusal,
  GTD_THRESHOLD_MS,
  isMarketType,
  notionalRefusal,
  REFUSALS,
  shapeRefusal,
} from './order-rules.ts';
import type { RunScheduled } from './settlement.ts';
import { drainElsewhere, loseHeartbeat, setPhantomHold } from './placing-faults.ts';

/**
 * Above this best price, or below its complement, a coarse market switches to the fine tick
 * (venue_a.md section 5.2).
 */
const FINE_TICK_ABOVE = 9_600;
const COARSE_TICK = 100;
const FINE_TICK = priceTicks(10);
const FORCED_DELAY_MS = 250;
/** Takes an order in: checks it, delays, matches or rests it, and says what became of it. */
export function placeOrder(
  state: EngineState,
  order: EngineOrder,
  run: RunScheduled,
): EngineAnswer {
  const market = state.marketByToken.get(order.tokenId);
  const nowMs = state.clock.nowMs();
  if (market === undefined || market.payoutTicks !== null || nowMs >= market.market.endsAtMs)
    return refuse(404, REFUSALS.noBook);
  if (nowMs < market.market.opensForOrdersAtMs) return refuse(400, REFUSALS.notReady);
  if (state.orders.has(order.orderId)) return refuse(400, duplicateRefusal(order.orderId));
  const shape = shapeRefusal(order, market.market, nowMs);
  if (shape !== null) return refuse(400, shape);

  const outcome = market.market.tokens[0] === order.tokenId ? 0 : 1;
  const plan = planOrder(order, outcome, market.book, termsFor(state, market, order));
  const marketable = plan.legs.length > 0;
  if (marketable && order.postOnly) return refuse(400, REFUSALS.postOnlyCrosses);
  const notional = marketable || isMarketType(order) ? notionalRefusal(order) : null;
  const funds =
    notional ??
    fundsShortage(state, order, plan) ??
    allowanceRefused(state, { order, market: market.market, needed: neededMicros(order, plan) });
  if (funds !== null) return refuse(400, funds);

  const record = newRecord(state, market, order);
  rememberOrder(state, record);
  const delay = marketable && !order.postOnly ? takerDelay(state, market, record) : null;
  if (delay !== null) return holdBack(state, record, { ...delay, plan, run });
  announceOrder(state, 'PLACEMENT', record);
  return settlePlacement(state, market, { record, plan, run, wasDelayed: false });
}

interface Placement {
  readonly record: OrderRecord;
  readonly plan: TradePlan<OrderRecord>;
  readonly run: RunScheduled;
  readonly wasDelayed: boolean;
}

function settlePlacement(
  state: EngineState,
  market: MarketState,
  { record, plan: planned, run, wasDelayed }: Placement,
): EngineAnswer {
  const { order } = record;
  const plan = splitWhereAsked(state, market, record, planned);
  if (order.timeInForce === 'FOK' && !plan.complete) return kill(state, record, REFUSALS.fokKilled);
  if (isMarketType(order) && plan.legs.length === 0) return kill(state, record, REFUSALS.fakKilled);

  const tradeIds = carryOut(state, market, record, plan, run);
  const asked = order.side === 'buy' ? order.takerMicros : order.makerMicros;
  record.remaining = asked - record.matchedShares;
  const rests = !isMarketType(order) && record.remaining >= lotMicros(order.price);
  if (rests) rest(state, market, record, run);
  else setPhantomHold(state, record, run);
  if (!rests) record.status = 'MATCHED';
  if (plan.legs.length > 0 || wasDelayed) announceOrder(state, 'UPDATE', record);
  refineTick(state, market);
  if (plan.legs.length === 0) return { kind: 'live' };
  const [makingMicros, takingMicros] =
    order.side === 'buy' ? [plan.usdc, plan.shares] : [plan.shares, plan.usdc];
  return { kind: 'matched', makingMicros, takingMicros, tradeIds };
}

/**
 * Splits the match of a user's order in two where the fault says so and the fees, rounded anew, are
 * still covered.
 */
function splitWhereAsked(
  state: EngineState,
  { market }: MarketState,
  { order }: OrderRecord,
  plan: TradePlan<OrderRecord>,
): TradePlan<OrderRecord> {
  if (plan.legs.length === 0 || isMakerOwner(order.owner)) return plan;
  if (
    state.faults.take('split-match', {
      owner: order.owner,
      address: order.maker,
      marketId: market.marketId,
      orderId: order.orderId,
    }) === null
  )
    return plan;
  const split = splitPlan(plan, market.fee);
  return fundsShortage(state, order, split) === null ? split : plan;
}

function rest(
  state: EngineState,
  market: MarketState,
  record: OrderRecord,
  run: RunScheduled,
): void {
  record.status = 'LIVE';
  setHold(state, record, restingHold(record));
  announceLevel(state, market, record, market.book.add(record));
  scheduleExpiry(state, record, run);
  drainElsewhere(state, record, run);
  loseHeartbeat(state, record, run);
}

/** The market's fee, and the dust a fault leaves in the match. */
function termsFor(state: EngineState, market: MarketState, order: EngineOrder): MatchTerms {
  const { fee, marketId } = market.market;
  if (isMakerOwner(order.owner)) return { fee };
  const subject = { owner: order.owner, address: order.maker, marketId, orderId: order.orderId };
  if (state.faults.take('overfill-dust', subject) !== null) return { fee, dustLots: 1 };
  return state.faults.take('underfill-dust', subject) === null ? { fee } : { fee, dustLots: -1 };
}

/** Sets the timer that ends a GTD order a minute before its stated time. */
export function scheduleExpiry(state: EngineState, record: OrderRecord, run: RunScheduled): void {
  if (record.order.expiresAtMs === null) return;
  const early =
    state.faults.take('gtd-early', {
      owner: record.order.owner,
      orderId: record.orderId,
      marketId: record.marketId,
    }) === null
      ? 0
      : GTD_THRESHOLD_MS;
  const endsAtMs = record.order.expiresAtMs - GTD_THRESHOLD_MS - early;
  record.timer = state.clock.after(Math.max(0, endsAtMs - state.clock.nowMs()), () =>
    run(() => endOrder(state, record, 'CANCELED', null)),
  );
}

/**
 * Holds a marketable order before it meets the book: reserved, not cancellable (venue_a.md section
 * 6.3).
 */
function holdBack(
  state: EngineState,
  record: OrderRecord,
  held: { delayMs: number; dies: boolean; plan: TradePlan<OrderRecord>; run: RunScheduled },
): EngineAnswer {
  const { run } = held;
  record.status = 'DELAYED';
  setHold(
    state,
    record,
    record.order.side === 'buy'
      ? record.order.makerMicros + held.plan.fee
      : record.order.makerMicros,
  );
  announceOrder(state, 'PLACEMENT', record);
  record.timer = state.clock.after(held.delayMs, () => run(() => letGo(state, record, held)));
  return { kind: 'delayed' };
}

/** Takes up a delayed order again after a restart: its promise, and a fresh delay. */
export function resumeDelayed(state: EngineState, record: OrderRecord, run: RunScheduled): void {
  const delayMs = Math.max(FORCED_DELAY_MS, marketOf(state, record.marketId).market.takerDelayMs);
  setHold(state, record, record.order.makerMicros);
  record.timer = state.clock.after(delayMs, () =>
    run(() => letGo(state, record, { dies: false, run })),
  );
}

function letGo(
  state: EngineState,
  record: OrderRecord,
  { dies, run }: { dies: boolean; run: RunScheduled },
): void {
  const market = marketOf(state, record.marketId);
  release(state, market, record);
  const plan = planOrder(
    record.order,
    record.outcome,
    market.book,
    termsFor(state, market, record.order),
  );
  const over = market.payoutTicks !== null || state.clock.nowMs() >= market.market.endsAtMs;
  if (dies || over) {
    kill(state, record, dies ? 'order match delayed due to market conditions' : REFUSALS.noBook);
    return;
  }
  const shortage =
    fundsShortage(state, record.order, plan) ??
    allowanceRefused(state, {
      order: record.order,
      market: market.market,
      needed: neededMicros(record.order, plan),
    });
  if (shortage !== null) {
    record.status = 'INVALID';
    record.reason = shortage;
    announceOrder(state, 'CANCELLATION', record);
    return;
  }
  record.status = 'LIVE';
  settlePlacement(state, market, { record, plan, run, wasDelayed: true });
}

/**
 * Ends an order that found nothing. It never rested: there is no level and no hold to give back.
 */
function kill(state: EngineState, record: OrderRecord, reason: string): EngineAnswer {
  record.status = 'CANCELED';
  record.reason = reason;
  announceOrder(state, 'CANCELLATION', record);
  return refuse(400, reason);
}

function refuse(status: number, reason: string): EngineAnswer {
  return { kind: 'rejected', status, reason };
}

function newRecord(state: EngineState, market: MarketState, order: EngineOrder): OrderRecord {
  const outcome = market.market.tokens[0] === order.tokenId ? 0 : 1;
  const nowMs = state.clock.nowMs();
  return {
    orderId: order.orderId,
    order,
    marketId: market.market.marketId,
    outcome,
    bookSide: bookSideOf(order, outcome),
    firstPrice: firstPriceOf(order.price, outcome),
    originalMicros: askedMicros(order),
    remaining: order.side === 'buy' ? order.takerMicros : order.makerMicros,
    matchedShares: 0,
    status: 'LIVE',
    reason: null,
    tradeIds: [],
    heldMicros: 0,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    timer: null,
  };
}

/** Refusal when balance less promises does not cover the order and its fee; null when it does. */
function fundsShortage(
  state: EngineState,
  order: EngineOrder,
  plan: TradePlan<OrderRecord>,
): string | null {
  const { balance, held, unsettled } = state.accounts.visible(order.maker, holdingOf(order));
  const fresh =
    order.side === 'sell' &&
    unsettled > 0 &&
    state.faults.isArmed('sell-before-confirmed', { owner: order.owner, tokenId: order.tokenId });
  const usable = fresh ? Math.max(0, balance - unsettled) : balance;
  const needed = neededMicros(order, plan);
  return needed <= usable - held ? null : fundsRefusal({ balance: usable, active: held, needed });
}

/** What an order takes at most, fee included. */
function neededMicros(order: EngineOrder, plan: TradePlan<OrderRecord>): number {
  return order.side === 'buy'
    ? Math.max(order.makerMicros, plan.usdc) + plan.fee
    : Math.max(order.makerMicros, plan.shares);
}

function takerDelay(
  state: EngineState,
  market: MarketState,
  { order }: OrderRecord,
): { readonly delayMs: number; readonly dies: boolean } | null {
  if (isMakerOwner(order.owner)) return null;
  const subject = {
    owner: order.owner,
    address: order.maker,
    marketId: market.market.marketId,
    tokenId: order.tokenId,
    orderId: order.orderId,
  };
  const dead = state.faults.take('delayed-then-dead', subject);
  if (dead !== null) return { delayMs: dead.delayOr(FORCED_DELAY_MS), dies: true };
  const held = state.faults.take('delayed-then-matched', subject);
  if (held !== null) return { delayMs: held.delayOr(FORCED_DELAY_MS), dies: false };
  return market.market.takerDelayMs > 0
    ? { delayMs: market.market.takerDelayMs, dies: false }
    : null;
}

/** Switches a coarse market to the fine tick once its price is near an end. */
function refineTick(state: EngineState, market: MarketState): void {
  if (market.market.tickSize !== COARSE_TICK) return;
  const bid = market.book.best('bid');
  const ask = market.book.best('ask');
  const last = market.lastTrade?.firstPrice ?? null;
  const beyond = (price: number | null) =>
    price !== null && (price > FINE_TICK_ABOVE || price < TICKS_PER_USD - FINE_TICK_ABOVE);
  const nearEnd =
    (bid !== null && bid > FINE_TICK_ABOVE) ||
    (ask !== null && ask < TICKS_PER_USD - FINE_TICK_ABOVE) ||
    beyond(last);
  if (!nearEnd) return;
  const from = market.market.tickSize;
  market.market = { ...market.market, tickSize: FINE_TICK };
  state.dirty.markets.add(market);
  state.outbox.push({
    kind: 'tick_size',
    marketId: market.market.marketId,
    from,
    to: market.market.tickSize,
  });
}
