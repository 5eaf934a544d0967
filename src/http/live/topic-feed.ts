import type { BookView } from '../../domain/book.ts';
import type { MarketEnd } from '../../domain/market.ts';
import { CERTAIN_E5 } from '../../domain/market-listing.ts';
import { formatAssetPrice } from '../../domain/units.ts';
import { viewChance } from '../views/market.ts';
import { bookAgeMs, bookVenueAtMs, viewLevel } from '../views/book.ts';
import { diffBook } from './book-diff.ts';
import type { Topic, TopicMessage } from './protocol.ts';
import type { LiveMarketPrice, LivePrice, LiveSources, LiveWatch } from './sources.ts';
import type { NewEpoch, Numbered } from './stream-numbers.ts';

/** A topic whose content is the same for everybody. */
export type SharedTopic = Exclude<Topic, { kind: 'user' }>;

/**
 * One book or price as its readers are shown it: a watch upstream and one numbered sequence of
 * messages.
 */
export interface TopicFeed {
  /**
   * Returns the message of what changed since the last one; null when nothing did. One of the kind
   * `ended` is the last.
   */
  next(): TopicMessage | null;
  /** Returns the state the last message led to. */
  snapshot(): TopicMessage;
  /** Returns the state before the last message: for those who are yet to hear it. */
  snapshotBefore(): TopicMessage;
  stop(): void;
}

/** What feeds are made from. */
export type FeedSources = Pick<
  LiveSources,
  'watchBook' | 'watchMarketPrice' | 'watchPrice' | 'nowMs' | 'marketTime' | 'numbers'
>;

/**
 * Opens the feed of a topic; `onChange` is called after each change upstream, and before this
 * returns where a state is there already. Null when it is a book that may not be followed.
 */
export function openFeed(
  sources: FeedSources,
  topic: SharedTopic,
  onChange: () => void,
): TopicFeed | null {
  const { name } = topic;
  const { numbers } = sources;
  if (topic.kind === 'price')
    return feedOf(sources.watchPrice(topic.asset, onChange), {
      newEpoch: numbers.newEpoch,
      isAnew: () => false,
      messageOf: (shown) => priceMessage(name, sources, shown),
    });
  if (topic.kind === 'market_price') {
    const price = sources.watchMarketPrice(topic.bookId, topic.venue, onChange);
    return (
      price &&
      feedOf(price, {
        newEpoch: numbers.newEpoch,
        isAnew: () => false,
        messageOf: (shown) => marketPriceMessage(name, sources, shown),
      })
    );
  }
  const watch = sources.watchBook(topic.bookId, topic.venue, onChange);
  if (watch === null) return null;
  const feed = feedOf(watch, {
    newEpoch: numbers.newEpoch,
    isAnew: (before, view) => before.epoch !== view.epoch,
    messageOf: (shown) => bookMessage(name, sources, shown),
    onShown: (shown) => numbers.show(shown, name),
  });
  return {
    ...feed,
    stop() {
      numbers.hide(name);
      feed.stop();
    },
  };
}

/** A state to be shown; `before` is what a change follows, and is missing in a snapshot. */
interface Shown<T> extends Numbered<T> {
  readonly before?: T | null;
}

interface FeedParts<T> {
  readonly newEpoch: NewEpoch;
  /** Reports whether a state is no change of the one before it: an epoch of its own begins. */
  readonly isAnew: (before: T, state: T) => boolean;
  readonly messageOf: (shown: Shown<T>) => TopicMessage;
  readonly onShown?: (shown: Numbered<T>) => void;
}

/** Numbers what a watch shows, in an epoch of this feed's own: 0 means nothing yet. */
function feedOf<T>(
  watch: LiveWatch<T>,
  { newEpoch, isAnew, messageOf, onShown }: FeedParts<T>,
): TopicFeed {
  let shown: Numbered<T> = { epoch: newEpoch(), seq: 0, state: null };
  let before = shown;
  let isOver = false;

  function last(end: MarketEnd): TopicMessage {
    isOver = true;
    before = shown;
    shown = { epoch: before.epoch, seq: before.seq + 1, state: null };
    onShown?.(shown);
    return { ...messageOf(shown), kind: 'ended', data: { reason: end } };
  }

  return {
    next() {
      const end = watch.end?.() ?? null;
      if (end !== null) return isOver ? null : last(end);
      const state = watch.current();
      if (state === shown.state) return null;
      before = shown;
      const isNew = state !== null && before.state !== null && isAnew(before.state, state);
      shown = isNew
        ? { epoch: newEpoch(), seq: 1, state }
        : { epoch: before.epoch, seq: before.seq + 1, state };
      onShown?.(shown);
      return messageOf({ ...shown, before: isNew ? null : before.state });
    },
    snapshot: () => messageOf(shown),
    snapshotBefore: () => messageOf(before),
    stop: () => watch.stop(),
  };
}

function bookMessage(
  topic: string,
  { nowMs, marketTime }: FeedSources,
  { epoch, seq, state: view, before }: Shown<BookView>,
): TopicMessage {
  if (view === null)
    return { topic, kind: 'snapshot', epoch, seq, ageMs: null, trusted: false, data: null };
  const { distrust } = view;
  const isWhole = before === undefined || before === null;
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

function marketPriceMessage(
  topic: string,
  { nowMs, marketTime }: FeedSources,
  { epoch, seq, state, before }: Shown<LiveMarketPrice>,
): TopicMessage {
  const kind = before === undefined ? 'snapshot' : 'change';
  if (state === null) return { topic, kind, epoch, seq, ageMs: null, trusted: false, data: null };
  const { marketId, yesE5, distrust } = state;
  const atMs = bookVenueAtMs(state);
  return {
    topic,
    kind,
    epoch,
    seq,
    ageMs: bookAgeMs(state, nowMs()),
    trusted: distrust === null,
    data: {
      marketId,
      yes: yesE5 === null ? null : viewChance(yesE5),
      no: yesE5 === null ? null : viewChance(CERTAIN_E5 - yesE5),
      venueAtMs: atMs === null ? null : marketTime.toWallMs(atMs),
      distrust,
    },
  };
}

function priceMessage(
  topic: string,
  { nowMs, marketTime }: FeedSources,
  { epoch, seq, state, before }: Shown<LivePrice>,
): TopicMessage {
  return {
    topic,
    kind: before === undefined ? 'snapshot' : 'change',
    epoch,
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
