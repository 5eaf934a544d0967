import type { DomainEvent } from './events.ts';
import type { UserId } from './ids.ts';
import { paperChangeOf } from './paper-change.ts';
import { transferOf } from './user-transfer.ts';

/** Topics that are one user's own. */
export const USER_TOPICS = ['orders', 'positions', 'agents', 'notifications', 'transfers'] as const;

/** One of them. */
export type UserTopic = (typeof USER_TOPICS)[number];

/** The reader of facts that concern the whole service: whoever reads their topic. */
export const EVERYBODY = '*';

/** Who reads a fact that a topic tells: one user, or everybody. */
export type FactReader = UserId | typeof EVERYBODY;

/** Returns the topic that tells a fact; null where none does. */
export function topicOf(event: DomainEvent): UserTopic | null {
  switch (event.type) {
    case 'order.intended':
    case 'order.signed':
    case 'order.changed':
    case 'fill.recorded':
    case 'fill.settled':
    case 'fill.reversed':
      return 'orders';
    case 'position.changed':
      return 'positions';
    case 'notification.made':
    case 'notifications.read':
    case 'deposit.changed':
      return 'notifications';
    case 'agent.changed':
    case 'decision.made':
    case 'agent.traded':
    case 'agents.stopped':
    case 'agent.unwound':
    case 'trading.stopped':
    case 'trading.resumed':
    case 'all_trading.stopped':
    case 'all_trading.resumed':
      return 'agents';
    case 'transaction.changed':
    case 'swap.changed':
    case 'launch.changed':
    case 'registry.changed':
    case 'token.arrived':
      return transferOf(event) === null ? null : 'transfers';
    case 'user.created':
    case 'audit.recorded':
    case 'tool.called':
    case 'ledger.posted':
    case 'deposit.noticed':
    case 'funds.disputed':
    case 'funds.agreed':
    case 'market.resolved':
    case 'signal.judged':
    case 'settlement.broke':
    case 'settlement.healed':
    case 'venue.restricted':
    case 'venue.admitted':
      return null;
    case 'paper.recorded':
      return paperChangeOf(event.fact) === null ? null : 'agents';
  }
}

/** Returns who reads a fact; null where no topic tells it. */
export function readerOf(event: DomainEvent): FactReader | null {
  if (topicOf(event) === null) return null;
  const said = event.type === 'paper.recorded' ? event.fact : event;
  return 'userId' in said ? said.userId : EVERYBODY;
}
