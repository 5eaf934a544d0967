import { z } from 'zod';
import { VENUE_A_TRAITS } from '../../../../config/limits/venue-a.ts';
import { SAFE_CASH } from '../../../domain/cash.ts';
import { formatMicros } from '../../../domain/units.ts';
import { bestBid } from '../../../http/best-bid.ts';
import { userRoute } from '../../../http/route.ts';
import { fillsRoute } from '../../../http/routes/fills.ts';
import {
  booksOut,
  cashOut,
  valuedHoldingOut,
  viewBooks,
  viewValuedHolding,
} from '../../../http/views/holding.ts';
import { pageFields, pageOf, pageOut } from '../../../http/routes/fields.ts';
import { VENUE_A_IDS } from './ids.ts';
import { VENUE_A_ID } from '../id.ts';

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** What was traded and what came of it, on venue_a. */
export const portfolioRoutes = [
  fillsRoute({ venue: VENUE_A_ID, ids: VENUE_A_IDS, suffix: '', path: '/api/venue_a/fills/' }),
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
    output: pageOut(valuedHoldingOut).extend({ books: booksOut, cash: cashOut }),
    run: async ({ services, userId }, { query: { positionType, isReedemable, ...query } }) => {
      const page = services.history.holdings(userId, {
        venue: VENUE_A_ID,
        type: positionType,
        ...pageOf(query),
        ...(isReedemable === undefined ? {} : { redeemable: isReedemable }),
      });
      const { settled, provisional, reserved, available } = services.portfolio.cash(
        userId,
        SAFE_CASH,
      );
      return {
        data: await Promise.all(
          page.data.map(async (holding) =>
            viewValuedHolding(holding, {
              bid: await bestBid(services, userId, { venue: VENUE_A_ID, holding }),
              traits: VENUE_A_TRAITS,
            }),
          ),
        ),
        nextCursor: page.nextCursor,
        books: viewBooks(services.portfolio, userId, services.portfolio.accountAt(VENUE_A_ID)),
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
