import type { Market } from '../../api/venues.ts';
import { bestOf, type LiveBook, mirrored } from '../../live/book.ts';

/** Best prices of an outcome; null where a side is empty or nothing is known. */
interface Quote {
  readonly bid: string | null;
  readonly ask: string | null;
}

/** Best prices of both outcomes. */
export type Quotes = Readonly<Record<'yes' | 'no', Quote>>;

/**
 * Returns what the buttons of the outcomes show: the best prices of their live books, so that they
 * agree with the ladder beside them, and the listing's only until a book has come. Of a venue where
 * one book serves both (`isMirrored`), `no` mirrors `yes`.
 */
export function outcomeQuotes(
  market: Pick<Market, 'outcomes'>,
  books: Readonly<Record<'yes' | 'no', LiveBook | null>>,
  isMirrored: boolean,
): Quotes {
  const { yes } = books;
  const no = isMirrored ? yes && mirrored(bestOf(yes)) : books.no;
  return { yes: quoteOf(market, 'yes', yes), no: quoteOf(market, 'no', no) };
}

function quoteOf(
  { outcomes }: Pick<Market, 'outcomes'>,
  side: 'yes' | 'no',
  book: LiveBook | null,
): Quote {
  if (book !== null) return { bid: book.bids[0]?.price ?? null, ask: book.asks[0]?.price ?? null };
  const listed = outcomes.find((outcome) => outcome.side === side)?.quote ?? null;
  return { bid: listed?.bid ?? null, ask: listed?.ask ?? null };
}
