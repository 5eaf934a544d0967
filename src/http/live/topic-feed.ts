import type { BookView } from '../../domain/book.ts';
import { formatAssetPrice } from '../../domain/units.ts';
import { bookAgeMs, bookVenueAtMs, viewLevel } from '../views/book.ts';
import { diffBook } from './book-diff.ts';
import type { Topic, TopicMessage } from './protocol.ts';
import type { LivePrice, LiveSources, LiveWatch } from './sources.ts';

/** A topic whose content is the same for everybody. */
export type SharedTopic = Exclude<Topic, { kind: 'user' }>;

/**
 * One book or price as its readers are shown it: a watch upstream and one numbered sequence of
 * messages.
 */
export interface TopicFeed {
  /** Returns the message of what changed since the last one; null when nothing did. */
  next(): TopicMessage | null;
  /** Returns the state the last message led to. */
  snapshot(): TopicMessage;
  /** Returns the state before the last message: for those who are yet to hear it. */
  snapshotBefore(): TopicMessage;
  stop(): void;
}

/** What feeds are made from. */
export type FeedSources = Pick<LiveSources, 'watchBook' | 'watchPrice' | 'nowMs' | 'marketTime'>;

/**
 * Opens the feed of a topic; `onChange` is called after each change upstream, and before this
 * returns where a state is there already. Null when it is a book that may not be followed.
 */
export function openFeed(
  sources: FeedSources,
  topic: SharedTopic,
  onChange: () => void,
): TopicFeed | null {
  if (topic.kind === 'price')
    return feedOf(sources.watchPrice(topic.asset, onChange), (shown) =>
      priceMessage(topic.name, sources, shown),
    );
  const watch = sources.watchBook(topic.bookId, topic.venue, onChange);
  return watch && feedOf(watch, (shown) => bookMessage(topic.name, sources, shown));
}

/**
 * A state to be shown, with its number; `before` is what a change follows, and is missing in a
 * snapshot.
 */
interface Shown<T> {
  readonly seq: number;
  readonly state: T | null;
  readonly before?: T | null;
}

function feedOf<T>(watch: LiveWatch<T>, messageOf: (shown: Shown<T>) => TopicMessage): TopicFeed {
  let seq = 0;
  let state: T | null = null;
  let before: T | null = null;
  return {
    next() {
      const newest = watch.current();
      if (newest === null || newest === state) return null;
      [before, state] = [state, newest];
      seq += 1;
      return messageOf({ seq, state, before });
    },
    snapshot: () => messageOf({ seq, state }),
    snapshotBefore: () => messageOf({ seq: seq - 1, state: before }),
    stop: () => watch.stop(),
  };
}

function bookMessage(
  topic: string,
  { nowMs, marketTime }: FeedSources,
  { seq, state: view, before }: Shown<BookView>,
): TopicMessage {
  if (view === null)
    return { topic, kind: 'snapshot', epoch: 0, seq, ageMs: null, trusted: false, data: null };
  const { epoch, distrust } = view;
  const isWhole = before?.epoch !== epoch;
  const atMs = bookVenueAtMs(view);
  const venueAtMs = atMs === null ? null : marketTime.toWallMs(atMs);
  return {
    topic,
    kind: isWhole ? 'snapshot' : 'change',
    epoch,
    seq,
    ageMs: bookAgeMs(view, nowMs()),
    trusted: distrust === null,
    data: isWhole
      ? {
          marketId: view.marketId,
          venueAtMs,
          distrust,
          bids: view.bids.map(viewLevel),
          asks: view.asks.map(viewLevel),
        }
      : { venueAtMs, distrust, ...diffBook(before, view) },
  };
}

function priceMessage(
  topic: string,
  { nowMs, marketTime }: FeedSources,
  { seq, state, before }: Shown<LivePrice>,
): TopicMessage {
  return {
    topic,
    kind: before === undefined ? 'snapshot' : 'change',
    epoch: 1,
    seq,
    ageMs: state === null ? null : Math.max(0, nowMs() - state.receivedAtMs),
    trusted: state !== null && state.price !== null,
    data:
      state === null
        ? null
        : {
            price: state.price === null ? null : formatAssetPrice(state.price),
            source: state.source,
            sourceAtMs: marketTime.toWallMs(state.sourceAtMs),
          },
  };
}
