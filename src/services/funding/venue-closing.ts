import type { OwnerClosings } from './transaction-closing.ts';
import { doneByItsBlock } from './transaction-end.ts';

/**
 * Creates what the transactions of venues mean for the books: nothing. The fills of an order that
 * is a transaction are booked by the order path alone, and a right moves no money.
 */
export function createVenueClosings(): OwnerClosings<'venue'> {
  return { venue_call: { verdict: doneByItsBlock, close: () => undefined } };
}
