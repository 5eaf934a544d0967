import { z } from 'zod';
import { asId, type MarketId } from '../../domain/ids.ts';
import { userRoute } from '../route.ts';
import { fillOut, viewFill } from '../views/fill.ts';
import { booksOut, holdingOut, viewBooks, viewHolding } from '../views/holding.ts';
import { pageFields, pageOf, pageOut } from './fields.ts';

/** No venue's ids are longer. */
const MARKET_ID_MAXIMUM_CHARS = 200;

/** A market of any venue, to list what was done in it alone. */
export const tradedMarketField = z
  .string()
  .min(1)
  .max(MARKET_ID_MAXIMUM_CHARS)
  .transform((text) => asId<MarketId>(text))
  .optional()
  .meta({ description: 'Those of one market; none of a market never traded here.' });

const placeFields = {
  venue: z.string().nullable().meta({
    description: 'Null of shares that came by another hand, in a market never traded here.',
  }),
  account: z.string().meta({ description: 'The cash account that paid, and is paid.' }),
};

const tradeOut = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('fill'), ...placeFields, fill: fillOut }),
    z.object({ kind: z.literal('closed'), ...placeFields, position: holdingOut }),
  ])
  .meta({ id: 'PortfolioTrade' });

/** What was traded at all venues, in one shape. */
export const portfolioTradesRoute = userRoute({
  family: 'user',
  method: 'GET',
  path: '/api/portfolio/trades',
  budget: 'reads',
  operationId: 'listPortfolioTrades',
  summary: 'Your fills, or your closed positions, of every venue, newest first',
  description:
    'Every trade of your orders at every venue, placed manually and by agents, in the order in which they were booked; with `kind=closed` the positions that hold no shares any more, with what each made or lost, by when they were opened. One that was sold in part, or all but a rest below the venue’s step, is still open: `GET /api/portfolio/` lists it, with what its sales brought in `realizedPnl`. Closed and open ones together add up to the `realizedPnl` there.',
  query: z.strictObject({
    kind: z.enum(['fill', 'closed'], 'one of fill, closed').default('fill').meta({
      description: 'Fills, or closed positions.',
    }),
    marketId: tradedMarketField,
    ...pageFields,
  }),
  output: pageOut(tradeOut).extend({ books: booksOut }),
  run: ({ services, userId }, { query: { kind, marketId, ...query } }) => {
    const books = viewBooks(services.portfolio, userId);
    const page = { ...pageOf(query), ...(marketId === undefined ? {} : { marketId }) };
    if (kind === 'closed') {
      const { data, nextCursor } = services.history.holdings(userId, { type: 'closed', ...page });
      return {
        data: data.map((holding) => ({
          kind: 'closed' as const,
          venue: services.history.marketOf(holding.position.marketId)?.venue ?? null,
          account: holding.position.cashAccount,
          position: viewHolding(holding),
        })),
        nextCursor,
        books,
      };
    }
    const { data, nextCursor } = services.history.fills(userId, page);
    return {
      data: data.map((view) => ({
        kind: 'fill' as const,
        venue: view.order?.intent.venue ?? view.market?.venue ?? null,
        account: view.fill.cashAccount,
        fill: viewFill(view, services.coinPrice),
      })),
      nextCursor,
      books,
    };
  },
});
