import { z } from 'zod';

/** Answer of POST /order. Texts may be absent or null in refusals (venue_a.md section 4.2). */
export const orderAnswerSchema = z.object({
  success: z.boolean().optional(),
  errorMsg: z.string().nullish(),
  orderID: z.string().nullish(),
  status: z.string().nullish(),
});

/** Answer of every cancel (venue_a.md section 4.3). */
export const cancelAnswerSchema = z.object({
  canceled: z.array(z.string()),
  not_canceled: z.record(z.string(), z.string()),
});

/**
 * An order by REST and on the user channel: what is read of it (venue_a.md sections 4.4 and 9.4).
 */
export const orderSchema = z.object({
  id: z.string().min(1),
  status: z.string().min(1),
  size_matched: z.string(),
});

/** Order as the venue sends it. */
export type WireOrder = z.infer<typeof orderSchema>;

/** A trade by REST and on the user channel (venue_a.md sections 4.5 and 9.4). */
export const tradeSchema = z.object({
  id: z.string().min(1),
  taker_order_id: z.string(),
  market: z.string(),
  asset_id: z.string(),
  side: z.enum(['BUY', 'SELL']),
  size: z.string(),
  price: z.string(),
  status: z.string(),
  match_time: z.string().optional(),
  matchtime: z.string().optional(),
  owner: z.string().optional(),
  maker_address: z.string().optional(),
  transaction_hash: z.string().nullish(),
  trader_side: z.enum(['TAKER', 'MAKER']).optional(),
  maker_orders: z.array(
    z.object({
      order_id: z.string(),
      owner: z.string().optional(),
      maker_address: z.string().optional(),
      matched_amount: z.string(),
      price: z.string(),
      asset_id: z.string(),
      side: z.enum(['BUY', 'SELL']).optional(),
    }),
  ),
});

/** Trade as the venue sends it. */
export type WireTrade = z.infer<typeof tradeSchema>;

/** A page of the ledger endpoints. */
export const pageSchema = z.object({ data: z.array(z.unknown()), next_cursor: z.string() });

/** The order format the venue takes (venue_a.md section 4.1). */
export const versionSchema = z.object({ version: z.number().int() });

/** Trading credentials as created or derived (venue_a.md section 2.1). */
export const credentialsSchema = z.object({
  apiKey: z.string().min(1),
  secret: z.string().min(1),
  passphrase: z.string().min(1),
});

/** Balance in base units (venue_a.md section 4). */
export const balanceSchema = z.object({ balance: z.string().regex(/^\d{1,15}$/) });

/** A row of the Data API's activity (venue_a.md section 12.1). */
export const activitySchema = z.array(
  z.object({
    type: z.string(),
    timestamp: z.number(),
    usdcSize: z.number(),
    transactionHash: z.string(),
  }),
);

/** A row of the Data API's public trades. */
export const publicTradesSchema = z.array(
  z.object({
    proxyWallet: z.string(),
    side: z.enum(['BUY', 'SELL']),
    asset: z.string(),
    conditionId: z.string(),
    size: z.number(),
    price: z.number(),
    timestamp: z.number(),
    title: z.string(),
    outcome: z.string().optional(),
    outcomeIndex: z.number().nullish().catch(null),
    slug: z.string().nullish().catch(null),
    eventSlug: z.string().nullish().catch(null),
    transactionHash: z.string(),
  }),
);
