import { type BookChange, type BookSnapshot, foldBook, type LiveBook } from './book.ts';
import { useTopic, useTopicStore } from './live.ts';
import type { TopicShape, TopicStore, TopicView } from './topic-store.ts';

/** A price of an asset as it was last heard of. */
export interface LivePrice {
  readonly price: string;
  readonly source: string;
  readonly sourceAtMs: number;
}

/** What the outcomes of a market are worth; null where no price says it. */
export interface MarketPrice {
  readonly yes: string | null;
  readonly no: string | null;
}

// the shapes that src/http/live sends
const BOOK: TopicShape<LiveBook> = {
  toState: (snapshot) => snapshot as BookSnapshot,
  fold: (book, change) => foldBook(book, change as BookChange),
};
const MARKET_PRICE: TopicShape<MarketPrice> = {
  toState: (snapshot) => snapshot as MarketPrice,
  fold: (price, change) => ({ ...price, ...(change as Partial<MarketPrice>) }),
};
const PRICE: TopicShape<LivePrice> = {
  toState: (snapshot) => snapshot as LivePrice,
  fold: (price, change) => ({ ...price, ...(change as Partial<LivePrice>) }),
};

/** A book that parts of a page read; null reads none. `venue` and `id` are those of REST. */
export function useBookStore(venue: string, id: string | null): TopicStore<LiveBook> {
  return useTopicStore(id === null ? null : `orderbook:${venue}:${id}`, BOOK);
}

/** Reads a book; null reads none. `venue` and `id` are those of REST. */
export function useBook(venue: string, id: string | null): TopicView<LiveBook> {
  return useTopic(useBookStore(venue, id));
}

/** Reads the price of an asset; null reads none. */
export function usePrice(asset: string | null): TopicView<LivePrice> {
  return useTopic(useTopicStore(asset === null ? null : `prices:${asset}`, PRICE));
}

/** Reads what a market's outcomes are worth; null reads none. `venue` and `id` are as of a book. */
export function useMarketPrice(venue: string, id: string | null): TopicView<MarketPrice> {
  return useTopic(useTopicStore(id === null ? null : `prices:${venue}:${id}`, MARKET_PRICE));
}
