import type { BookFold } from './book-fold.ts';

/**
 * Puts books in doubt whose frame could not be read, and tells of each: what they show may be gone
 * (L8). The next whole book ends it.
 */
export function doubtBooks(books: Iterable<BookFold>, tell: (book: BookFold) => void): void {
  for (const book of books) {
    book.doubt('gap');
    tell(book);
  }
}
