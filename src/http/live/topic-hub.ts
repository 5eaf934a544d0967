import { SURFACE } from '../../../config/limits.ts';
import type { BookView } from '../../domain/book.ts';
import { formatAssetPrice } from '../../domain/units.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import { bookAgeMs, bookVenueAtMs, viewLevel } from '../views/book.ts';
import { diffBook } from './book-diff.ts';
import type { FollowedTopics, SharedTopic } from './followed-topics.ts';
import type { TopicMessage } from './protocol.ts';
import type { LivePrice, LiveWatch } from './sources.ts';
import type { WriteTurns } from './write-turns.ts';

/** Publishes one encoded message to all subscribers of a channel. */
export type Publish = (channel: string, bytes: Uint8Array) => void;

/** Books and prices, which all readers of a group share: one encoding a change, however many sockets. */
export interface TopicHub {
  /** Counts a reader in; the first one starts the watch. False when the topic may not be followed, or too many are. */
  join(topic: SharedTopic): boolean;
  /** Counts a reader out; the last one ends the watch. */
  leave(topic: SharedTopic): void;
  /** What a new reader, already counted in, is sent first; what is published later follows on its `seq`. */
  snapshot(topic: SharedTopic): TopicMessage;
  close(): void;
}

/** What a hub needs. */
export interface TopicHubDeps {
  readonly followed: FollowedTopics;
  readonly clock: Clock;
  /** Tells when this group may be written to. */
  readonly turns: WriteTurns;
  /** Publishes under the name of the topic. */
  readonly publish: Publish;
  /** Now on the clock by which books and prices are stamped. */
  readonly nowMs: () => number;
  /** The wall time of a moment on that clock. */
  readonly toWallMs: (atMs: number) => number;
}

interface Content {
  /** Makes the message of what changed since the last one; null when nothing did. */
  next(): TopicMessage | null;
  snapshot(): TopicMessage;
  stop(): void;
}

interface Feed extends Content {
  readers: number;
}

/** Encodes a message once for all its readers. */
export function encode(message: TopicMessage): Uint8Array {
  return Buffer.from(JSON.stringify(message));
}

/**
 * Makes the hub of one group of readers. What changes is gathered, so that one write to a socket carries all its topics: for
 * SURFACE.socketGatherMs where the last write lies back, until SURFACE.socketFlushMs after it, and until its turn comes where readers are many.
 */
export function createTopicHub(deps: TopicHubDeps): TopicHub {
  const { clock, publish, turns } = deps;
  const feeds = new Map<string, Feed>();
  const dirty = new Set<string>();
  let gathering: Timer | null = null;
  let flushedAtMs = Number.NEGATIVE_INFINITY;

  function flush(): number {
    gathering = null;
    flushedAtMs = clock.nowMs();
    let writes = 0;
    for (const name of dirty) {
      const feed = feeds.get(name);
      const message = feed?.next() ?? null;
      if (feed === undefined || message === null) continue;
      publish(name, encode(message));
      writes += feed.readers;
    }
    dirty.clear();
    return Math.min(writes, SURFACE.socketsPerGroup);
  }

  function touch(name: string): void {
    dirty.add(name);
    gathering ??= clock.after(
      Math.max(SURFACE.socketGatherMs, flushedAtMs + SURFACE.socketFlushMs - clock.nowMs()),
      () => turns.take(flush),
    );
  }

  return {
    join(topic) {
      const feed = feeds.get(topic.name) ?? openFeed(deps, topic, () => touch(topic.name));
      if (feed === null) return false;
      feed.readers += 1;
      feeds.set(topic.name, feed);
      return true;
    },
    leave(topic) {
      const feed = feeds.get(topic.name);
      if (feed === undefined) return;
      feed.readers -= 1;
      if (feed.readers > 0) return;
      feeds.delete(topic.name);
      dirty.delete(topic.name);
      feed.stop();
    },
    snapshot(topic) {
      const feed = feeds.get(topic.name);
      if (feed === undefined)
        return {
          topic: topic.name,
          kind: 'snapshot',
          epoch: 0,
          seq: 0,
          ageMs: null,
          trusted: false,
          data: null,
        };
      // who reads alone is shown the newest; beside others it is what they were told last, and the next change follows for all
      if (feed.readers === 1) feed.next();
      return feed.snapshot();
    },
    close() {
      gathering?.cancel();
      for (const feed of feeds.values()) feed.stop();
      feeds.clear();
    },
  };
}

