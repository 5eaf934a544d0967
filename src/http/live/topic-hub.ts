import { API } from '../../../config/limits/api.ts';
import type { Clock } from '../../ports/clock.ts';
import type { TopicMessage } from './protocol.ts';
import { createPublishScheduler } from './publish-scheduler.ts';
import { openFeed, type FeedSources, type SharedTopic, type TopicFeed } from './topic-feed.ts';

/** Publishes one encoded message to all subscribers of a channel. */
export type Publish = (channel: string, bytes: Uint8Array) => void;

/**
 * Books and prices, which all readers share: one watch, one sequence and one encoding a change,
 * however many sockets.
 */
export interface TopicHub {
  /**
   * Places a new socket in the first shard that has a free place; `ended` is called with the last
   * message of a topic it reads, which it sends and leaves.
   */
  subscriber(ended?: TopicEnded): Subscriber;
  close(): void;
}

/** Takes the name and the last message of a topic. */
type TopicEnded = (name: string, bytes: Uint8Array) => void;

/**
 * One socket in its shard, with which it is written to. Clients cannot name a channel, since their
 * topics hold no blank.
 */
export interface Subscriber {
  /**
   * Counts the socket in as a reader and returns its channel; null when the topic may not be
   * followed, or too many are.
   */
  join(topic: SharedTopic): string | null;
  /** Counts the socket out and returns the channel to leave; the last reader ends the watch. */
  leave(topic: SharedTopic): string;
  /**
   * Returns what a reader, already counted in, is sent first; what is published later follows on
   * its `seq`. Where the topic has just ended, that is its last message, and the socket leaves.
   */
  snapshot(topic: SharedTopic): TopicMessage;
  /** Gives the place back, once. */
  close(): void;
}

/** Sockets that are written to in one turn of the event loop, at most API.socketsPerShard. */
interface Shard {
  readonly number: number;
  sockets: number;
  /** Hear of topics that end. */
  readonly members: Set<TopicEnded>;
  /** How many of its sockets read a topic, by its name. */
  readonly readers: Map<string, number>;
}

interface Followed {
  readonly feed: TopicFeed;
  readers: number;
}

/** Encodes a message once for all its readers. */
export function encode(message: TopicMessage): Uint8Array {
  return Buffer.from(JSON.stringify(message));
}

/**
 * Creates the hub. What changed is encoded when a round begins and then published to one shard
 * after another (`publish-scheduler.ts`), so that one write to a socket carries all its topics.
 * What changes meanwhile is for the next round, and of a busy topic only the newest.
 */
export function createTopicHub(deps: {
  readonly sources: FeedSources;
  readonly clock: Clock;
  readonly publish: Publish;
}): TopicHub {
  const { sources, clock, publish } = deps;
  const shards: Shard[] = [];
  const followed = new Map<string, Followed>();
  const changed = new Set<string>();
  /** Messages of the running round, by topic, and the shards that have yet to hear them. */
  const messages = new Map<string, Uint8Array>();
  const waiting = new Set<Shard>();
  /** Topics of the running round that end with their message. */
  const over = new Set<string>();
  const scheduler = createPublishScheduler(clock, {
    cost: () => shards.reduce((sum, shard) => sum + socketsToWrite(shard, changed), 0),
    run: publishRound,
  });

  function* publishRound(): Generator<number, void> {
    messages.clear();
    over.clear();
    for (const name of changed) {
      const message = followed.get(name)?.feed.next() ?? null;
      if (message === null) continue;
      messages.set(name, encode(message));
      if (message.kind === 'ended') over.add(name);
    }
    changed.clear();
    for (const shard of shards) if (socketsToWrite(shard, messages.keys()) > 0) waiting.add(shard);
    for (const shard of waiting) {
      waiting.delete(shard);
      const written = socketsToWrite(shard, messages.keys());
      for (const [name, bytes] of messages) {
        if (!shard.readers.has(name)) continue;
        if (over.has(name)) for (const ended of shard.members) ended(name, bytes);
        else publish(channelOf(shard, name), bytes);
      }
      yield written;
    }
  }

  function follow(topic: SharedTopic): Followed | null {
    if (followed.size >= API.topicsMaximum) return null;
    const feed = openFeed(sources, topic, () => {
      changed.add(topic.name);
      scheduler.request();
    });
    return feed && { feed, readers: 0 };
  }

  function join(shard: Shard, topic: SharedTopic): string | null {
    const { name } = topic;
    const reading = followed.get(name) ?? follow(topic);
    if (reading === null) return null;
    followed.set(name, reading);
    reading.readers += 1;
    shard.readers.set(name, (shard.readers.get(name) ?? 0) + 1);
    return channelOf(shard, name);
  }

  function leave(shard: Shard, { name }: SharedTopic): string {
    const inShard = (shard.readers.get(name) ?? 0) - 1;
    if (inShard > 0) shard.readers.set(name, inShard);
    else shard.readers.delete(name);
    const reading = followed.get(name);
    if (reading !== undefined && --reading.readers === 0) {
      followed.delete(name);
      changed.delete(name);
      messages.delete(name);
      reading.feed.stop();
    }
    return channelOf(shard, name);
  }

  function snapshot(shard: Shard, { name }: SharedTopic): TopicMessage {
    const { feed, readers } = followed.get(name) ?? notRead(name);
    // who reads alone is shown the newest; beside others it is what its shard heard last, and the
    // next message follows for all
    if (readers === 1) {
      messages.delete(name);
      const newest = feed.next();
      if (newest?.kind === 'ended') return newest;
    }
    return waiting.has(shard) && messages.has(name) ? feed.snapshotBefore() : feed.snapshot();
  }

  return {
    subscriber(ended = () => undefined) {
      const shard = shards.find(({ sockets }) => sockets < API.socketsPerShard) ?? open(shards);
      shard.sockets += 1;
      shard.members.add(ended);
      return {
        join: (topic) => join(shard, topic),
        leave: (topic) => leave(shard, topic),
        snapshot: (topic) => snapshot(shard, topic),
        close() {
          shard.sockets -= 1;
          shard.members.delete(ended);
        },
      };
    },
    close() {
      scheduler.close();
      for (const { feed } of followed.values()) feed.stop();
      followed.clear();
    },
  };
}

/** Throws: a socket is shown only what it was counted in for. */
export function notRead(name: string): never {
  throw new Error(`${name} is shown to a socket that does not read it`);
}

function open(shards: Shard[]): Shard {
  const shard: Shard = {
    number: shards.length + 1,
    sockets: 0,
    members: new Set(),
    readers: new Map(),
  };
  shards.push(shard);
  return shard;
}

function channelOf({ number }: Shard, topic: string): string {
  return `${topic} ${number}`;
}

/**
 * Returns how many sockets of a shard read one of the topics, as far as that is known: a socket of
 * several counts for each.
 */
function socketsToWrite({ readers, sockets }: Shard, topics: Iterable<string>): number {
  let written = 0;
  for (const name of topics) written += readers.get(name) ?? 0;
  return Math.min(written, sockets);
}
