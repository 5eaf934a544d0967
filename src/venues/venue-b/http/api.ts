import { VENUE_B_TRAITS } from '../../../../config/limits/venue-b.ts';
import { closePositionRoutes } from '../../../http/routes/close-position.ts';
import { orderRoutes } from '../../../http/routes/orders.ts';
import type { VenueApi } from '../../../http/venue-api.ts';
import { VENUE_B_ID } from '../id.ts';
import { VENUE_B_IDS } from './ids.ts';
import { identityRoutes } from './identity.ts';
import { marketRoutes } from './markets.ts';
import { portfolioRoutes } from './portfolio.ts';
import { centsOf } from './price.ts';

const TICKER_EXAMPLE = 'KXHIGHNY-26NOV24-B52';

/** What venue_b adds to the interface. */
export const venueBApi = {
  venue: VENUE_B_ID,
  description: 'Markets, orders, positions and money on venue_b.',
  ids: VENUE_B_IDS,
  traits: VENUE_B_TRAITS,
  examples: {
    OrderRequestVenueB: {
      marketId: TICKER_EXAMPLE,
      side: 'yes',
      amount: '10',
      orderType: 'limit',
      price: '97',
      orderMode: 'shares',
    },
    CloseRequestVenueB: { marketId: TICKER_EXAMPLE, side: 'yes', amount: '10' },
  },
  exampleMarketId: TICKER_EXAMPLE,
  routes: [
    ...orderRoutes({
      venue: VENUE_B_ID,
      path: '/api/venue_b/order',
      ids: VENUE_B_IDS,
      suffix: 'VenueB',
      traits: VENUE_B_TRAITS,
      listed: 'all',
      amount: {
        description:
          'in whole cents or whole contracts. Dollars buy whole contracts; the rest comes back, and `leftoverUsdc` says how much.',
        shareWords: ['shares', 'contracts'],
      },
      price: {
        description:
          'Whole cents from 1 to 99, the venue’s fee not included: 97, not 0.97. Required for limit, refused for market. Where a market has finer steps, the order trades at this price or better.',
        read: centsOf,
      },
    }),
    ...closePositionRoutes({
      venue: VENUE_B_ID,
      ids: VENUE_B_IDS,
      suffix: 'VenueB',
      path: '/api/venue_b/order/close-position',
    }),
    ...marketRoutes,
    ...portfolioRoutes,
    ...identityRoutes,
  ],
} satisfies VenueApi;
