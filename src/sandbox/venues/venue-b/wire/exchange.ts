import { z } from 'zod';
import { CONTRACT_VENUE } from '../../../../../config/limits/sandbox.ts';
import { ok, readJson, type Call, type Reply, type VenueRoute } from '../../../wire/http-server.ts';
import type { Listing, MarketStatus } from '../model/listing.ts';
import type { MarketModel } from '../model/market-model.ts';
import type { ExchangeKeys } from './exchange-auth.ts';
import {
  exchangeBids,
  exchangeCandles,
  exchangeEvent,
  exchangeMarket,
  exchangeSeries,
  exchangeTrade,
} from './exchange-shapes.ts';
import { flag, integer, list, withQuery } from './query.ts';
import { searchRoute } from './search.ts';

const PREFIX = '/trade-api/v2';
/** What callers ask for, and what rows then say (venue_b.md section 15.1). */
const STATUSES = {
  unopened: ['initialized'],
  open: ['active'],
  paused: ['inactive'],
  closed: ['closed'],
  settled: ['determined', 'finalized'],
} as const satisfies Record<string, readonly MarketStatus[]>;
const status = z.enum(['unopened', 'open', 'paused', 'closed', 'settled']).optional();
const seconds = integer(1e11);
const marketsQuery = z.object({
  limit: integer(1_000).default(100),
  cursor: z.string().default(''),
  event_ticker: z.string().optional(),
  series_ticker: z.string().optional(),
  tickers: list.optional(),
  status,
  min_close_ts: seconds.default(0),
  max_close_ts: seconds.default(1e11),
});
const eventsQuery = z.object({
  limit: integer(200).default(200),
  cursor: z.string().default(''),
  with_nested_markets: flag.default(false),
  series_ticker: z.string().optional(),
  tickers: list.optional(),
  status,
  min_close_ts: seconds.default(0),
});
const tradesQuery = z.object({
  limit: integer(1_000).default(100),
  cursor: z.string().default(''),
  ticker: z.string().optional(),
  min_ts: seconds.default(0),
  max_ts: seconds.default(1e11),
});
const seriesQuery = z.object({ category: z.string().optional(), tags: list.optional() });
const candlesQuery = z.object({
  start_ts: seconds,
  end_ts: seconds,
  period_interval: z.enum(['1', '60', '1440']).transform(Number),
});

/** What the interface knows beside books and listings. */
export interface ExchangeState {
  readonly keys: ExchangeKeys;
  /** Whether its clearing is under maintenance at present. */
  isClosed(): boolean;
}

/**
 * The interface of the exchange behind the venue (venue_b.md section 15), reads alone: its books
 * and listings are the router's.
 */
export function exchangeRoutes(
  model: MarketModel,
  { keys, isClosed }: ExchangeState,
): readonly VenueRoute[] {
  const get = (path: string, run: (call: Call) => Reply): VenueRoute => ({
    method: 'GET',
    path: `${PREFIX}${path}`,
    // Nothing here is private: who signs nothing is anybody, but a signature that is there must
    // hold.
    run: (call) =>
      call.header('kalshi-access-key') === '' || keys.isSigned(call)
        ? run(call)
        : failure(401, 'authentication_error', 'invalid signature'),
  });
  const marketOf = ({ params }: Call): Listing | null => model.market(params['ticker'] ?? '');
  return [
    get('/exchange/status', () => {
      const isOpen = !isClosed();
      return ok({ exchange_active: isOpen, trading_active: isOpen });
    }),
    get(
      '/series',
      withQuery(seriesQuery, ({ category, tags }) =>
        ok({
          series: model
            .series()
            .filter(
              (series) =>
                (category ?? series.category) === series.category &&
                (tags?.some((tag) => series.tags.includes(tag)) ?? true),
            )
            .map(exchangeSeries),
        }),
      ),
    ),
    get('/series/:ticker', ({ params }) => {
      const series = model.series().find(({ ticker }) => ticker === params['ticker']);
      return series === undefined ? notFound() : ok({ series: exchangeSeries(series) });
    }),
    get(
      '/events',
      withQuery(eventsQuery, (query) => events(model, query)),
    ),
    get('/events/:ticker', ({ params, query }) => {
      const event = model.event(params['ticker'] ?? '');
      const isNested = query.get('with_nested_markets') === 'true';
      if (event === null) return notFound();
      const markets = event.markets.map((listing) => exchangeMarket(model, listing));
      return ok({ event: exchangeEvent(model, event, isNested), ...(isNested ? {} : { markets }) });
    }),
    get(
      '/markets',
      withQuery(marketsQuery, (query) => markets(model, query)),
    ),
    get(
      '/markets/trades',
      withQuery(tradesQuery, (query) => trades(model, query)),
    ),
    get('/markets/orderbooks', ({ query }) =>
      ok({
        orderbooks: query
          .getAll('tickers')
          .flatMap((ticker) => {
            const listing = model.market(ticker);
            return listing === null ? [] : [{ ticker, ...bookOf(model, listing, 0) }];
          })
          .slice(0, CONTRACT_VENUE.batchMaximum),
      }),
    ),
    get('/markets/:ticker', (call) => {
      const listing = marketOf(call);
      return listing === null ? notFound() : ok({ market: exchangeMarket(model, listing) });
    }),
    get('/markets/:ticker/orderbook', (call) => {
      const listing = marketOf(call);
      const depth = Number(call.query.get('depth') ?? 0);
      if (!Number.isInteger(depth) || depth < 0 || depth > 100)
        return failure(400, 'invalid_parameters', 'depth');
      return listing === null ? notFound() : ok(bookOf(model, listing, depth));
    }),
    get('/series/:series/markets/:ticker/candlesticks', (call) => {
      const listing = marketOf(call);
      return listing === null || listing.seriesTicker !== call.params['series']
        ? notFound()
        : withQuery(candlesQuery, (query) => candles(model, listing, query))(call);
    }),
    searchRoute(model),
    {
      method: 'POST',
      path: '/sandbox/api-keys',
      run({ body }) {
        const read = z.strictObject({ publicKey: z.string().max(4_000) }).safeParse(readJson(body));
        const keyId = read.success ? keys.add(read.data.publicKey) : null;
        return keyId === null
          ? failure(400, 'invalid_parameters', 'publicKey is no RSA key in PEM')
          : ok({ keyId });
      },
    },
  ];
}