function openFeed(
  { followed, ...times }: Pick<TopicHubDeps, 'followed' | 'nowMs' | 'toWallMs'>,
  topic: SharedTopic,
  onChange: () => void,
): Feed | null {
  if (topic.kind === 'price') {
    const watch = followed.price(topic, onChange);
    return watch === null ? null : { readers: 0, ...priceFeed(topic.name, times, watch) };
  }
  const watch = followed.book(topic, onChange);
  return watch === null ? null : { readers: 0, ...bookFeed(topic.name, times, watch) };
}

/** How moments are reckoned. */
type Times = Pick<TopicHubDeps, 'nowMs' | 'toWallMs'>;

function bookFeed(topic: string, times: Times, watch: LiveWatch<BookView>): Content {
  let shown: BookView | null = null;
  let seq = 0;
  const whole = (view: BookView | null): TopicMessage => ({
    topic,
    kind: 'snapshot',
    epoch: view?.epoch ?? 0,
    seq,
    ...stateOf(view, times.nowMs()),
    data:
      view === null
        ? null
        : {
            marketId: view.marketId,
            venueAtMs: wallTimeOf(view, times),
            distrust: view.distrust,
            bids: view.bids.map(viewLevel),
            asks: view.asks.map(viewLevel),
          },
  });
  return {
    stop: () => watch.stop(),
    next() {
      const before = shown;
      const view = watch.current();
      if (view === null || view === before) return null;
      shown = view;
      seq += 1;
      if (before === null || before.epoch !== view.epoch) return whole(view);
      const data = {
        venueAtMs: wallTimeOf(view, times),
        distrust: view.distrust,
        ...diffBook(before, view),
      };
      return {
        topic,
        kind: 'change',
        epoch: view.epoch,
        seq,
        ...stateOf(view, times.nowMs()),
        data,
      };
    },
    snapshot: () => whole(shown),
  };
}

function wallTimeOf(view: BookView, { toWallMs }: Times): number | null {
  const venueAtMs = bookVenueAtMs(view);
  return venueAtMs === null ? null : toWallMs(venueAtMs);
}

function stateOf(
  view: BookView | null,
  nowMs: number,
): { readonly ageMs: number | null; readonly trusted: boolean } {
  return view === null
    ? { ageMs: null, trusted: false }
    : { ageMs: bookAgeMs(view, nowMs), trusted: view.distrust === null };
}

function priceFeed(topic: string, times: Times, watch: LiveWatch<LivePrice>): Content {
  let shown: LivePrice | null = null;
  let seq = 0;
  const message = (kind: TopicMessage['kind']): TopicMessage => ({
    topic,
    kind,
    epoch: 1,
    seq,
    ageMs: shown === null ? null : Math.max(0, times.nowMs() - shown.receivedAtMs),
    trusted: shown !== null && shown.price !== null,
    data:
      shown === null
        ? null
        : {
            price: shown.price === null ? null : formatAssetPrice(shown.price),
            source: shown.source,
            sourceAtMs: times.toWallMs(shown.sourceAtMs),
          },
  });
  return {
    stop: () => watch.stop(),
    next() {
      const price = watch.current();
      if (price === null || price === shown) return null;
      shown = price;
      seq += 1;
      return message('change');
    },
    snapshot: () => message('snapshot'),
  };
}
