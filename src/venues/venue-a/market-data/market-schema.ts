import { z } from 'zod';

/** Epoch ms as the market channel writes it: digit text (venue_a.md section 9.1). */
const timestamp = z
  .string()
  .regex(/^\d{10,15}$/)
  .transform(Number);
const tokenId = z.string().regex(/^\d{1,78}$/);
const level = z.object({ price: z.string(), size: z.string() });

/** A book object, by REST or as a `book` event (venue_a.md sections 3.1 and 9.3). */
export const bookSchema = z.object({
  market: z.string(),
  asset_id: tokenId,
  timestamp,
  bids: z.array(level),
  asks: z.array(level),
  tick_size: z.string().optional(),
  // for the hash alone: of an unexpected format they are as good as absent
  hash: z.string().optional().catch(undefined),
  min_order_size: z.string().optional().catch(undefined),
  neg_risk: z.boolean().optional().catch(undefined),
  last_trade_price: z.string().optional().catch(undefined),
});

/** Book object as the venue sends it. */
export type WireBook = z.infer<typeof bookSchema>;

/**
 * Events of the market channel (venue_a.md section 9.3). Those without meaning for a book are left
 * out: see `IGNORED_EVENTS`.
 */
export const marketEventSchema = z.discriminatedUnion('event_type', [
  bookSchema.extend({ event_type: z.literal('book') }),
  z.object({
    event_type: z.literal('price_change'),
    market: z.string(),
    timestamp,
    price_changes: z.array(
      z.object({
        asset_id: tokenId,
        price: z.string(),
        size: z.string(),
        side: z.enum(['BUY', 'SELL']),
        hash: z.string().optional(),
        best_bid: z.string().optional(),
        best_ask: z.string().optional(),
      }),
    ),
  }),
  z.object({
    event_type: z.literal('last_trade_price'),
    market: z.string(),
    asset_id: tokenId,
    price: z.string(),
    size: z.string(),
    timestamp,
  }),
  z.object({
    event_type: z.literal('tick_size_change'),
    market: z.string(),
    asset_id: tokenId,
    new_tick_size: z.string(),
  }),
  z.object({
    event_type: z.literal('market_resolved'),
    market: z.string(),
    assets_ids: z.array(z.string()),
    winning_asset_id: z.string().nullish(),
    timestamp,
  }),
]);

/** One event of the market channel. */
export type WireMarketEvent = z.infer<typeof marketEventSchema>;

/** Known events that say nothing a book, a trade or a resolution needs. */
export const IGNORED_EVENTS: ReadonlySet<string> = new Set(['best_bid_ask', 'new_market']);
