import { z } from 'zod';
import { API } from '../../../config/limits/api.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { IntentId, OrderId, UserId } from '../../domain/ids.ts';
import { notificationId } from '../../domain/notification.ts';
import { paperChangeOf } from '../../domain/paper-change.ts';
import type { UserTopic } from '../../domain/user-topic.ts';
import { TRANSFER_KINDS, transferOf, type UserTransfer } from '../../domain/user-transfer.ts';
import type { MarketTime } from '../../ports/market-time.ts';
import type { ApiServices } from '../services.ts';
import { agentOut, receiptOut, viewAgent, viewReceipt } from '../views/agent.ts';
import { viewDeposit } from '../views/deposit.ts';
import { holdingOut, positionOut, viewHolding, viewPosition } from '../views/holding.ts';
import { viewNewNotification, viewNotification } from '../views/notification.ts';
import { orderOut, viewOrder } from '../views/order.ts';
import { inWallTime } from '../wall-times.ts';

/** Services the facts are shown with. */
export type UserTopicServices = Pick<
  ApiServices,
  'orders' | 'portfolio' | 'agents' | 'notifications' | 'transfersUnderWay'
>;

/** What a fact says in a topic; null where it says nothing there. */
export type TopicEvent = { readonly event: string; readonly [name: string]: unknown } | null;

/** Returns what is true now of a topic, under the topic's name. */
export function snapshotOf(
  services: UserTopicServices,
  { userId, topic }: { readonly userId: UserId; readonly topic: UserTopic },
  views: Views,
) {
  switch (topic) {
    case 'orders':
      return { orders: services.orders.listOpen(userId).map(views.order) };
    case 'positions':
      return {
        positions: services.portfolio.holdings(userId, { type: 'open' }).map(views.holding),
      };
    case 'agents':
      return { agents: services.agents.list(userId).map(views.agent) };
    case 'notifications': {
      const { data, unread } = services.notifications.list(userId, {
        limit: API.pageDefault,
        cursor: null,
      });
      return { notifications: data.map(viewNotification), unread };
    }
    case 'transfers':
      return { transfers: services.transfersUnderWay(userId).map(viewTransfer) };
  }
}

/**
 * Returns what a fact says in its topic. The records it speaks of are shown as they are now, also
 * where the fact is sent again later.
 */
export function tell(services: UserTopicServices, event: DomainEvent, views: Views): TopicEvent {
  const order = (userId: UserId, id: IntentId | OrderId): unknown => {
    const record = services.orders.get(userId, id);
    return record === null ? null : views.order(record);
  };
  switch (event.type) {
    case 'order.intended':
      return { event: event.type, order: order(event.userId, event.intent.intentId) };
    case 'order.signed':
      return { event: event.type, order: order(event.userId, event.intentId) };
    case 'order.changed':
      return {
        event: event.type,
        from: event.from,
        to: event.to,
        reason: event.reason,
        order: order(event.userId, event.intentId),
      };
    case 'fill.recorded':
      return {
        event: event.type,
        tradeId: event.fill.tradeId,
        order: order(event.userId, event.fill.intentId),
      };
    case 'fill.settled':
    case 'fill.reversed':
      return {
        event: event.type,
        tradeId: event.tradeId,
        order: order(event.userId, event.orderId),
      };
    case 'position.changed':
      return { event: event.type, position: views.position(event.position) };
    case 'notification.made':
      return {
        event: event.type,
        notification: viewNewNotification(event.notification),
        unread: event.unread,
      };
    case 'notifications.read':
      return { event: event.type, upTo: notificationId(event.upTo), unread: event.unread };
    case 'deposit.changed':
      return { event: event.type, from: event.from, deposit: viewDeposit(event.deposit, null) };
    case 'agent.changed':
      return {
        event: event.type,
        agent: views.agent(services.agents.view(event.userId, event.agent.agentId)),
      };
    case 'transaction.changed':
    case 'swap.changed':
    case 'launch.changed':
    case 'registry.changed':
    case 'token.arrived': {
      const transfer = transferOf(event);
      return transfer === null ? null : { event: event.type, transfer: viewTransfer(transfer) };
    }
    case 'decision.made':
      return { event: event.type, decision: views.receipt(event.decision) };
    case 'agent.traded':
      return {
        event: event.type,
        agent: event.agentId,
        marketId: event.marketId,
        order: order(event.userId, event.intentId),
      };
    case 'paper.recorded': {
      const change = paperChangeOf(event.fact);
      return change === null
        ? null
        : { event: 'paper.changed', agent: change.agentId, marketId: change.marketId };
    }
    case 'agents.stopped':
      return {
        event: event.type,
        agents: event.agents.map(({ agentId, policy }) => ({ agent: agentId, onStop: policy })),
      };
    case 'agent.unwound':
      return { event: event.type, agent: event.agentId, onStop: event.policy };
    case 'trading.stopped':
    case 'trading.resumed':
      return { event: event.type, by: event.by, reason: event.reason };
    case 'all_trading.stopped':
    case 'all_trading.resumed':
      return { event: event.type, reason: event.reason };
    default:
      return null;
  }
}

/** A transfer by its list's id. */
export const transferOut = z
  .object({
    kind: z.enum(TRANSFER_KINDS),
    id: z.string().meta({ description: 'As its list has it.' }),
    over: z.boolean().meta({ description: 'False while it may still change.' }),
  })
  .meta({ id: 'TransferMark' });

function viewTransfer({ kind, id, isOver }: UserTransfer): z.input<typeof transferOut> {
  return { kind, id, over: isOver };
}

/** What facts are shown as, their moments by a clock. */
export interface Views {
  readonly order: (record: Parameters<typeof viewOrder>[0]) => unknown;
  readonly holding: (holding: Parameters<typeof viewHolding>[0]) => unknown;
  readonly position: (position: Parameters<typeof viewPosition>[0]) => unknown;
  readonly agent: (agent: Parameters<typeof viewAgent>[0]) => unknown;
  readonly receipt: (receipt: Parameters<typeof viewReceipt>[0]) => unknown;
}

/** Creates the views; where both clocks are one, moments stay as they are kept. */
export function viewsIn(time: MarketTime): Views {
  return {
    order: (record) => inWallTime(orderOut, viewOrder(record), time),
    holding: (holding) => inWallTime(holdingOut, viewHolding(holding), time),
    position: (position) => inWallTime(positionOut, viewPosition(position), time),
    agent: (agent) => inWallTime(agentOut, viewAgent(agent), time),
    receipt: (receipt) => inWallTime(receiptOut, viewReceipt(receipt), time),
  };
}