function markets(model: MarketModel, query: z.output<typeof marketsQuery>): Reply {
  const { limit, cursor, event_ticker: event, series_ticker: series, tickers } = query;
  const wanted: readonly string[] | null =
    query.status === undefined ? null : STATUSES[query.status];
  const found = model
    .events()
    .flatMap((each) => each.markets)
    .filter(
      (listing) =>
        (event ?? listing.eventTicker) === listing.eventTicker &&
        (series ?? listing.seriesTicker) === listing.seriesTicker &&
        (tickers?.includes(listing.ticker) ?? true) &&
        listing.closeMs >= query.min_close_ts * 1_000 &&
        listing.closeMs <= query.max_close_ts * 1_000 &&
        (wanted?.includes(model.state(listing).status) ?? true),
    );
  return page(found, { limit, cursor }, (rows, next) => ({
    markets: rows.map((listing) => exchangeMarket(model, listing)),
    cursor: next,
  }));
}

function events(model: MarketModel, query: z.output<typeof eventsQuery>): Reply {
  const { limit, cursor, series_ticker: series, tickers, with_nested_markets: isNested } = query;
  const wanted: readonly string[] | null =
    query.status === undefined ? null : STATUSES[query.status];
  const found = model
    .events()
    .filter(
      (event) =>
        (series ?? event.seriesTicker) === event.seriesTicker &&
        (tickers?.includes(event.ticker) ?? true) &&
        event.markets.some(
          (listing) =>
            listing.closeMs >= query.min_close_ts * 1_000 &&
            (wanted?.includes(model.state(listing).status) ?? true),
        ),
    );
  return page(found, { limit, cursor }, (rows, next) => ({
    events: rows.map((event) => exchangeEvent(model, event, isNested)),
    cursor: next,
  }));
}

function trades(model: MarketModel, query: z.output<typeof tradesQuery>): Reply {
  const nowMs = model.clock.nowMs();
  const hour = 3_600_000;
  const of =
    query.ticker === undefined
      ? model
          .events()
          .flatMap((event) => event.markets)
          .filter((listing) => model.state(listing).status === 'active')
      : [model.market(query.ticker)].filter((listing) => listing !== null);
  const found = of
    .flatMap((listing) =>
      model.trades(
        listing,
        Math.max(
          query.min_ts * 1_000,
          query.ticker === undefined ? nowMs - hour : nowMs - 24 * hour,
        ),
        Math.min(query.max_ts * 1_000 + 1, nowMs + 1),
      ),
    )
    .sort((one, other) => other.atMs - one.atMs);
  return page(found, query, (rows, next) => ({ trades: rows.map(exchangeTrade), cursor: next }));
}

function candles(
  model: MarketModel,
  listing: Listing,
  { start_ts: from, end_ts: to, period_interval: minutes }: z.output<typeof candlesQuery>,
): Reply {
  if ((to - from) / 60 / minutes > CONTRACT_VENUE.candlesMaximum)
    return failure(
      400,
      'invalid_parameters',
      `at most ${CONTRACT_VENUE.candlesMaximum} candlesticks`,
    );
  const span = { fromMs: from * 1_000, toMs: to * 1_000, periodMs: minutes * 60_000 };
  return ok({ ticker: listing.ticker, candlesticks: exchangeCandles(model, listing, span) });
}

function bookOf(model: MarketModel, listing: Listing, depth: number): object {
  const book = model.book(listing);
  return {
    orderbook_fp: {
      yes_dollars: exchangeBids(book?.yes, depth),
      no_dollars: exchangeBids(book?.no, depth),
    },
  };
}

/** A page by a cursor that counts rows, as opaque text; empty at the end. */
function page<T>(
  rows: readonly T[],
  { limit, cursor }: { readonly limit: number; readonly cursor: string },
  shape: (rows: readonly T[], next: string) => object,
): Reply {
  const from = cursor === '' ? 0 : Number(Buffer.from(cursor, 'base64url').toString('utf8'));
  if (!Number.isSafeInteger(from) || from < 0)
    return failure(400, 'invalid_parameters', 'invalid cursor');
  const to = from + limit;
  const next = to < rows.length ? Buffer.from(String(to)).toString('base64url') : '';
  return ok(shape(rows.slice(from, to), next));
}

function notFound(): Reply {
  return failure(404, 'not_found', 'not found');
}

function failure(code: number, name: string, message: string): Reply {
  return {
    kind: 'json',
    status: code,
    body: { error: { code: name, message, service: 'exchange' } },
  };
}
