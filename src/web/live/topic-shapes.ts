import { type BookChange, type BookSnapshot, foldBook, type LiveBook } from './book.ts';
import type { TopicShape } from './topic-store.ts';

/** A price of an asset as it was last heard of; its `price` is null once it is too old. */
export interface LivePrice {
  readonly price: string | null;
  readonly source: string;
  readonly sourceAtMs: number;
}

/** What the outcomes of a market are worth; null where no price says it. */
export interface MarketPrice {
  readonly yes: string | null;
  readonly no: string | null;
}

// The shapes that src/http/live sends. Data is null where the daemon has none: a book that is there
// at last comes as a snapshot, a price as a change, each of which carries all of it.

/** A book. */
export const BOOK: TopicShape<LiveBook> = {
  toState: (snapshot) => snapshot as BookSnapshot | null,
  fold: (book, change) => (book === null ? null : foldBook(book, change as BookChange)),
};

/** What a market's outcomes are worth. */
export const MARKET_PRICE: TopicShape<MarketPrice> = {
  toState: (snapshot) => snapshot as MarketPrice | null,
  fold: (before, price) => (price as MarketPrice | null) ?? before,
};

/** The price of an asset. */
export const PRICE: TopicShape<LivePrice> = {
  toState: (snapshot) => snapshot as LivePrice | null,
  fold: (before, price) => (price as LivePrice | null) ?? before,
};
