import { VENUE_C_TRAITS } from '../../../../config/limits/venue-c.ts';
import type { VenueApi } from '../../../http/venue-api.ts';
import { VENUE_C_ID } from '../id.ts';
import { claimRoutes } from './claim.ts';
import { VENUE_C_IDS } from './ids.ts';
import { marketRoutes } from './markets.ts';
import { orderRoutes } from './orders.ts';

const SLUG_EXAMPLE = 'will-a-happen-1768933068297';

/** What venue_c adds to the interface. */
export const venueCApi = {
  venue: VENUE_C_ID,
  description: 'Markets, orders and positions on venue_c.',
  ids: VENUE_C_IDS,
  traits: VENUE_C_TRAITS,
  examples: {
    OrderRequestVenueC: {
      marketId: SLUG_EXAMPLE,
      side: 'yes',
      amount: '10',
      orderType: 'limit',
      price: '0.145',
      orderMode: 'shares',
    },
    ClaimRequestVenueC: { marketId: SLUG_EXAMPLE },
    ClaimVenueC: {
      marketId: SLUG_EXAMPLE,
      state: 'redeeming',
      amount: '25',
      reason: null,
      venueReason: null,
      transactionHash: null,
    },
  },
  exampleMarketId: SLUG_EXAMPLE,
  routes: [...marketRoutes, ...orderRoutes, ...claimRoutes],
} satisfies VenueApi;
