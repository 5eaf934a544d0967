import { z } from 'zod';
import { marketOut, viewMarket } from '../../../http/views/market.ts';
import type { PricedListing } from '../../../services/markets.ts';
import { ownOf } from '../own.ts';

/** A market in answers, with what the venue alone says of it. */
export const venueMarketOut = marketOut
  .extend({
    tradeType: z.enum(['clob', 'amm']).meta({
      description: 'clob: signed orders in a book. amm: trades with a contract.',
    }),
    conditionId: z.string().meta({ description: 'Its condition on chain 8453.' }),
    tokens: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Of a clob market: the token ids of Yes and of No.' }),
    address: z
      .string()
      .nullable()
      .meta({ description: 'Of an amm market: its contract on chain 8453.' }),
    positionIds: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Of an amm market: the token ids of Yes and of No.' }),
  })
  .meta({ id: 'MarketVenueC' });

/** Writes a market as callers see it. */
export function viewVenueMarket(priced: PricedListing): z.input<typeof venueMarketOut> {
  const { market } = priced.listing;
  const own = ownOf(market);
  const ids = market.outcomes.map(({ tokenId }) => tokenId);
  const { tradeType, conditionId } = own;
  return {
    ...viewMarket(priced),
    tradeType,
    conditionId,
    tokens: tradeType === 'clob' ? ids : null,
    address: own.tradeType === 'amm' ? own.address : null,
    positionIds: tradeType === 'amm' ? ids : null,
  };
}
