import { foldBook, type BookChange, type BookSnapshot, type LiveBook } from './book.ts';
import { useTopic, type TopicView } from './live.ts';

/** Reads a book; null reads none. `venue` and `id` are those of REST. */
export function useBook(venue: string, id: string | null): TopicView<LiveBook> {
  return useTopic(
    id === null ? null : `orderbook:${venue}:${id}`,
    // the shape that src/http/live/topic-hub.ts sends
    (snapshot) => snapshot as BookSnapshot,
    (book, change) => foldBook(book, change as BookChange),
  );
}

/** A price of an asset as it was last heard of. */
export interface LivePrice {
  readonly price: string;
  readonly source: string;
  readonly sourceAtMs: number;
}

/** Reads the price of an asset; null reads none. */
export function usePrice(asset: string | null): TopicView<LivePrice> {
  return useTopic(
    asset === null ? null : `prices:${asset}`,
    // the shape that src/http/live/topic-hub.ts sends
    (snapshot) => snapshot as LivePrice,
    (price, change) => ({ ...price, ...(change as Partial<LivePrice>) }),
  );
}

/** What the outcomes of a market are worth; null where nobody can say. */
export interface MarketPrice {
  readonly yes: string | null;
  readonly no: string | null;
}

/** Reads what a market's outcomes are worth; null reads none. `venue` and `id` are as of a book. */
export function useMarketPrice(venue: string, id: string | null): TopicView<MarketPrice> {
  return useTopic(
    id === null ? null : `prices:${venue}:${id}`,
    // the shape that src/http/live/topic-feed.ts sends
    (snapshot) => snapshot as MarketPrice,
    (price, change) => ({ ...price, ...(change as Partial<MarketPrice>) }),
  );
}
