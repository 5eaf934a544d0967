import { API } from '../../../config/limits.ts';
import { HEALTH } from '../../../config/limits/risk.ts';
import type { DomainEvent } from '../../domain/events.ts';
import type { IntentId, OrderId, UserId } from '../../domain/ids.ts';
import { AGENT_IDS, asId } from '../../domain/ids.ts';
import { notificationId } from '../../domain/notification.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MarketTime } from '../../ports/market-time.ts';
import type { HealthChange } from '../../services/agents/health.ts';
import type { ApiServices } from '../services.ts';
import { agentOut, receiptOut, viewAgent, viewReceipt } from '../views/agent.ts';
import { viewDeposit } from '../views/deposit.ts';
import { holdingOut, positionOut, viewHolding, viewPosition } from '../views/holding.ts';
import { viewNewNotification, viewNotification } from '../views/notification.ts';
import { orderOut, viewOrder } from '../views/order.ts';
import { inWallTime } from '../wall-times.ts';
import type { TopicMessage, UserTopic } from './protocol.ts';
import { encode, notRead } from './topic-hub.ts';
import type { Publish } from './topic-hub.ts';
import type { LiveSources } from './sources.ts';

/** Topics of one user: facts as they become durable. */
export interface UserTopics {
  /** Counts a reader in and gives the internal channel to subscribe to. */
  join(userId: UserId, topic: UserTopic): string;
  /** Counts a reader out and gives the channel to leave. */
  leave(userId: UserId, topic: UserTopic): string;
  snapshot(userId: UserId, topic: UserTopic): TopicMessage;
  close(): void;
}

/** Services the facts are shown with. */
export type UserTopicServices = Pick<
  ApiServices,
  'orders' | 'portfolio' | 'agents' | 'notifications'
>;

interface Channel {
  /** From the first reader to the last: what nobody heard is not numbered. */
  readonly epoch: number;
  readers: number;
  seq: number;
}

/** What a fact says in a topic; null where it says nothing there. */
type TopicEvent = { readonly event: string; readonly [name: string]: unknown } | null;

/** Makes the topics. */
export function createUserTopics(deps: {
  readonly services: UserTopicServices;
  readonly sources: LiveSources;
  readonly clock: Clock;
  readonly publish: Publish;
}): UserTopics {
  const { services, clock, publish } = deps;
  const channels = new Map<string, Channel>();
  const views = viewsIn(deps.sources.marketTime);
  const { newEpoch } = deps.sources.numbers;

  const stop = deps.sources.bus.subscribe(({ event }) => {
    for (const topic of topicsOf(event)) {
      const names =
        'userId' in event ? [channelOf(event.userId, topic)] : channelsOf(channels, topic);
      for (const name of names) {
        const reported = channels.has(name) ? tell(services, event, views) : null;
        if (reported !== null)
          publishTo(name, topic, reported, Math.max(0, deps.sources.nowMs() - event.atMs));
      }
    }
  });

  /**
   * Health is no fact of the journal: it is told to those who look, and found again at once after a
   * restart.
   */
  const stopHealth = services.agents.watchHealth((change) => {
    const all = channelsOf(channels, 'agents');
    tellHealth(
      change,
      change.kind === 'user'
        ? all.filter((name) => name === channelOf(change.userId, 'agents'))
        : all,
    );
  });

  /**
   * Tells readers a few at a time: a feed that fails concerns thousands, and the event loop is
   * everybody's.
   */
  function tellHealth(change: HealthChange, names: readonly string[]): void {
    for (const name of names.slice(0, HEALTH.sentPerTurn)) {
      const userId = asId<UserId>(name.slice('agents '.length));
      for (const agentId of change.kind === 'user' ? AGENT_IDS : [change.agentId]) {
        const agent = channels.has(name) ? services.agents.view(userId, agentId) : null;
        if (agent?.enabled === true)
          publishTo(name, 'agents', { event: 'agent.health', agent: views.agent(agent) }, 0);
      }
    }
    const left = names.slice(HEALTH.sentPerTurn);
    if (left.length > 0) clock.after(0, () => tellHealth(change, left));
  }

  function publishTo(name: string, topic: UserTopic, data: TopicEvent, ageMs: number): void {
    const channel = channels.get(name);
    if (channel === undefined) return;
    channel.seq += 1;
    const { epoch, seq } = channel;
    publish(name, encode({ topic, kind: 'change', epoch, seq, ageMs, trusted: true, data }));
  }

  return {
    join(userId, topic) {
      const name = channelOf(userId, topic);
      const channel = channels.get(name) ?? { epoch: newEpoch(), readers: 0, seq: 0 };
      channel.readers += 1;
      channels.set(name, channel);
      return name;
    },
    leave(userId, topic) {
      const name = channelOf(userId, topic);
      const channel = channels.get(name);
      if (channel !== undefined) {
        channel.readers -= 1;
        if (channel.readers === 0) channels.delete(name);
      }
      return name;
    },
    snapshot(userId, topic) {
      const { epoch, seq } = channels.get(channelOf(userId, topic)) ?? notRead(topic);
      const data = snapshotOf(services, { userId, topic }, views);
      return { topic, kind: 'snapshot', epoch, seq, ageMs: 0, trusted: true, data };
    },
    close() {
      stop();
      stopHealth();
    },
  };
}

