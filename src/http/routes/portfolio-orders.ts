import { z } from 'zod';
import { userRoute } from '../route.ts';
import { listedOrderOut } from '../views/order.ts';
import { pageFields, pageOf, pageOut } from './fields.ts';
import { ordersPage } from './orders.ts';
import { tradedMarketField } from './portfolio-trades.ts';

/** Orders of all venues in one list, under one cursor. */
export const portfolioOrdersRoute = userRoute({
  family: 'user',
  method: 'GET',
  path: '/api/portfolio/orders',
  budget: 'reads',
  operationId: 'listPortfolioOrders',
  summary: 'Your orders of every venue, newest first',
  description:
    'Orders placed manually and by agents at every venue, in the order in which they were made, a page at a time. The list of one venue is at that venue.',
  query: z.strictObject({
    state: z.enum(['open', 'ended', 'all'], 'one of open, ended, all').default('all').meta({
      description: 'open may still trade; ended is filled, cancelled, expired or rejected.',
    }),
    marketId: tradedMarketField,
    ...pageFields,
  }),
  output: pageOut(listedOrderOut),
  run: (context, { query: { state, marketId, ...query } }) =>
    ordersPage(context, { state, marketId, ...pageOf(query) }),
});
