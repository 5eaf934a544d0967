import { z } from 'zod';
import type { MarketId } from '../../../domain/ids.ts';
import { userRoute } from '../../../http/route.ts';
import { idField } from '../../../http/routes/fields.ts';
import { claimOut, viewClaim } from '../../../http/views/claim.ts';
import { VENUE_C_ID } from '../id.ts';
import { VENUE_C_IDS } from './ids.ts';

const claimVenueCOut = claimOut.extend({}).meta({ id: 'ClaimVenueC' });

/** Won shares into USDC, in the user's own wallet. */
export const claimRoutes = [
  userRoute({
    family: VENUE_C_ID,
    method: 'POST',
    path: '/api/venue_c/portfolio/claim-position',
    budget: 'writes',
    movesMoney: true,
    operationId: 'claimPositionVenueC',
    summary: 'Claim resolved positions',
    description:
      'Turns shares of an outcome that won, and of both where a market was voided, into USDC in your wallet on ' +
      'Base, by a transaction of the wallet that takes some of its ETH. It is done by itself once the chain knows ' +
      'the result; this asks for it now.',
    body: z
      .strictObject({
        marketId: idField<MarketId>(VENUE_C_IDS.market)
          .optional()
          .meta({ description: 'One market; absent for all that were won.' }),
      })
      .meta({ id: 'ClaimRequestVenueC' }),
    output: z.object({ data: z.array(claimVenueCOut), nextCursor: z.null() }),
    errors: [
      'not_found',
      'conflict',
      'wallet_not_ready',
      'chain_unavailable',
      'limit_reached',
      'store_unavailable',
    ],
    run: async ({ services, userId }, { body }) => ({
      data: (await services.redemptionsAt(VENUE_C_ID).claim(userId, body.marketId)).map(viewClaim),
      nextCursor: null,
    }),
  }),
];