/** Internal channel of a user's topic; clients cannot name it, since their topics hold no blank. */
function channelOf(userId: UserId, topic: UserTopic): string {
  return `${topic} ${userId}`;
}

/**
 * Channels of everybody who reads the topic: what concerns the whole service is told to all of
 * them.
 */
function channelsOf(channels: ReadonlyMap<string, Channel>, topic: UserTopic): readonly string[] {
  return [...channels.keys()].filter((name) => name.startsWith(`${topic} `));
}

function snapshotOf(
  services: UserTopicServices,
  { userId, topic }: { readonly userId: UserId; readonly topic: UserTopic },
  views: Views,
): unknown {
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
  }
}

function topicsOf(event: DomainEvent): readonly UserTopic[] {
  switch (event.type) {
    case 'order.intended':
    case 'order.signed':
    case 'order.changed':
    case 'fill.recorded':
    case 'fill.settled':
    case 'fill.reversed':
      return ['orders'];
    case 'position.changed':
      return ['positions'];
    case 'notification.made':
    case 'notifications.read':
      return ['notifications'];
    case 'agent.changed':
    case 'decision.made':
    case 'agent.traded':
    case 'agents.stopped':
    case 'agent.unwound':
    case 'trading.stopped':
    case 'trading.resumed':
    case 'all_trading.stopped':
    case 'all_trading.resumed':
      return ['agents'];
    case 'deposit.changed':
      return ['notifications'];
    case 'user.created':
    case 'audit.recorded':
    case 'tool.called':
    case 'ledger.posted':
    case 'funds.disputed':
    case 'funds.agreed':
    case 'transaction.changed':
    case 'swap.changed':
    case 'launch.changed':
    case 'registry.changed':
    case 'token.arrived':
    case 'market.resolved':
    case 'signal.judged':
    case 'settlement.broke':
    case 'settlement.healed':
    case 'venue.restricted':
    case 'venue.admitted':
    case 'paper.recorded':
      return [];
  }
}

function tell(services: UserTopicServices, event: DomainEvent, views: Views): TopicEvent {
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
    case 'decision.made':
      return { event: event.type, decision: views.receipt(event.decision) };
    case 'agent.traded':
      return {
        event: event.type,
        agent: event.agentId,
        marketId: event.marketId,
        order: order(event.userId, event.intentId),
      };
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

/** What facts are shown as, their moments in wall time. */
interface Views {
  readonly order: (record: Parameters<typeof viewOrder>[0]) => unknown;
  readonly holding: (holding: Parameters<typeof viewHolding>[0]) => unknown;
  readonly position: (position: Parameters<typeof viewPosition>[0]) => unknown;
  readonly agent: (agent: Parameters<typeof viewAgent>[0]) => unknown;
  readonly receipt: (receipt: Parameters<typeof viewReceipt>[0]) => unknown;
}

function viewsIn(time: MarketTime): Views {
  return {
    order: (record) => inWallTime(orderOut, viewOrder(record), time),
    holding: (holding) => inWallTime(holdingOut, viewHolding(holding), time),
    position: (position) => inWallTime(positionOut, viewPosition(position), time),
    agent: (agent) => inWallTime(agentOut, viewAgent(agent), time),
    receipt: (receipt) => inWallTime(receiptOut, viewReceipt(receipt), time),
  };
}
