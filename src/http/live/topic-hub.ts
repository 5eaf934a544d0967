import { SURFACE } from '../../../config/limits.ts';
import type { BookView } from '../../domain/book.ts';
import { formatAssetPrice } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import { diffBook, wireLevels } from './book-diff.ts';
import type { Topic, TopicMessage } from './protocol.ts';
import type { LivePrice, LiveSources, LiveWatch } from './sources.ts';

/** Publishes one encoded message to all subscribers of a channel. */
export type Publish = (channel: string, bytes: Uint8Array) => void;

/** Books and prices, which all readers share: one watch upstream and one encoding a change, however many sockets. */
export interface TopicHub {
  /** Counts a reader in; the first one starts the watch. False when the topic may not be followed, or too many are. */
  join(topic: SharedTopic): boolean;
  /** Counts a reader out; the last one ends the watch. */
  leave(topic: SharedTopic): void;
  /** What a new reader is sent first; what is published later follows on its `seq`. */
  snapshot(topic: SharedTopic): TopicMessage;
  close(): void;
}

/** A topic whose content is the same for everybody. */
export type SharedTopic = Exclude<Topic, { kind: 'user' }>;

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

/** Makes the hub. Changes are gathered for SURFACE.socketFlushMs, so that one write to a socket carries all its topics. */
export function createTopicHub(deps: { readonly sources: LiveSources; readonly clock: Clock; readonly publish: Publish }): TopicHub {
  const { sources, clock, publish } = deps;
  const feeds = new Map<string, Feed>();
  const dirty = new Set<string>();
  let flushTimer: { cancel(): void } | null = null;

  function flush(): void {
    flushTimer = null;
    for (const name of dirty) {
      const message = feeds.get(name)?.next() ?? null;
      if (message !== null) publish(name, encode(message));
    }
    dirty.clear();
  }

  function touch(name: string): void {
    dirty.add(name);
    flushTimer ??= clock.after(SURFACE.socketFlushMs, flush);
  }

  return {
    join(topic) {
      const known = feeds.get(topic.name);
      if (known === undefined && feeds.size >= SURFACE.topicsMaximum) return false;
      const feed = known ?? openFeed(sources, topic, () => touch(topic.name));
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
      if (feed === undefined) return { topic: topic.name, kind: 'snapshot', epoch: 0, seq: 0, ageMs: null, trusted: false, data: null };
      // what waits goes out before, so that nothing published later is older than the snapshot
      if (dirty.delete(topic.name)) {
        const message = feed.next();
        if (message !== null) publish(topic.name, encode(message));
      }
      return feed.snapshot();
    },
    close() {
      flushTimer?.cancel();
      for (const feed of feeds.values()) feed.stop();
      feeds.clear();
    },
  };
}

function openFeed(sources: LiveSources, topic: SharedTopic, onChange: () => void): Feed | null {
  if (topic.kind === 'price') return { readers: 0, ...priceFeed(topic.name, sources, sources.watchPrice(topic.asset, onChange)) };
  const watch = sources.watchBook(topic.tokenId, onChange);
  return watch === null ? null : { readers: 0, ...bookFeed(topic.name, sources, watch) };
}

function bookFeed(topic: string, clock: Pick<LiveSources, 'nowMs'>, watch: LiveWatch<BookView>): Content {
  let shown: BookView | null = null;
  let seq = 0;
  const whole = (view: BookView | null): TopicMessage => ({
    topic, kind: 'snapshot', epoch: view?.epoch ?? 0, seq, ...stateOf(view, clock.nowMs()),
    data: view === null ? null : { marketId: view.marketId, venueAtMs: view.venueAtMs, distrust: view.distrust, bids: wireLevels(view.bids), asks: wireLevels(view.asks) },
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
      const data = { venueAtMs: view.venueAtMs, distrust: view.distrust, ...diffBook(before, view) };
      return { topic, kind: 'change', epoch: view.epoch, seq, ...stateOf(view, clock.nowMs()), data };
    },
    snapshot: () => whole(shown),
  };
}

function stateOf(view: BookView | null, nowMs: number): { readonly ageMs: number | null; readonly trusted: boolean } {
  return view === null ? { ageMs: null, trusted: false } : { ageMs: Math.max(0, nowMs - view.receivedAtMs), trusted: view.distrust === null };
}

function priceFeed(topic: string, clock: Pick<LiveSources, 'nowMs'>, watch: LiveWatch<LivePrice>): Content {
  let shown: LivePrice | null = null;
  let seq = 0;
  const message = (kind: TopicMessage['kind']): TopicMessage => ({
    topic, kind, epoch: 1, seq,
    ageMs: shown === null ? null : Math.max(0, clock.nowMs() - shown.receivedAtMs),
    trusted: shown !== null && shown.price !== null,
    data: shown === null ? null : { price: shown.price === null ? null : formatAssetPrice(shown.price), source: shown.source, sourceAtMs: shown.sourceAtMs },
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
