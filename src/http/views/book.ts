import { z } from 'zod';
import type { BookLevel, BookView } from '../../domain/book.ts';
import { formatMicros, formatPrice } from '../../domain/units.ts';
import { priceOut, sharesOut } from '../routes/fields.ts';
import { marketTimeOut } from '../wall-times.ts';

/** A level of a book in answers and in messages of sockets: price and size as decimal text. */
export interface LevelView {
  readonly price: string;
  readonly size: string;
}

const levelOut = z.object({ price: priceOut, size: sharesOut });

/** A book in answers. */
export const bookOut = z
  .object({
    tokenId: z.string(),
    marketId: z.string(),
    epoch: z.int(),
    seq: z.int(),
    ageMs: z.int(),
    trusted: z.boolean(),
    distrust: z.string().nullable().meta({ description: 'Why it is not trusted.' }),
    venueAtMs: marketTimeOut,
    bids: z.array(levelOut).meta({ description: 'Best first.' }),
    asks: z.array(levelOut).meta({ description: 'Best first.' }),
  })
  .meta({ id: 'OrderBook' });

/** Writes a book as callers see it. */
export function viewBook(book: BookView, nowMs: number): z.input<typeof bookOut> {
  return {
    tokenId: book.tokenId,
    marketId: book.marketId,
    epoch: book.epoch,
    seq: book.seq,
    ageMs: Math.max(0, nowMs - book.receivedAtMs),
    trusted: book.distrust === null,
    distrust: book.distrust,
    venueAtMs: book.venueAtMs,
    bids: book.bids.map(viewLevel),
    asks: book.asks.map(viewLevel),
  };
}

/** Writes a level as callers see it. */
export function viewLevel({ price, size }: BookLevel): LevelView {
  return { price: formatPrice(price), size: formatMicros(size) };
}
