import { describe, expect, it } from 'vitest';
import { createMemoryBus } from '../../../src/adapters/bus/memory-bus.ts';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createMemoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { asId, type IntentId, type UserId } from '../../../src/domain/ids.ts';
import { USER_TOPICS, type UserTopic } from '../../../src/domain/user-topic.ts';
import type { LiveSources } from '../../../src/http/live/sources.ts';
import { createUserTopics, type TopicReader } from '../../../src/http/live/user-topics.ts';
import { ONE_TIME } from '../../../src/ports/market-time.ts';
import type { HealthChange } from '../../../src/services/agents/health.ts';
import { createMissedEvents } from '../../../src/services/missed-events.ts';
import { aPosition, T0 } from '../../support/builders.ts';
import { createCountedNumbers } from '../../support/counted-numbers.ts';
import { socketServices } from '../../support/fakes/socket-services.ts';
import { createKeptLog } from '../../support/quiet.ts';
import { agentView } from '../samples.ts';

const userId = asId<UserId>('usr_1');
const stopped: DomainEvent = { type: 'trading.stopped', userId, atMs: T0, by: 'user', reason: '' };
/** Its reader is shown the order as it is now. */
const filled: DomainEvent = {
  type: 'order.changed',
  userId,
  atMs: T0,
  intentId: asId<IntentId>('int_1'),
  from: 'live',
  to: 'filled',
  reason: null,
};
const moved: DomainEvent = {
  type: 'position.changed',
  userId,
  atMs: T0,
  position: aPosition({ userId }),
};

/** Topics of one user over a store, and what was published of them. */
async function createTopics() {
  const store = createMemoryStore();
  const clock = createVirtualClock(T0);
  const bus = createMemoryBus({ log: createKeptLog() });
  const events = createMissedEvents({ store, bus });
  const sent: { readonly event: unknown; readonly seq: number }[] = [];
  const seqOf = (cursor: string): number => Number(cursor.split('.')[1]);
  let tellHealth: (change: HealthChange) => void = () => undefined;
  const all = socketServices();
  // As the health of agents, which listens before the sockets are opened.
  bus.subscribe(() => tellHealth({ kind: 'user', userId }));
  const topics = createUserTopics({
    services: {
      ...all,
      orders: {
        ...all.orders,
        get() {
          throw new Error('it cannot be read');
        },
      },
      agents: {
        ...all.agents,
        view: (_userId, agentId) => agentView(agentId, agentId === 'btc_5min'),
        watchHealth(listener) {
          tellHealth = listener;
          return () => undefined;
        },
      },
    },
    events,
    clock,
    sources: {
      bus,
      marketTime: ONE_TIME,
      numbers: createCountedNumbers(),
      nowMs: () => clock.nowMs(),
    } as unknown as LiveSources,
    publish: (_channel, bytes) => {
      const { data, cursor } = JSON.parse(String(bytes));
      sent.push({ event: data.event, seq: seqOf(cursor) });
    },
  });
  const happens = async (...facts: readonly DomainEvent[]): Promise<void> => {
    const seqs = await store.write((tx) => facts.map((event) => tx.append(event)));
    bus.publish(facts.map((event, index) => ({ seq: seqs[index] ?? 0, event })));
  };
  return {
    topics,
    sent,
    happens,
    snapshotSeq: () => seqOf(String(topics.snapshot(userId, 'agents').cursor)),
  };
}

describe("a user's topics", () => {
  it('give no cursor before what lies behind it was published to their readers', async () => {
    const { topics, sent, happens, snapshotSeq } = await createTopics();
    await happens(moved);
    for (const topic of USER_TOPICS) topics.join(userId, topic, { comeBack: () => undefined });
    await happens(stopped, moved);
    expect(sent).toEqual([
      { event: 'agent.health', seq: 1 },
      { event: 'trading.stopped', seq: 2 },
      { event: 'agent.health', seq: 2 },
      { event: 'position.changed', seq: 3 },
    ]);
    expect(snapshotSeq()).toBe(3);
  });

  it('close the sockets of a fact that cannot be shown, so that nothing follows on it there', async () => {
    const { topics, sent, happens } = await createTopics();
    const closed: string[] = [];
    const join = (name: string, ...names: readonly UserTopic[]): void => {
      const reader: TopicReader = {
        comeBack() {
          closed.push(name);
          for (const topic of names) topics.leave(userId, topic, reader);
        },
      };
      for (const topic of names) topics.join(userId, topic, reader);
    };
    join('all', 'orders', 'positions');
    join('orders', 'orders');
    join('positions', 'positions');
    await happens(filled, moved);
    expect(closed).toEqual(['all', 'orders']);
    expect(sent).toEqual([{ event: 'position.changed', seq: 2 }]);
  });
});
