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
    epoch: z.int().meta({
      description:
        'The stream of messages this state belongs to: that of the topic while a socket reads it and it is trusted, else one of its own. Never used again.',
    }),
    seq: z.int().meta({
      description:
        'The number of the message of that stream which led to this state: later changes go on from it.',
    }),
    ageMs: z.int().nullable().meta({ description: 'Null where no book has come yet.' }),
    trusted: z.boolean(),
    distrust: z.string().nullable().meta({ description: 'Why it is not trusted.' }),
    venueAtMs: marketTimeOut.nullable(),
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
    ageMs: bookAgeMs(book, nowMs),
    trusted: book.distrust === null,
    distrust: book.distrust,
    venueAtMs: bookVenueAtMs(book),
    bids: book.bids.map(viewLevel),
    asks: book.asks.map(viewLevel),
  };
}

/** Returns how old the newest input of a book is, in ms; null where none has come. */
export function bookAgeMs(
  { receivedAtMs }: Pick<BookView, 'receivedAtMs'>,
  nowMs: number,
): number | null {
  return receivedAtMs === 0 ? null : Math.max(0, nowMs - receivedAtMs);
}

/**
 * Returns the venue's newest time of a book, epoch ms on the market clock; null where none has
 * come.
 */
export function bookVenueAtMs({ venueAtMs }: Pick<BookView, 'venueAtMs'>): number | null {
  return venueAtMs === 0 ? null : venueAtMs;
}

/** Writes a level as callers see it. */
export function viewLevel({ price, size }: BookLevel): LevelView {
  return { price: formatPrice(price), size: formatMicros(size) };
}
