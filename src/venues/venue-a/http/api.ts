import { VENUE_A_TRAITS } from '../../../../config/limits/venue-a.ts';
import type { VenueApi } from '../../../http/venue-api.ts';
import { dollarsOf } from '../../../http/routes/order-request.ts';
import { closePositionRoutes } from '../../../http/routes/close-position.ts';
import { orderRoutes } from '../../../http/routes/orders.ts';
import { bridgeRoutes } from './bridge.ts';
import { VENUE_A_IDS } from './ids.ts';
import { marketRoutes } from './markets.ts';
import { moneyRoutes } from './money.ts';
import { portfolioRoutes } from './portfolio.ts';
import { VENUE_A_ID } from '../id.ts';

const MARKET_ID_EXAMPLE = '0x5f65177b394277fd294cd75650044e32ba009a95022d88a0c1d565897d72f8f1';

/** What venue_a adds to the interface. */
export const venueAApi = {
  venue: VENUE_A_ID,
  description: 'Markets, orders, positions and money on venue_a.',
  ids: VENUE_A_IDS,
  traits: VENUE_A_TRAITS,
  examples: {
    marketId: MARKET_ID_EXAMPLE,
    conditionId: MARKET_ID_EXAMPLE,
    tokenId: '71321045679252212594626385532706912750332728571942532289631379312455583992563',
    orderId: '0xb816482a5187a3d3db49cbaf6fe3ddf24f53e6c712b5a4bf5e01d0ec7b11dabc',
    eventId: '16084',
    seriesId: '10192',
    listingId: '253591',
    slug: 'btc-updown-5m-1785577200',
    eventSlug: 'btc-updown-5m-1785577200',
    OrderRequest: {
      marketId: MARKET_ID_EXAMPLE,
      side: 'yes',
      amount: '25',
      orderType: 'limit',
      price: '0.47',
      orderMode: 'dollars',
    },
    Claim: {
      marketId: MARKET_ID_EXAMPLE,
      state: 'redeeming',
      amount: '25',
      reason: null,
      venueReason: null,
      transactionHash: null,
    },
  },
  exampleMarketId: MARKET_ID_EXAMPLE,
  routes: [
    ...orderRoutes({
      venue: VENUE_A_ID,
      path: '/api/venue_a/order',
      ids: VENUE_A_IDS,
      suffix: '',
      traits: VENUE_A_TRAITS,
      listed: 'open',
      amount: {
        description:
          'in whole cents or hundredths of a share. A sale may also name all you hold as it is shown: `leftoverShares` then says what stays.',
        shareWords: ['shares'],
      },
      price: {
        description:
          "Decimal fraction on the market's tick; required for limit, refused for market.",
        read: dollarsOf,
      },
    }),
    ...closePositionRoutes({
      venue: VENUE_A_ID,
      ids: VENUE_A_IDS,
      suffix: '',
      path: '/api/venue_a/order/close-position',
    }),
    ...portfolioRoutes,
    ...moneyRoutes,
    ...bridgeRoutes,
    ...marketRoutes,
  ],
} satisfies VenueApi;
