import { z } from 'zod';
import { API } from '../../../../config/limits/api.ts';
import { VENUE_A } from '../../../../config/limits/venue-a.ts';
import { AppError } from '../../../domain/errors.ts';
import type { BookView } from '../../../domain/book.ts';
import type { MarketId, TokenId, UserId } from '../../../domain/ids.ts';
import type { BookLookup } from '../../../http/services.ts';
import { faultOut, viewFault } from '../../../http/views/fault.ts';
import type { Markets } from '../../../services/markets.ts';
import { userRoute } from '../../../http/route.ts';
import { bookOut, viewBook } from '../../../http/views/book.ts';
import {
  eventOut,
  marketOut,
  seriesOut,
  viewEvent,
  viewMarket,
  viewSeries,
} from '../../../http/views/market.ts';
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
import {
  idField,
  idsField,
  pageFields,
  pageOf,
  pageOut,
  wholeField,
} from '../../../http/routes/fields.ts';
import { VENUE_A_IDS } from './ids.ts';
import { viewWhale, whaleOut } from './whale.ts';
import { VENUE_A_ID } from '../id.ts';

const slugField = z
  .string()
  .regex(/^[0-9A-Za-z_-]{1,200}$/, 'a short name: letters, digits, - and _');
const catalogueIdField = z.string().regex(/^\d{1,20}$/, 'an id of the venue: digits');
const venueFields = {
  ...browseFields,
  state: z
    .enum(['active', 'closed'])
    .optional()
    .meta({ description: 'Open ones or closed ones.', default: 'active' }),
  seriesId: catalogueIdField.optional().meta({ description: 'Of this series.' }),
  series: slugField.optional().meta({ description: 'Of the series with this short name.' }),
  tag: slugField.optional().meta({ description: 'Filed under the tag with this short name.' }),
  slug: slugField.optional().meta({ description: 'With this short name.' }),
};

function checkBrowse(
  query: z.output<z.ZodObject<typeof venueFields>>,
  context: z.RefinementCtx,
): void {
  if (query.series !== undefined && query.seriesId !== undefined)
    context.addIssue({ code: 'custom', path: ['series'], message: 'not together with seriesId' });
  checkEnds(query, context);
}

const marketsQuery = z
  .strictObject({
    ...venueFields,
    eventId: catalogueIdField.optional().meta({ description: 'Of this event.' }),
    ids: idsField<MarketId>(VENUE_A_IDS.market)
      .optional()
      .meta({
        description: `These markets, open or closed, in this order: market ids with commas between them, at most ${API.idsPerCallMaximum}, without any other filter. One the venue does not have is left out.`,
      }),
  })
  .superRefine(checkBrowse)
  .superRefine(({ ids, ...others }, context) => {
    const [other] = Object.entries(others).filter(([, value]) => value !== undefined);
    if (ids !== undefined && other !== undefined)
      context.addIssue({ code: 'custom', path: [other[0]], message: 'not together with ids' });
  });
const eventsQuery = z.strictObject(venueFields).superRefine(checkBrowse);

const CANDLES: CandleBounds = {
  periods: ['1', '5', '15', '60', '1440'],
  maximum: VENUE_A.candlesMaximum,
  default: VENUE_A.candlesDefault,
};

const bookResultOut = z
  .object({
    tokenId: z.string(),
    book: bookOut.nullable(),
    error: faultOut.nullable().meta({ description: 'Why there is no book; null where there is.' }),
  })
  .meta({ id: 'OrderBookResult' });

/** Errors: `market_closed`, `not_found`, and those of the lookup. */
async function bookOf(books: BookLookup, userId: UserId, tokenId: TokenId): Promise<BookView> {
  const book = await books.book(userId, tokenId);
  if (book !== null) return book;
  const end = await books.endOf(userId, tokenId);
  if (end !== null) throw new AppError('market_closed', `the market has ended: ${end}`);
  throw new AppError('not_found', 'the venue has no such book');
}

/** Looks markets up one by one; those that are not there are left out. */
async function marketsById(markets: Markets, userId: UserId, ids: readonly MarketId[]) {
  const found = await Promise.all(
    ids.map((id) =>
      markets.market(userId, id).catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'not_found') return null;
        throw error;
      }),
    ),
  );
  return found.flatMap((market) => (market === null ? [] : [viewMarket(market)]));
}

