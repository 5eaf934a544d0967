/** One level of a book as it is sent: decimal text. */
export interface Level {
  readonly price: string;
  readonly size: string;
}

/** What a book's snapshot carries. */
export interface BookSnapshot {
  readonly marketId: string;
  readonly venueAtMs: number | null;
  readonly distrust: string | null;
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

/**
 * What a book's change carries: the levels that changed with their new size, `"0"` takes one away.
 */
export type BookChange = Partial<BookSnapshot>;

/** A book as the page shows it, best first. */
export interface LiveBook extends BookSnapshot {}

/** Folds a change into a book. The caller made sure that no change between was missed. */
export function foldBook(book: LiveBook, change: BookChange): LiveBook {
  return {
    ...book,
    ...change,
    bids: foldLevels(book.bids, change.bids ?? [], (a, b) => Number(b) - Number(a)),
    asks: foldLevels(book.asks, change.asks ?? [], (a, b) => Number(a) - Number(b)),
  };
}

function foldLevels(
  levels: readonly Level[],
  changed: readonly Level[],
  order: (a: string, b: string) => number,
): readonly Level[] {
  if (changed.length === 0) return levels;
  const sizes = new Map(levels.map(({ price, size }) => [price, size]));
  for (const { price, size } of changed)
    if (Number(size) === 0) sizes.delete(price);
    else sizes.set(price, size);
  return [...sizes]
    .map(([price, size]) => ({ price, size }))
    .toSorted((a, b) => order(a.price, b.price));
}

/**
 * The other outcome's book: a bid for one is an offer of the other at one dollar less its price.
 */
export function mirrored(book: LiveBook): LiveBook {
  const flip = (levels: readonly Level[]): readonly Level[] =>
    levels.map(({ price, size }) => ({ price: complement(price), size }));
  return { ...book, bids: flip(book.asks), asks: flip(book.bids) };
}

/** The best level of each side alone. */
export function bestOf(book: LiveBook): LiveBook {
  return { ...book, bids: book.bids.slice(0, 1), asks: book.asks.slice(0, 1) };
}

/** True where two books have the same best prices, or both are not there. */
export function isSameBest(one: LiveBook | null, other: LiveBook | null): boolean {
  if (one === null || other === null) return one === other;
  return one.bids[0]?.price === other.bids[0]?.price && one.asks[0]?.price === other.asks[0]?.price;
}

/** One dollar less a price of up to four decimals, in integers. */
function complement(price: string): string {
  const ticks = 10_000 - Math.round(Number(price) * 10_000);
  return `0.${String(ticks).padStart(4, '0')}`.replace(/0+$/, '');
}
