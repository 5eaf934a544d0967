import { z } from 'zod';
import { SURFACE } from '../../../config/limits.ts';
import { AppError } from '../../domain/errors.ts';
import type { MarketQuery } from '../../ports/venue.ts';
import { userRoute } from '../route.ts';
import { bookOut, viewBook } from '../views/book.ts';
import { eventOut, marketOut, seriesOut, viewEvent, viewMarket, viewSeries, viewWhale, whaleOut } from '../views/market.ts';
import { pageFields, pageOf, pageOut, tokenIdField } from './fields.ts';

const browseQuery = z.strictObject({
  ...pageFields,
  search: z.string().trim().min(1).max(100).optional().meta({ description: 'Words in the title.' }),
  closed: z.enum(['true', 'false']).transform((text) => text === 'true').optional().meta({ description: 'Closed ones alone, or open ones alone.', default: false }),
});

const whaleMinimum = z.string().regex(/^\d{1,9}$/, 'whole USD').transform(Number);

function toMarketQuery(query: z.output<typeof browseQuery>): MarketQuery {
  return {
    ...pageOf(query),
    ...(query.search === undefined ? {} : { search: query.search }),
    ...(query.closed === undefined ? {} : { closed: query.closed }),
  };
}

/** Browsing venue_a. */
export const venueAMarketRoutes = [
  userRoute({
    family: 'venue_a', method: 'GET', path: '/api/venue_a/markets/', budget: 'reads',
    operationId: 'listMarkets',
    summary: 'Browse markets',
    description: 'Markets of the venue, a page at a time.',
    query: browseQuery,
    output: pageOut(marketOut),
    errors: ['venue_unavailable', 'venue_protocol'],
    run: async ({ services }, { query }) => {
      const page = await services.markets.list(toMarketQuery(query));
      return { data: page.data.map(viewMarket), nextCursor: page.nextCursor };
    },
  }),
  userRoute({
    family: 'venue_a', method: 'GET', path: '/api/venue_a/markets/events', budget: 'reads',
    operationId: 'listEvents',
    summary: 'Browse events',
    description: 'Events of the venue with their markets, a page at a time.',
    query: browseQuery,
    output: pageOut(eventOut),
    errors: ['venue_unavailable', 'venue_protocol'],
    run: async ({ services }, { query }) => {
      const page = await services.markets.events(toMarketQuery(query));
      return { data: page.data.map(viewEvent), nextCursor: page.nextCursor };
    },
  }),
  userRoute({
    family: 'venue_a', method: 'GET', path: '/api/venue_a/markets/events/:id', budget: 'reads',
    operationId: 'getEvent',
    summary: 'Get an event by id',
    description: 'One event with its markets.',
    params: z.object({ id: z.string().regex(/^[0-9A-Za-z_-]{1,80}$/, 'an event id') }),
    output: eventOut,
    errors: ['not_found', 'venue_unavailable', 'venue_protocol'],
    run: async ({ services }, { params }) => viewEvent(await services.markets.event(params.id)),
  }),
  userRoute({
    family: 'venue_a', method: 'GET', path: '/api/venue_a/markets/series', budget: 'reads',
    operationId: 'listSeries',
    summary: 'List series',
    description: 'Series are events that come again, such as an hourly round.',
    query: z.strictObject(pageFields),
    output: pageOut(seriesOut),
    errors: ['venue_unavailable', 'venue_protocol'],
    run: async ({ services }, { query }) => {
      const page = await services.markets.series(pageOf(query));
      return { data: page.data.map(viewSeries), nextCursor: page.nextCursor };
    },
  }),
  userRoute({
    family: 'venue_a', method: 'GET', path: '/api/venue_a/token/:id/orderbook/', budget: 'reads',
    operationId: 'getOrderBook',
    summary: 'Get the order book of a token',
    description: "Bids and asks of one outcome, best first, with the book's age and whether it can be trusted. The "
      + 'WebSocket topic `orderbook:<tokenId>` streams the same book.',
    params: z.object({ id: tokenIdField }),
    output: bookOut,
    errors: ['not_found', 'venue_unavailable', 'venue_protocol'],
    run: async ({ services, nowMs }, { params }) => {
      const book = await services.books.book(params.id);
      if (book === null) throw new AppError('not_found', 'the venue has no book for this token');
      return viewBook(book, nowMs);
    },
  }),
  userRoute({
    family: 'venue_a', method: 'GET', path: '/api/venue_a/whale-txs/', budget: 'reads',
    operationId: 'listLargeTrades',
    summary: 'Get large public trades, newest first',
    description: 'Public trades of anybody on the venue above a size in dollars.',
    query: z.strictObject({
      limit: pageFields.limit,
      minimumUsd: whaleMinimum.optional().meta({ description: 'Smallest trade to list, whole USD.', default: SURFACE.whaleMinimumUsd }),
    }),
    output: pageOut(whaleOut),
    errors: ['venue_unavailable', 'venue_protocol'],
    run: async ({ services }, { query }) => {
      const trades = await services.markets.whaleTrades(query.minimumUsd ?? SURFACE.whaleMinimumUsd, query.limit ?? SURFACE.pageDefault);
      return { data: trades.map(viewWhale), nextCursor: null };
    },
  }),
];
