import { z } from 'zod';

const point = z.object({
  timestamp: z.int().positive(),
  value: z.number().positive(),
  /** The averaged topics add the exact value: digits with 18 implied decimals, or decimal text. */
  full_accuracy_value: z.string().max(64).optional(),
});

/** An update: one value of one symbol (venue_a.md section 15.1). */
export const priceUpdate = z.object({
  topic: z.string().max(64),
  payload: point.extend({ symbol: z.string().max(32) }),
});

/** The history sent after subscribing. */
export const priceHistory = z.object({
  topic: z.string().max(64),
  payload: z.object({ symbol: z.string().max(32), data: z.array(point).max(10_000) }),
});

/** One value with its moment. */
export type WirePoint = z.output<typeof point>;
