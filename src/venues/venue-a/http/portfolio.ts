import { z } from 'zod';
import { AppError } from '../../../domain/errors.ts';
import { formatMicros } from '../../../domain/units.ts';
import type { MarketId, UserId } from '../../../domain/ids.ts';
import type { PriceTicks } from '../../../domain/units.ts';
import type { Holding } from '../../../services/portfolio/portfolio.ts';
import { userRoute, type Route } from '../../../http/route.ts';
import type { ApiServices } from '../../../http/services.ts';
import { fillOut, viewFill } from '../../../http/views/fill.ts';
import { cashOut, valuedHoldingOut, viewValuedHolding } from '../../../http/views/holding.ts';
import { idField, pageFields, pageOf, pageOut } from '../../../http/routes/fields.ts';
import { VENUE_A_IDS } from './ids.ts';
import { VENUE_A_ID } from '../id.ts';

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** What was traded and what came of it, on venue_a. */
export const portfolioRoutes: readonly Route[] = [
  userRoute({
    family: VENUE_A_ID,
    method: 'GET',
    path: '/api/venue_a/fills/',
    budget: 'reads',
    operationId: 'listFills',
    summary: 'List your fills, newest first',
    description:
      'Every trade of your orders, placed manually and by agents, in the order in which they were booked: what was ' +
      'matched, and what became of its settlement.',
    query: z.strictObject({
      marketId: idField<MarketId>(VENUE_A_IDS.market)
        .optional()
        .meta({ description: 'Those of one market.' }),
      ...pageFields,
    }),
    output: pageOut(fillOut),
    run: ({ services, userId }, { query: { marketId, ...query } }) => {
      const page = services.history.fills(userId, {
        venue: VENUE_A_ID,
        ...pageOf(query),
        ...(marketId === undefined ? {} : { marketId }),
      });
      return { data: page.data.map(viewFill), nextCursor: page.nextCursor };
    },
  }),
  userRoute({
    family: VENUE_A_ID,
    method: 'GET',
    path: '/api/venue_a/holding/',
    budget: 'reads',
    operationId: 'listPositions',
    summary: 'Get cash, and positions, newest first: open ones unless you ask for others',
    description:
      'Your positions with what they cost and are worth, and your cash: settled, held for open orders, and ' +
      'available. What was won and not yet redeemed is open.',
    query: z.strictObject({
      positionType: z
        .enum(['open', 'closed', 'all'])
        .default('open')
        .meta({ description: 'open still holds shares, closed holds none.' }),
      isReedemable: flag.optional().meta({
        description: 'Only what can, or cannot, be redeemed. Spelled as the interface spells it.',
      }),
      ...pageFields,
    }),
    output: pageOut(valuedHoldingOut).extend({ cash: cashOut }),
    run: async ({ services, userId }, { query: { positionType, isReedemable, ...query } }) => {
      const page = services.history.holdings(userId, {
        venue: VENUE_A_ID,
        type: positionType,
        ...pageOf(query),
        ...(isReedemable === undefined ? {} : { redeemable: isReedemable }),
      });
      const { settled, provisional, reserved, available } = services.portfolio.cash(
        userId,
        'usdc:safe',
      );
      return {
        data: await Promise.all(
          page.data.map(async (holding) =>
            viewValuedHolding(holding, await bestBid(services, userId, holding)),
          ),
        ),
        nextCursor: page.nextCursor,
        cash: {
          settled: formatMicros(settled),
          provisional: formatMicros(provisional),
          reserved: formatMicros(reserved),
          available: formatMicros(available),
        },
      };
    },
  }),
];

/** What the next share of a held outcome would bring; null when nobody bids, or the venue has no word of it now. */
async function bestBid(
  { browsing }: Pick<ApiServices, 'browsing'>,
  userId: UserId,
  { position, resolution }: Holding,
): Promise<PriceTicks | null> {
  if (position.shares === 0 || resolution !== null) return null;
  try {
    return (
      (await browsing(VENUE_A_ID).books.book(userId, position.tokenId))?.bids[0]?.price ?? null
    );
  } catch (error) {
    // A list of positions is worth showing without the price of one.
    if (error instanceof AppError) return null;
    throw error;
  }
}
