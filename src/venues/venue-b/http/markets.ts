import { z } from 'zod';
import { VENUE_B } from '../../../../config/limits/venue-b.ts';
import type { MarketId } from '../../../domain/ids.ts';
import { userRoute } from '../../../http/route.ts';
import { bookOut, viewBook } from '../../../http/views/book.ts';
import { eventOut, marketOut, viewEvent, viewMarket } from '../../../http/views/market.ts';
import {
  browseFields,
  checkEnds,
  FULL_PAGES,
  inMarketTime,
  listingPageOut,
  viewListingPage,
} from '../../../http/routes/browse-fields.ts';
import {
  candleQuery,
  candlesOut,
  readCandles,
  type CandleBounds,
} from '../../../http/routes/candlesticks.ts';
import { idField, pageOf } from '../../../http/routes/fields.ts';
import { VENUE_B_ID } from '../id.ts';
import { VENUE_B_IDS } from './ids.ts';

const tickerField = z
  .string()
  .regex(new RegExp(`^${VENUE_B_IDS.market.pattern}$`), VENUE_B_IDS.market.refusal);
const statusField = z
  .enum(['initialized', 'active', 'inactive', 'closed', 'determined', 'finalized'])
  .optional()
  .meta({
    description:
      "How far a market has come, in the venue's words: active ones trade, determined and finalized ones have a result.",
    default: 'active',
  });
const venueFields = {
  ...browseFields,
  series: tickerField.optional().meta({ description: 'The ticker of a series.' }),
  status: statusField,
};
const marketPath = z.object({ id: idField<MarketId>(VENUE_B_IDS.market) });

const CANDLES: CandleBounds = {
  periods: ['1', '60', '1440'],
  maximum: VENUE_B.candlesMaximum,
  default: VENUE_B.candlesDefault,
};

const booksOut = z
  .object({
    marketId: z.string(),
    yes: bookOut.nullable().meta({ description: 'Null where nothing is on it.' }),
    no: bookOut.nullable(),
  })
  .meta({ id: 'MarketOrderBooks' });

/** Browsing venue_b. */
export const marketRoutes = [
  userRoute({
    family: VENUE_B_ID,
    method: 'GET',
    path: '/api/venue_b/markets/',
    budget: 'reads',
    operationId: 'listMarketsVenueB',
    summary: 'List markets with their prices, of an event, a series or a status',
    description:
      `Binary markets of the venue, a page at a time. Filters add up. ${FULL_PAGES} ` +
      'Prices are to show, with their age; trade by the order book.',
    query: z
      .strictObject({
        eventId: tickerField.optional().meta({ description: 'The ticker of an event.' }),
        ...venueFields,
      })
      .superRefine(checkEnds),
    output: listingPageOut(marketOut),
    errors: ['venue_unavailable', 'venue_protocol'],
    run: async ({ services, userId, marketTime }, { query }) => {
      const page = await services.browsing(VENUE_B_ID).markets.list(userId, {
        ...inMarketTime(query, marketTime),
        ...pageOf(query),
      });
      return viewListingPage(page, viewMarket);
    },
  }),
  userRoute({
    family: VENUE_B_ID,
    method: 'GET',
    path: '/api/venue_b/markets/:id',
    budget: 'reads',
    operationId: 'getMarketVenueB',
    summary: 'Get a market by its ticker, open or closed',
    description:
      'One market as the lists show it, with its rules, its prices and, once it is closed, how it ended.',
    params: marketPath,
    output: marketOut,
    errors: ['not_found', 'venue_unavailable', 'venue_protocol'],
    run: async ({ services, userId }, { params }) =>
      viewMarket(await services.browsing(VENUE_B_ID).markets.market(userId, params.id)),
  }),
  userRoute({
    family: VENUE_B_ID,
    method: 'GET',
    path: '/api/venue_b/markets/:id/orderbook',
    budget: 'reads',
    operationId: 'getOrderBookVenueB',
    summary: 'Get the order books of a market, of Yes and of No',
    description:
      'Bids and asks of both outcomes, best first, with the age of each book and whether it can be trusted: each mirrors the other. ' +
      'The WebSocket topic `orderbook:venue_b:<ticker>` streams that of Yes, `orderbook:venue_b:<tokenId>` that of either.',
    params: marketPath,
    output: booksOut,
    errors: ['not_found', 'venue_unavailable', 'venue_protocol'],
    run: async ({ services, userId, nowMs }, { params: { id } }) => {
      const { markets, books } = services.browsing(VENUE_B_ID);
      const { outcomes } = (await markets.market(userId, id)).listing.market;
      const [yes, no] = await Promise.all([
        books.book(userId, outcomes[0].tokenId),
        books.book(userId, outcomes[1].tokenId),
      ]);
      return {
        marketId: id,
        yes: yes === null ? null : viewBook(yes, nowMs),
        no: no === null ? null : viewBook(no, nowMs),
      };
    },
  }),
  userRoute({
    family: VENUE_B_ID,
    method: 'GET',
    path: '/api/venue_b/markets/:id/candlesticks',
    budget: 'reads',
    operationId: 'getCandlesticksVenueB',
    summary: 'Get prices over time: open, high, low and close of each period',
    description: `Periods that end from \`fromAtMs\` to \`toAtMs\`, ${VENUE_B.candlesMaximum} at most, oldest first, as the venue states them.`,
    params: marketPath,
    query: candleQuery(CANDLES),
    output: z.object({ marketId: z.string(), ...candlesOut }),
    errors: ['not_found', 'venue_unavailable', 'venue_protocol'],
    run: async (context, { params: { id }, query }) => {
      const { candles } = context.services.browsing(VENUE_B_ID);
      return {
        marketId: id,
        ...(await readCandles(candles, context, { id, query, bounds: CANDLES })),
      };
    },
  }),
  userRoute({
    family: VENUE_B_ID,
    method: 'GET',
    path: '/api/venue_b/events/',
    budget: 'reads',
    operationId: 'listEventsVenueB',
    summary: 'List events with their markets and prices',
    description: `Events of the venue with their markets and prices, a page at a time. Filters add up. ${FULL_PAGES}`,
    query: z.strictObject(venueFields).superRefine(checkEnds),
    output: listingPageOut(eventOut),
    errors: ['venue_unavailable', 'venue_protocol'],
    run: async ({ services, userId, marketTime }, { query }) => {
      const page = await services.browsing(VENUE_B_ID).markets.events(userId, {
        ...inMarketTime(query, marketTime),
        ...pageOf(query),
      });
      return viewListingPage(page, viewEvent);
    },
  }),
];
