import type { LiveBook } from './book.ts';
import { useTopic, useTopicStore } from './live.ts';
import { BOOK, type LivePrice, MARKET_PRICE, type MarketPrice, PRICE } from './topic-shapes.ts';
import type { TopicStore, TopicView } from './topic-store.ts';

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