const whaleMinimum = wholeField(9, 'whole USD');

/** Browsing venue_a. */
export const marketRoutes = [
  userRoute({
    family: VENUE_A_ID,
    method: 'GET',
    path: '/api/venue_a/markets/',
    budget: 'reads',
    operationId: 'listMarkets',
    summary: 'Browse markets with their prices',
    description:
      'Markets of the venue, a page at a time. Filters add up. ' +
      `${FULL_PAGES} ` +
      'Prices are to show, with their age: ' +
      'those of a book that is followed and trusted, else of the listing, else null. Trade by the order book.',
    query: marketsQuery,
    output: listingPageOut(marketOut),
    errors: ['venue_unavailable', 'venue_protocol'],
    run: async ({ services, userId, marketTime }, { query: { ids, ...query } }) => {
      const { markets } = services.browsing(VENUE_A_ID);
      if (ids !== undefined)
        return {
          data: await marketsById(markets, userId, ids),
          nextCursor: null,
          incomplete: false,
        };
      const page = await markets.list(userId, {
        ...inMarketTime(query, marketTime),
        ...pageOf(query),
      });
      return viewListingPage(page, viewMarket);
    },
  }),
  userRoute({
    family: VENUE_A_ID,
    method: 'GET',
    path: '/api/venue_a/markets/events',
    budget: 'reads',
    operationId: 'listEvents',
    summary: 'Browse events with their markets and prices',
    description: `Events of the venue with their markets and prices, a page at a time. Filters add up. ${FULL_PAGES}`,
    query: eventsQuery,
    output: listingPageOut(eventOut),
    errors: ['venue_unavailable', 'venue_protocol'],
    run: async ({ services, userId, marketTime }, { query }) => {
      const page = await services.browsing(VENUE_A_ID).markets.events(userId, {
        ...inMarketTime(query, marketTime),
        ...pageOf(query),
      });
      return viewListingPage(page, viewEvent);
    },
  }),
  userRoute({
    family: VENUE_A_ID,
    method: 'GET',
    path: '/api/venue_a/markets/events/:id',
    budget: 'reads',
    operationId: 'getEvent',
    summary: 'Get an event by id',
    description: 'One event with its markets.',
    params: z.object({
      id: z
        .string()
        .regex(/^[0-9A-Za-z_-]{1,80}$/, 'an event id')
        .meta({ description: 'The eventId of an event.', examples: ['16084'] }),
    }),
    output: eventOut,
    errors: ['not_found', 'venue_unavailable', 'venue_protocol'],
    run: async ({ services, userId }, { params }) =>
      viewEvent(await services.browsing(VENUE_A_ID).markets.event(userId, params.id)),
  }),
  userRoute({
    family: VENUE_A_ID,
    method: 'GET',
    path: '/api/venue_a/markets/series',
    budget: 'reads',
    operationId: 'listSeries',
    summary: 'List series',
    description: 'Series are events that come again, such as an hourly round.',
    query: z.strictObject(pageFields),
    output: pageOut(seriesOut),
    errors: ['venue_unavailable', 'venue_protocol'],
    run: async ({ services, userId }, { query }) => {
      const page = await services.browsing(VENUE_A_ID).markets.series(userId, pageOf(query));
      return { data: page.data.map(viewSeries), nextCursor: page.nextCursor };
    },
  }),
  userRoute({
    family: VENUE_A_ID,
    method: 'GET',
    path: '/api/venue_a/markets/:id',
    budget: 'reads',
    operationId: 'getMarket',
    summary: 'Get a market by id or slug, open or closed',
    description:
      'One market as the lists show it, with its rules, its prices and, once it is closed, how it ended.',
    params: z.object({
      id: z
        .string()
        .regex(
          new RegExp(`^(${VENUE_A_IDS.market.pattern}|[0-9A-Za-z_-]{1,200})$`),
          'a market id or a slug',
        )
        .meta({ description: "The market's id, or its slug." }),
    }),
    output: marketOut,
    errors: ['not_found', 'venue_unavailable', 'venue_protocol'],
    run: async ({ services, userId }, { params }) =>
      viewMarket(await services.browsing(VENUE_A_ID).markets.market(userId, params.id)),
  }),
  userRoute({
    family: VENUE_A_ID,
    method: 'GET',
    path: '/api/venue_a/token/:id/orderbook/',
    budget: 'reads',
    operationId: 'getOrderBook',
    summary: 'Get the order book of a token',
    description:
      "Bids and asks of one outcome, best first, with the book's age and whether it can be trusted. The " +
      'WebSocket topic `orderbook:venue_a:<tokenId>` streams the same book.',
    params: z.object({ id: idField<TokenId>(VENUE_A_IDS.token) }),
    output: bookOut,
    errors: ['not_found', 'market_closed', 'venue_unavailable', 'venue_protocol'],
    run: async ({ services, userId, nowMs }, { params }) =>
      viewBook(await bookOf(services.browsing(VENUE_A_ID).books, userId, params.id), nowMs),
  }),
  userRoute({
    family: VENUE_A_ID,
    method: 'GET',
    path: '/api/venue_a/token/:id/candlesticks/',
    budget: 'reads',
    operationId: 'getCandlesticksVenueA',
    summary: 'Get prices of a token over time: open, high, low and close of each period',
    description:
      `Periods that end from \`fromAtMs\` to \`toAtMs\`, ${VENUE_A.candlesMaximum} at most, oldest first, without those in which ` +
      'nothing was traded. The venue states one price a minute, one for each sixtieth of a day of a period of a day, and ' +
      'nothing else: `bid`, `ask`, `volume` and `openInterest` are null, and a period of a minute has one price.',
    params: z.object({ id: idField<TokenId>(VENUE_A_IDS.token) }),
    query: candleQuery(CANDLES),
    output: z.object({ tokenId: z.string(), ...candlesOut }),
    errors: ['not_found', 'venue_unavailable', 'venue_protocol'],
    run: async (context, { params: { id }, query }) => {
      const { candles } = context.services.browsing(VENUE_A_ID);
      return {
        tokenId: id,
        ...(await readCandles(candles, context, { id, query, bounds: CANDLES })),
      };
    },
  }),
  userRoute({
    family: VENUE_A_ID,
    method: 'GET',
    path: '/api/venue_a/token/orderbooks/',
    budget: 'reads',
    operationId: 'getOrderBooks',
    summary: 'Get the order books of several tokens',
    description:
      'The books as `GET /api/venue_a/token/:id/orderbook/` gives each, in the order asked for. One that fails leaves the others as they are.',
    query: z.strictObject({ ids: idsField<TokenId>(VENUE_A_IDS.token) }),
    output: pageOut(bookResultOut),
    errors: [],
    run: async ({ services, userId, nowMs }, { query: { ids } }) => {
      const { books } = services.browsing(VENUE_A_ID);
      const data = await Promise.all(
        ids.map(async (tokenId) => {
          try {
            const book = await bookOf(books, userId, tokenId);
            return { tokenId, book: viewBook(book, nowMs), error: null };
          } catch (error) {
            return { tokenId, book: null, error: viewFault(error) };
          }
        }),
      );
      return { data, nextCursor: null };
    },
  }),
  userRoute({
    family: VENUE_A_ID,
    method: 'GET',
    path: '/api/venue_a/whale-txs/',
    budget: 'reads',
    operationId: 'listLargeTrades',
    summary: 'Get large public trades, newest first',
    description: 'Public trades of anybody on the venue above a size in dollars.',
    query: z.strictObject({
      limit: pageFields.limit,
      minimumUsd: whaleMinimum.optional().meta({
        description: 'Smallest trade to list, whole USD.',
        default: API.whaleMinimumUsd,
      }),
    }),
    output: pageOut(whaleOut),
    errors: ['venue_unavailable', 'venue_protocol'],
    run: async ({ services, userId }, { query }) => {
      const trades = await services
        .browsing(VENUE_A_ID)
        .markets.whaleTrades(
          userId,
          query.minimumUsd ?? API.whaleMinimumUsd,
          query.limit ?? API.pageDefault,
        );
      return { data: trades.map(viewWhale), nextCursor: null };
    },
  }),
];
