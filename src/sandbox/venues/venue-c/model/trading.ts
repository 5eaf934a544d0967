import { POOL_VENUE } from '../../../../../config/limits/sandbox-pools.ts';
import { TICKS_PER_USD } from '../../../../domain/units.ts';
import type { Random } from '../../../../ports/random.ts';
import { firstPriceOf, type MatchPlan, type PlannedLeg } from '../../../exchange/match-plan.ts';
import type { SettlementNews } from './bank.ts';
import { dropOld, isOpen, keepOrder, type ExchangeState, type OpenBook } from './exchange-state.ts';
import {
  isFinal,
  isUsers,
  MAKER_ID,
  type TradePart,
  type VenueOrder,
  type VenueTrade,
} from './order.ts';

/** Carries a plan out: makers fill at their own prices, what is better stays with the taker. */
export function execute(
  state: ExchangeState,
  open: OpenBook,
  { order, plan }: { readonly order: VenueOrder; readonly plan: MatchPlan<VenueOrder> },
): VenueTrade {
  const trade = tradeOf(state, order, plan);
  order.matchedShares += plan.shares;
  order.matchedUsdc += plan.usdc;
  order.tradeIds.push(trade.tradeId);
  for (const leg of plan.legs) fillMaker(state, open, leg, trade);
  const last = plan.legs.at(-1);
  if (last !== undefined) open.lastPrice = firstPriceOf(last.takerPrice, order.outcome);
  open.trades.unshift(trade);
  open.trades.length = Math.min(open.trades.length, POOL_VENUE.eventsKept);
  if (isUsers(trade)) {
    state.underWay.set(trade.tradeId, trade);
    state.records.trades.put(trade.tradeId, trade);
    dropOld(state.records.trades, POOL_VENUE.tradesKept, ({ tradeId }) => tradeId, isFinal);
    dropOld(
      state.records.orders,
      POOL_VENUE.ordersKept,
      ({ orderId }) => orderId,
      (old) => !isOpen(old),
    );
    state.bank.settle(trade);
  }
  return trade;
}

/** Takes over what became of a trade; one that failed moved nothing. */
export function takeNews(state: ExchangeState, { tradeId, status, txHash }: SettlementNews): void {
  const trade = state.records.trades.get(tradeId);
  if (trade === null || isFinal(trade) || trade.status === status) return;
  trade.status = status;
  trade.txHash = txHash;
  trade.updatedAtMs = state.clock.nowMs();
  if (status === 'RETRYING') state.underWay.set(tradeId, trade);
  else state.underWay.delete(tradeId);
  state.records.trades.put(tradeId, trade);
  state.emit({ kind: 'trade', trade });
}

/**
 * The taker's fee at an average price, basis points of what it gets. The venue's curve is not
 * public; this one is the sandbox's own, and gives the two effective fees that are known
 * (venue_c.md section 8.2).
 */
export function effectiveFeeBps(rateBps: number, usdc: number, shares: number): number {
  const price = usdc / shares;
  return Math.round(rateBps * 3 * price * (1 - price));
}

/** A version 4 UUID from seeded chance. */
export function uuidFrom(random: Random): string {
  const hex = Buffer.from(random.bytes(16)).toString('hex');
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

function tradeOf(
  state: ExchangeState,
  order: VenueOrder,
  { legs, shares, usdc }: MatchPlan<VenueOrder>,
): VenueTrade {
  const bps =
    order.ownerId === MAKER_ID ? 0 : effectiveFeeBps(order.signed?.feeRateBps ?? 0, usdc, shares);
  const fee = (micros: number) => Math.floor((micros * bps) / 10_000);
  const nowMs = state.clock.nowMs();
  const taker = partOf(state, order, { shares, usdc, price: averageTicks(usdc, shares) });
  const makers = legs.map(({ maker, ...leg }) =>
    partOf(state, maker, {
      shares: leg.shares,
      usdc: maker.outcome === order.outcome ? leg.usdc : leg.shares - leg.usdc,
      price: maker.price,
    }),
  );
  return {
    tradeId: uuidFrom(state.random),
    slug: order.slug,
    taker,
    makers,
    feeShares: order.side === 'buy' ? fee(shares) : 0,
    feeUsdc: order.side === 'sell' ? fee(usdc) : 0,
    effectiveFeeBps: bps,
    course: courseOf(state, [taker, ...makers]),
    status: 'MATCHED',
    txHash: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

/** Faults strike only where a user takes part: one with a count is not spent on market makers. */
function courseOf(state: ExchangeState, parts: readonly TradePart[]): VenueTrade['course'] {
  const user = parts.find(({ ownerId }) => ownerId !== MAKER_ID);
  if (user === undefined) return 'settles';
  const subject = { address: user.account, orderId: user.orderId };
  if (state.faults.take('ghost-fill', subject) !== null) return 'fails';
  return state.faults.take('retrying-then-confirmed', subject) === null ? 'settles' : 'retries';
}

function partOf(
  state: ExchangeState,
  { orderId, ownerId, account, outcome, side }: VenueOrder,
  amounts: Pick<TradePart, 'shares' | 'usdc' | 'price'>,
): TradePart {
  return { matchId: uuidFrom(state.random), orderId, ownerId, account, outcome, side, ...amounts };
}

function averageTicks(usdc: number, shares: number): number {
  return Math.round((usdc * TICKS_PER_USD) / shares);
}

function fillMaker(
  state: ExchangeState,
  open: OpenBook,
  { maker, shares, usdc }: PlannedLeg<VenueOrder>,
  trade: VenueTrade,
): void {
  const leaves = maker.remaining - shares < POOL_VENUE.orderStepMicros;
  open.book.reduce(maker, shares, leaves);
  maker.matchedShares += shares;
  // where the two buy, or sell, different outcomes, the rest of a dollar is the maker's
  maker.matchedUsdc += maker.outcome === trade.taker.outcome ? usdc : shares - usdc;
  maker.tradeIds.push(trade.tradeId);
  if (leaves) maker.status = 'MATCHED';
  keepOrder(state, maker);
  state.emit({ kind: 'order', type: 'UPDATE', order: maker });
}
