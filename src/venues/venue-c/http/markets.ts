import { z } from 'zod';
import { VENUE_C } from '../../../../config/limits/venue-c.ts';
import type { MarketId } from '../../../domain/ids.ts';
import { userRoute } from '../../../http/route.ts';
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
import { bookOut, viewBook } from '../../../http/views/book.ts';
import { VENUE_C_ID } from '../id.ts';
import { VENUE_C_IDS } from './ids.ts';
import { venueMarketOut, viewVenueMarket } from './market-view.ts';

const CANDLES: CandleBounds = {
  periods: ['1', '5', '60', '1440'],
  maximum: VENUE_C.candlesMaximum,
  default: VENUE_C.candlesDefault,
};
const marketPath = z.object({ slug: idField<MarketId>(VENUE_C_IDS.market) });

const wholeMarketOut = venueMarketOut
  .extend({
    book: z.object({ yes: bookOut.nullable(), no: bookOut.nullable() }).meta({
      description:
        'Of an amm market its curve as levels, with its fee inside the prices, read from the contract.',
    }),
  })
  .meta({ id: 'MarketWithBook' });

/** Browsing venue_c. */
export const marketRoutes = [
  userRoute({
    family: VENUE_C_ID,
    method: 'GET',
    path: '/api/venue_c/markets/active',
    budget: 'reads',
    operationId: 'listMarketsVenueC',
    summary: 'List active markets with their prices',
    description:
      `Binary markets of the venue, a page at a time. Filters add up. ${FULL_PAGES} ` +
      'The venue states no volume of the last day, by which nothing is ordered then. ' +
      'Prices are to show, with their age; trade by the order book.',
    query: z
      .strictObject({
        ...browseFields,
        tag: z
          .string()
          .regex(/^[a-z0-9-]{1,100}$/, 'the slug of a tag')
          .optional()
          .meta({ description: 'Short name of a category or a tag, such as crypto.' }),
      })
      .superRefine(checkEnds),
    output: listingPageOut(venueMarketOut),
    errors: ['venue_unavailable', 'venue_protocol'],
    run: async ({ services, userId, marketTime }, { query }) => {
      const page = await services.browsing(VENUE_C_ID).markets.list(userId, {
        ...inMarketTime(query, marketTime),
        ...pageOf(query),
      });
      return viewListingPage(page, viewVenueMarket);
    },
  }),
  userRoute({
    family: VENUE_C_ID,
    method: 'GET',
    path: '/api/venue_c/markets/:slug',
    budget: 'reads',
    operationId: 'getMarketVenueC',
    summary: 'Get a market by its slug, open or ended, with its order book',
    description:
      'One market as the list shows it, with its books: of a clob market those of No mirror those of Yes, of an amm market they are its curve, with their age and whether they can be trusted: ' +
      'the WebSocket topic `orderbook:venue_c:<slug>` streams that of Yes, `orderbook:venue_c:<tokenId>` that of either, and `prices:venue_c:<slug>` says what both outcomes are worth.',
    params: marketPath,
    output: wholeMarketOut,
    errors: ['not_found', 'venue_unavailable', 'venue_protocol'],
    run: async ({ services, userId, nowMs }, { params: { slug } }) => {
      const { markets, books } = services.browsing(VENUE_C_ID);
      const found = await markets.market(userId, slug);
      const { market } = found.listing;
      const view = viewVenueMarket(found);
      const [yes, no] = await Promise.all(
        market.outcomes.map(({ tokenId }) => books.book(userId, tokenId)),
      );
      return {
        ...view,
        book: {
          yes: yes === undefined || yes === null ? null : viewBook(yes, nowMs),
          no: no === undefined || no === null ? null : viewBook(no, nowMs),
        },
      };
    },
  }),
  userRoute({
    family: VENUE_C_ID,
    method: 'GET',
    path: '/api/venue_c/markets/:slug/candlesticks',
    budget: 'reads',
    operationId: 'getCandlesticksVenueC',
    summary: 'Get prices of Yes over time: open, high, low and close of each period',
    description: `Periods that end from \`fromAtMs\` to \`toAtMs\`, ${VENUE_C.candlesMaximum} at most, oldest first, made of the prices that the venue states: it says nothing of bids, offers and volume of the past.`,
    params: marketPath,
    query: candleQuery(CANDLES),
    output: z.object({ marketId: z.string(), ...candlesOut }),
    errors: ['not_found', 'venue_unavailable', 'venue_protocol'],
    run: async (context, { params: { slug }, query }) => {
      const { candles } = context.services.browsing(VENUE_C_ID);
      return {
        marketId: slug,
        ...(await readCandles(candles, context, { id: slug, query, bounds: CANDLES })),
      };
    },
  }),
];
