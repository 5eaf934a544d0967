import { z } from 'zod';
import { formatMicros, formatPrice } from '../../../domain/units.ts';
import type { WhaleTrade } from '../../../ports/catalogue.ts';
import { textOut } from '../../../http/views/market.ts';
import { marketTimeOut } from '../../../http/wall-times.ts';
import { priceOut, sharesOut, usdcOut } from '../../../http/routes/fields.ts';

/** A large trade in answers. */
export const whaleOut = z
  .object({
    transactionHash: z.string(),
    trader: z.string(),
    marketId: z.string(),
    tokenId: z.string(),
    title: textOut,
    slug: z.string().nullable().meta({
      description: 'Short name of the market: `/api/venue_a/markets/{slug}` tells more of it.',
    }),
    eventSlug: z.string().nullable(),
    side: z
      .enum(['yes', 'no'])
      .nullable()
      .meta({ description: 'The outcome traded; null where the venue does not say.' }),
    outcome: textOut,
    action: z.enum(['buy', 'sell']),
    shares: sharesOut,
    price: priceOut,
    usdc: usdcOut,
    tradedAtMs: marketTimeOut,
  })
  .meta({ id: 'WhaleTrade' });

/** Writes a large trade as callers see it. */
export function viewWhale(trade: WhaleTrade): z.input<typeof whaleOut> {
  const {
    transactionHash,
    trader,
    marketId,
    tokenId,
    title,
    slug,
    eventSlug,
    outcome,
    outcomeIndex,
    side,
    atMs,
  } = trade;
  return {
    transactionHash,
    trader,
    marketId,
    tokenId,
    title,
    slug,
    eventSlug,
    side: outcomeIndex === null ? null : outcomeIndex === 0 ? 'yes' : 'no',
    outcome,
    action: side,
    shares: formatMicros(trade.shares),
    price: formatPrice(trade.price),
    usdc: formatMicros(trade.usdc),
    tradedAtMs: atMs,
  };
}
