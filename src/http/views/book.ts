import { z } from 'zod';
import type { BookView } from '../../domain/book.ts';
import { formatMicros, formatPrice } from '../../domain/units.ts';
import { priceOut, sharesOut, timeOut } from '../routes/fields.ts';

/** A book in answers. */
export const bookOut = z.object({
  tokenId: z.string(),
  marketId: z.string(),
  epoch: z.int(),
  seq: z.int(),
  ageMs: z.int(),
  trusted: z.boolean(),
  distrust: z.string().nullable().meta({ description: 'Why it is not trusted.' }),
  venueAtMs: timeOut,
  bids: z.array(z.object({ price: priceOut, size: sharesOut })).meta({ description: 'Best first.' }),
  asks: z.array(z.object({ price: priceOut, size: sharesOut })).meta({ description: 'Best first.' }),
}).meta({ id: 'OrderBook' });

/** Writes a book as callers see it. */
export function viewBook(book: BookView, nowMs: number): z.input<typeof bookOut> {
  const level = ({ price, size }: BookView['bids'][number]) => ({ price: formatPrice(price), size: formatMicros(size) });
  return {
    tokenId: book.tokenId,
    marketId: book.marketId,
    epoch: book.epoch,
    seq: book.seq,
    ageMs: Math.max(0, nowMs - book.receivedAtMs),
    trusted: book.distrust === null,
    distrust: book.distrust,
    venueAtMs: book.venueAtMs,
    bids: book.bids.map(level),
    asks: book.asks.map(level),
  };
}
