import { SURFACE } from '../../../config/limits.ts';
import type { BookView } from '../../domain/book.ts';
import type { Topic } from './protocol.ts';
import type { LivePrice, LiveSources, LiveWatch } from './sources.ts';

/** A topic whose content is the same for everybody. */
export type SharedTopic = Exclude<Topic, { kind: 'user' }>;

/** Books and prices that are followed for somebody: one watch upstream, however many groups of readers. */
export interface FollowedTopics {
  /** Follows a book; `onChange` is called after each change. Null when it is none that may be followed, or too many topics are. */
  book(
    topic: Extract<SharedTopic, { kind: 'book' }>,
    onChange: () => void,
  ): LiveWatch<BookView> | null;
  /** Follows a price in the same way. */
  price(
    topic: Extract<SharedTopic, { kind: 'price' }>,
    onChange: () => void,
  ): LiveWatch<LivePrice> | null;
}

/** One watch upstream and whom it tells. */
interface Followed<T> {
  readonly listeners: Set<() => void>;
  readonly watch: LiveWatch<T>;
}

/** Makes the topics that are followed: SURFACE.topicsMaximum at once, books and prices together. */
export function createFollowedTopics(
  sources: Pick<LiveSources, 'watchBook' | 'watchPrice'>,
): FollowedTopics {
  const books = new Map<string, Followed<BookView>>();
  const prices = new Map<string, Followed<LivePrice>>();

  function follow<T>(
    all: Map<string, Followed<T>>,
    name: string,
    onChange: () => void,
    open: (tell: () => void) => LiveWatch<T> | null,
  ): LiveWatch<T> | null {
    const followed = all.get(name) ?? start(all, name, open);
    if (followed === null) return null;
    followed.listeners.add(onChange);
    if (followed.watch.current() !== null) onChange();
    return {
      current: () => followed.watch.current(),
      stop() {
        if (!followed.listeners.delete(onChange) || followed.listeners.size > 0) return;
        all.delete(name);
        followed.watch.stop();
      },
    };
  }

  function start<T>(
    all: Map<string, Followed<T>>,
    name: string,
    open: (tell: () => void) => LiveWatch<T> | null,
  ): Followed<T> | null {
    if (books.size + prices.size >= SURFACE.topicsMaximum) return null;
    const listeners = new Set<() => void>();
    const watch = open(() => {
      for (const listener of listeners) listener();
    });
    if (watch === null) return null;
    const followed = { listeners, watch };
    all.set(name, followed);
    return followed;
  }

  return {
    book: ({ name, tokenId }, onChange) =>
      follow(books, name, onChange, (tell) => sources.watchBook(tokenId, tell)),
    price: ({ name, asset }, onChange) =>
      follow(prices, name, onChange, (tell) => sources.watchPrice(asset, tell)),
  };
}
