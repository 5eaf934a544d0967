import type { DomainEvent } from '../../domain/events.ts';
import type { FillRecord } from '../../domain/fill.ts';
import type { MarketId } from '../../domain/ids.ts';
import type { OutcomeIndex } from '../../domain/market.ts';
import type { NotificationFacts, NotificationMarket } from '../../domain/notification.ts';
import { isResting, keptAmounts, type OrderRecord } from '../../domain/order.ts';
import type { PositionRecord } from '../../domain/position.ts';
import { shareMicros } from '../../domain/units.ts';
import type { StoreReader } from '../../ports/store.ts';
import { orderNamed } from '../books/named-order.ts';
import { paidForShares } from '../books/payout-booking.ts';
import { AGENTS, FILLS, ORDERS, TRADED_MARKETS } from '../books/tables.ts';
import { NOTIFICATION_CHOICES } from './tables.ts';

/**
 * The first fill of an order, or the first after all before it were taken back: only that is all
 * the order has got.
 */
export function tradeFacts(reader: StoreReader, fill: FillRecord): NotificationFacts | null {
  const order = reader.get(ORDERS, [fill.userId, fill.intentId])?.value;
  if (order === undefined || keptAmounts(order).shares !== fill.shares || fill.shares <= 0)
    return null;
  // The end of its position tells of it.
  if (order.intent.isRedemption === true || !wantsTrades(reader, order)) return null;
  const { origin } = order.intent;
  const by =
    origin.kind === 'agent'
      ? { agentId: origin.agentId, purpose: origin.purpose }
      : { agentId: null, purpose: null };
  const { intentId, side, shares, usdc, fee, feeShares } = fill;
  return {
    kind: 'trade',
    ...by,
    intentId,
    side,
    shares,
    usdc,
    fee,
    ...(feeShares === undefined ? {} : { feeShares }),
    ...marketOf(reader, fill),
  };
}

function wantsTrades(reader: StoreReader, { intent: { userId, origin } }: OrderRecord): boolean {
  if (origin.kind === 'manual')
    return reader.get(NOTIFICATION_CHOICES, [userId])?.value.manualTrades ?? true;
  return reader.get(AGENTS, [userId, origin.agentId])?.value.settings.notifyOnTrade ?? true;
}

const ENDED_KINDS = {
  expired: 'order_expired',
  cancelled: 'order_cancelled',
  rejected: 'order_rejected',
} as const;

/**
 * An order placed manually that came to another end than its caller was answered: a resting one
 * that ended without a request from here, and any that ended without a trade after it was answered
 * as open or unknown. What the answer itself said is not notified again.
 */
export function endedFacts(
  reader: StoreReader,
  { userId, intentId, from, to, reason }: Extract<DomainEvent, { type: 'order.changed' }>,
): NotificationFacts | null {
  if (to !== 'expired' && to !== 'cancelled' && to !== 'rejected') return null;
  const order = reader.get(ORDERS, [userId, intentId])?.value;
  if (order === undefined || order.intent.origin.kind !== 'manual' || !wantsTrades(reader, order))
    return null;
  // One that is signed once more may have been unknown in between, and one that waited with this
  // service was answered as live.
  const wasAnswered =
    from !== 'signed' || order.attempts.length > 1 || order.intent.restsAt === 'service';
  const isNews =
    to === 'rejected'
      ? wasAnswered
      : !order.cancelWanted &&
        (isResting(order.intent) || (wasAnswered && order.filledShares === 0));
  if (!isNews) return null;
  const { side, spendMicros, receiveMicros } = order.intent;
  return {
    kind: ENDED_KINDS[to],
    intentId,
    side,
    filledShares: order.filledShares,
    shares: shareMicros(side === 'sell' ? spendMicros : receiveMicros),
    reason,
    ...marketOf(reader, order.intent),
  };
}

export function reversalFacts(
  reader: StoreReader,
  { userId, orderId, tradeId }: Extract<DomainEvent, { type: 'fill.reversed' }>,
): NotificationFacts | null {
  const fill = reader.get(FILLS, [userId, orderId, tradeId])?.value;
  const order = orderNamed(reader, orderId);
  if (fill === undefined || order === null) return null;
  return {
    kind: 'trade_reversed',
    intentId: order.intent.intentId,
    tradeId,
    side: fill.side,
    shares: fill.shares,
    usdc: fill.usdc,
    ...marketOf(reader, fill),
  };
}

/** A position that ended says so with each later change of its record too. */
export function endFacts(
  reader: StoreReader,
  position: PositionRecord,
): { readonly facts: NotificationFacts; readonly subject: string } | null {
  const { state, agentId, tokenId, realizedPnl, marketId, question, outcomeLabel } = position;
  if (state !== 'redeemed' && state !== 'lost' && state !== 'removed') return null;
  return {
    subject: `${state}:${tokenId}`,
    facts: {
      kind: `position_${state}`,
      agentId,
      tokenId,
      realizedPnl,
      ...(state === 'redeemed' ? { paidUsdc: paidForShares(reader, position) } : {}),
      marketId,
      question,
      outcomeLabel,
    },
  };
}

function marketOf(
  reader: StoreReader,
  { marketId, outcome }: { readonly marketId: MarketId; readonly outcome: OutcomeIndex },
): NotificationMarket {
  const market = reader.get(TRADED_MARKETS, [marketId])?.value;
  return {
    marketId,
    question: market?.question ?? '',
    ...(market?.eventTitle === undefined ? {} : { eventTitle: market.eventTitle }),
    outcomeLabel: market?.outcomes[outcome].label ?? (outcome === 0 ? 'Yes' : 'No'),
  };
}
