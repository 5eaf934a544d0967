import { z } from 'zod';
import {
  VENUE_C_POOL_TRAITS,
  VENUE_C_TICK,
  VENUE_C_TRAITS,
} from '../../../../config/limits/venue-c.ts';
import type { MarketId } from '../../../domain/ids.ts';
import { priceTicks } from '../../../domain/units.ts';
import { bestBid } from '../../../http/best-bid.ts';
import { userRoute } from '../../../http/route.ts';
import { idField, pageFields, pageOf, pageOut } from '../../../http/routes/fields.ts';
import { dollarsOf, type OrderCalls } from '../../../http/routes/order-request.ts';
import {
  cancelRoutes,
  orderOf,
  orderPath,
  ordersPage,
  placingRoutes,
} from '../../../http/routes/orders.ts';
import {
  booksOut,
  valuedHoldingOut,
  viewBooks,
  viewValuedHolding,
} from '../../../http/views/holding.ts';
import { listedOrderOut, orderOut, viewOrder } from '../../../http/views/order.ts';
import { VENUE_C_ID } from '../id.ts';
import { VENUE_C_IDS } from './ids.ts';

const CALLS = {
  venue: VENUE_C_ID,
  path: '/api/venue_c/order',
  ids: VENUE_C_IDS,
  suffix: 'VenueC',
  traits: VENUE_C_TRAITS,
  other: { markets: 'markets of pools', traits: VENUE_C_POOL_TRAITS },
  listed: 'all',
  typeInQuery: true,
  amount: {
    description:
      'in whole cents or thousandths of a share. Dollars buy the shares that they pay for at the worst price, and less is spent where the book is better. A sale may also name all you hold as it is shown.',
    shareWords: ['shares'],
  },
  price: {
    description: 'Decimal fraction in thousandths; required for limit, refused for market.',
    tick: priceTicks(VENUE_C_TICK),
    read: dollarsOf,
  },
} as const satisfies OrderCalls;

const stateField = z.enum(['open', 'ended', 'all']).default('all').meta({
  description: 'open may still trade; ended is filled, cancelled, expired or rejected.',
});

/** Orders on venue_c and what is held there. */
export const orderRoutes = [
  ...placingRoutes(CALLS),
  userRoute({
    family: VENUE_C_ID,
    method: 'GET',
    // The slug: what cancels names its order at the same place, and a path has one name there.
    path: '/api/venue_c/order/:id',
    budget: 'reads',
    operationId: 'listMarketOrdersVenueC',
    summary: 'List your orders in one market, newest first',
    description: 'Orders of the market placed manually and by agents, a page at a time.',
    params: z.object({ id: idField<MarketId>(VENUE_C_IDS.market) }),
    query: z.strictObject({ state: stateField, ...pageFields }),
    output: pageOut(listedOrderOut),
    run: (context, { params, query: { state, ...query } }) =>
      ordersPage(context, { venue: VENUE_C_ID, state, marketId: params.id, ...pageOf(query) }),
  }),
  ...cancelRoutes(CALLS),
  userRoute({
    family: VENUE_C_ID,
    method: 'GET',
    path: '/api/venue_c/portfolio/orders',
    budget: 'reads',
    operationId: 'listOrdersVenueC',
    summary: 'List your orders, newest first: all of them unless you ask for some',
    description: 'Orders placed manually and by agents, a page at a time.',
    query: z.strictObject({ state: stateField, ...pageFields }),
    output: pageOut(listedOrderOut),
    run: (context, { query: { state, ...query } }) =>
      ordersPage(context, { venue: VENUE_C_ID, state, ...pageOf(query) }),
  }),
  userRoute({
    family: VENUE_C_ID,
    method: 'GET',
    path: '/api/venue_c/portfolio/orders/:id',
    budget: 'reads',
    operationId: 'getOrderVenueC',
    summary: 'Get an order and its state',
    description: "One order of yours by our id or the venue's, with what has filled.",
    params: orderPath(VENUE_C_IDS),
    output: orderOut,
    errors: ['not_found'],
    run: (context, { params }) =>
      viewOrder(orderOf(context, VENUE_C_ID, params.id), context.services.coinPrice),
  }),
  userRoute({
    family: VENUE_C_ID,
    method: 'GET',
    path: '/api/venue_c/portfolio/positions',
    budget: 'reads',
    operationId: 'listPositionsVenueC',
    summary: 'List your open positions, newest first',
    description:
      'What you hold, with what it cost, what it is worth at the best bid, and the profit that is in it. What was won and not yet claimed is open.',
    query: z.strictObject(pageFields),
    output: pageOut(valuedHoldingOut).extend({ books: booksOut }),
    run: async ({ services, userId }, { query }) => {
      services.walletRounds.soon(userId);
      const { data, nextCursor } = services.history.holdings(userId, {
        venue: VENUE_C_ID,
        type: 'open',
        ...pageOf(query),
      });
      return {
        data: await Promise.all(
          data.map(async (holding) =>
            viewValuedHolding(holding, {
              bid: await bestBid(services, userId, { venue: VENUE_C_ID, holding }),
              traits: VENUE_C_TRAITS,
            }),
          ),
        ),
        nextCursor,
        books: viewBooks(services.portfolio, userId, services.portfolio.accountAt(VENUE_C_ID)),
      };
    },
  }),
];
