import { HEALTH } from '../../../config/limits/risk.ts';
import type { JournalEntry } from '../../domain/events.ts';
import { AGENT_IDS, asId, type UserId } from '../../domain/ids.ts';
import { EVERYBODY, readerOf, topicOf, type UserTopic } from '../../domain/user-topic.ts';
import type { Clock } from '../../ports/clock.ts';
import type { HealthChange } from '../../services/agents/health.ts';
import type { MissedEvent, MissedEvents } from '../../services/missed-events.ts';
import type { StreamPlace, TopicMessage } from './protocol.ts';
import { encode, notRead, type Publish } from './topic-hub.ts';
import type { LiveSources } from './sources.ts';
import {
  snapshotOf,
  tell,
  viewsIn,
  type TopicEvent,
  type UserTopicServices,
} from './user-views.ts';

/** Topics of one user: facts as they become durable. */
export interface UserTopics {
  /** Counts a reader in and gives the internal channel to subscribe to. */
  join(userId: UserId, topic: UserTopic, reader: TopicReader): string;
  /** Counts a reader out and gives the channel to leave. */
  leave(userId: UserId, topic: UserTopic, reader: TopicReader): string;
  snapshot(userId: UserId, topic: UserTopic): TopicMessage;
  /** Returns the place of a topic that is read: what is published next follows on its `seq`. */
  place(userId: UserId, topic: UserTopic): StreamPlace;
  /** Returns a fact as a message to one reader who missed it, under a number of their own. */
  again(event: MissedEvent, place: StreamPlace): TopicMessage;
  /**
   * Returns how a user's enabled agents are, which no fact says, as messages that follow `place`.
   */
  healthNow(userId: UserId, place: StreamPlace): readonly TopicMessage[];
  close(): void;
}

/** A socket that reads topics. */
export interface TopicReader {
  /** Closes it: it is to come back for what it could not be sent. */
  comeBack(): void;
}

interface Channel {
  /** From the first reader to the last: what no reader received is not numbered. */
  readonly epoch: number;
  readonly readers: Set<TopicReader>;
  seq: number;
}

/** Makes the topics. */
export function createUserTopics(deps: {
  readonly services: UserTopicServices;
  readonly events: Pick<MissedEvents, 'newest' | 'cursorOf'>;
  readonly sources: LiveSources;
  readonly clock: Clock;
  readonly publish: Publish;
}): UserTopics {
  const { services, events, clock, publish } = deps;
  const channels = new Map<string, Channel>();
  const views = viewsIn(deps.sources.marketTime);
  const { newEpoch } = deps.sources.numbers;

  const ageOf = (atMs: number): number => Math.max(0, deps.sources.nowMs() - atMs);

  /**
   * The place behind all facts that were published here. Others learn of a fact before or after:
   * what is sent in between must not say that its readers have it.
   */
  let published = events.newest();

  const stop = deps.sources.bus.subscribe((entry) => {
    try {
      publishFact(entry);
    } finally {
      published = events.cursorOf(entry.seq);
    }
  });

  /** Nothing follows on a fact that cannot be shown: its readers come back for it. */
  function publishFact({ seq, event }: JournalEntry): void {
    const topic = topicOf(event);
    const reader = readerOf(event);
    if (topic === null || reader === null) return;
    const names = reader === EVERYBODY ? channelsOf(channels, topic) : [channelOf(reader, topic)];
    try {
      for (const name of names) {
        const data = channels.has(name) ? tell(services, event, views) : null;
        if (data !== null)
          publishTo(name, topic, { data, ageMs: ageOf(event.atMs), cursor: events.cursorOf(seq) });
      }
    } catch (cause) {
      // each leaves the channel as it closes
      for (const name of names) channels.get(name)?.readers.forEach((each) => each.comeBack());
      throw cause;
    }
  }

  /**
   * Health is no fact of the journal: it is published to its readers, and found again at once after
   * a restart.
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
          publishTo(name, 'agents', {
            data: { event: 'agent.health', agent: views.agent(agent) },
            ageMs: 0,
            cursor: published,
          });
      }
    }
    const left = names.slice(HEALTH.sentPerTurn);
    if (left.length > 0) clock.after(0, () => tellHealth(change, left));
  }

  function publishTo(name: string, topic: UserTopic, change: TopicChange): void {
    const channel = channels.get(name);
    if (channel === undefined) return;
    channel.seq += 1;
    const { epoch, seq } = channel;
    publish(name, encode({ topic, kind: 'change', epoch, seq, trusted: true, ...change }));
  }

  return {
    join(userId, topic, reader) {
      const name = channelOf(userId, topic);
      const channel = channels.get(name) ?? { epoch: newEpoch(), readers: new Set(), seq: 0 };
      channel.readers.add(reader);
      channels.set(name, channel);
      return name;
    },
    leave(userId, topic, reader) {
      const name = channelOf(userId, topic);
      const channel = channels.get(name);
      channel?.readers.delete(reader);
      if (channel?.readers.size === 0) channels.delete(name);
      return name;
    },
    snapshot(userId, topic) {
      const { epoch, seq } = channels.get(channelOf(userId, topic)) ?? notRead(topic);
      const data = snapshotOf(services, { userId, topic }, views);
      const cursor = published;
      return { topic, kind: 'snapshot', epoch, seq, ageMs: 0, trusted: true, cursor, data };
    },
    place(userId, topic) {
      const { epoch, seq } = channels.get(channelOf(userId, topic)) ?? notRead(topic);
      return { epoch, seq };
    },
    again: ({ seq, event, topic }, place) => ({
      topic,
      kind: 'change',
      ...place,
      ageMs: ageOf(event.atMs),
      trusted: true,
      again: true,
      cursor: events.cursorOf(seq),
      data: tell(services, event, views),
    }),
    healthNow: (userId, { epoch, seq }) =>
      services.agents
        .list(userId)
        .filter(({ enabled }) => enabled)
        .map((agent, index) => ({
          topic: 'agents',
          kind: 'change',
          epoch,
          seq: seq + index,
          ageMs: 0,
          trusted: true,
          again: true,
          cursor: published,
          data: { event: 'agent.health', agent: views.agent(agent) },
        })),
    close() {
      stop();
      stopHealth();
    },
  };
}

/** What a change says, how old it is, and the place in the journal behind it. */
interface TopicChange {
  readonly data: TopicEvent;
  readonly ageMs: number;
  readonly cursor: string;
}

/** Internal channel of a user's topic; clients cannot name it, since their topics hold no blank. */
function channelOf(userId: UserId, topic: UserTopic): string {
  return `${topic} ${userId}`;
}

/**
 * Channels of everybody who reads the topic: what concerns the whole service is published to all of
 * them.
 */
function channelsOf(channels: ReadonlyMap<string, Channel>, topic: UserTopic): readonly string[] {
  return [...channels.keys()].filter((name) => name.startsWith(`${topic} `));
}
