import { z } from 'zod';
import { TICKS_PER_USD, priceTicks, shareMicros } from '../../../domain/units.ts';

/** Raw units × 10^6, a number or text (venue_c.md section 4). */
const micros = z
  .union([z.number(), z.string().regex(/^\d{1,16}$/)])
  .transform(Number)
  .pipe(z.int().nonnegative());
const shares = micros.transform(shareMicros);
const isoTime = z
  .string()
  .transform((text) => Date.parse(text))
  .pipe(z.int());
const id = z.string().min(1).max(128);
const optionalId = id.nullish().transform((text) => text ?? null);
/** 0 and 1 in orders, words in rows and events. */
const side = z
  .union([z.literal(0), z.literal(1), z.literal('BUY'), z.literal('SELL')])
  .transform((value) => (value === 0 || value === 'BUY' ? ('buy' as const) : ('sell' as const)));
/** A decimal fraction, a number or text, from 0.0001 to 0.9999. */
const price = z
  .union([z.number(), z.string()])
  .transform((value) => Math.round(Number(value) * TICKS_PER_USD))
  .pipe(
    z
      .int()
      .min(1)
      .max(TICKS_PER_USD - 1),
  )
  .transform(priceTicks);

/** An order as the venue has it, with its terms (venue_c.md section 8.2). */
const orderSchema = z.object({
  id,
  clientOrderId: optionalId,
  createdAt: isoTime,
  makerAmount: micros,
  takerAmount: micros,
  tokenId: z.string(),
  side,
  orderType: z.enum(['GTC', 'FAK', 'FOK']),
  price: price.nullish().transform((value) => value ?? null),
});

/** A part of a trade: `orderId` is the maker's, which may be the order itself. */
const matchSchema = z.object({
  id,
  createdAt: isoTime.nullish().transform((ms) => ms ?? null),
  matchedSize: shares,
  orderId: id,
});

/** What an order has come to (venue_c.md section 8.2, `execution`). */
const executionSchema = z.object({
  clientOrderId: optionalId,
  settlementStatus: z.enum([
    'UNMATCHED',
    'DELAYED',
    'CANCELED',
    'MATCHED',
    'MINED',
    'CONFIRMED',
    'RETRYING',
    'FAILED',
  ]),
  tradeEventId: optionalId,
  txHash: optionalId,
  reason: z
    .string()
    .nullish()
    .transform((text) => text ?? null),
  totalsRaw: z.object({
    contractsGross: shares,
    contractsFee: micros,
    usdGross: micros,
    usdFee: micros,
  }),
});

const statedOrder = z.object({
  order: orderSchema,
  makerMatches: z
    .array(matchSchema)
    .nullish()
    .transform((matches) => matches ?? []),
  execution: executionSchema,
});

/**
 * What the venue states of an order: in its answer to the order, and one level deeper in some
 * answers about it.
 */
export const statedOrderSchema = z.preprocess(unwrapped, statedOrder);
/** As above. */
export type StatedOrder = z.output<typeof statedOrder>;

function unwrapped(value: unknown): unknown {
  const inner: unknown = memberOf(value, 'order');
  return memberOf(inner, 'order') === undefined ? value : Object.assign({}, value, inner);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** The answer to a question about orders, by the venue's ids or by ours. */
export const statusAnswerSchema = z.object({
  results: z.array(
    z.object({
      index: z.int(),
      status: z.enum(['found', 'not_found']),
      clientOrderId: optionalId,
      data: z.unknown().optional(),
    }),
  ),
});

/** A row of a user's orders (venue_c.md section 8.3). */
export const orderRowSchema = z.object({
  id,
  type: z
    .string()
    .nullish()
    .transform((word) => word ?? 'GTC'),
  status: z.string(),
  originalSize: shares,
  remainingSize: shares,
});
/** As above. */
export type OrderRow = z.output<typeof orderRowSchema>;

/** Rows come alone, or in an object (venue_c.md section 8.2). */
export const orderRowsSchema = z.union([
  z.array(z.unknown()),
  z.object({ orders: z.array(z.unknown()) }).transform(({ orders }) => orders),
]);

/** Resting orders of a user, by market (venue_c.md section 10). */
export const positionsSchema = z.object({
  clob: z.array(z.object({ orders: z.object({ liveOrders: z.array(z.unknown()) }) })),
});
