import { z } from 'zod';

const decimal = z.string().regex(/^\d{1,12}(?:\.\d{1,18})?$/);

/** Best bid and ask: no event name and no time (feeds.md section 3.1). */
export const bookTicker = z.object({
  u: z.int().nonnegative(),
  s: z.string().max(20),
  b: decimal,
  a: decimal,
});

/** A trade, aggregated. `E` event time in ms, `a` its running number. */
export const aggregateTrade = z.object({
  e: z.literal('aggTrade'),
  E: z.int().positive(),
  s: z.string().max(20),
  a: z.int().nonnegative(),
  p: decimal,
});

/** A frame of the combined stream. */
export const combinedFrame = z.object({ stream: z.string().max(64), data: z.unknown() });

/** Candles: opening time and opening price are read, the other ten fields are not. */
export const candles = z.array(z.tuple([z.int().nonnegative(), decimal], z.unknown())).max(1_000);
