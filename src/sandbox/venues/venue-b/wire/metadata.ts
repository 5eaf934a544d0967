import { z } from 'zod';
import { CONTRACT_VENUE } from '../../../../../config/limits/sandbox.ts';
import { ok, type Call, type Reply, type VenueRoute } from '../../../wire/http-server.ts';
import type { ListedEvent, Listing } from '../model/listing.ts';
import {
  bookShape,
  candlesShape,
  eventShape,
  marketShape,
  seriesShape,
  type MetadataView,
} from './metadata-shapes.ts';
import { tradesPage } from './trades-page.ts';
import { flag, integer, list, refused, withBody, withQuery } from './query.ts';

const STATUSES = [
  'initialized',
  'active',
  'inactive',
  'closed',
  'determined',
  'finalized',
] as const;
const cursor = integer(Number.MAX_SAFE_INTEGER).default(0);
const filters = { status: z.enum(STATUSES).optional(), isInitialized: flag.optional() };
const eventsQuery = z.object({
  limit: integer(CONTRACT_VENUE.marketsPageMaximum)
    .transform((limit) => Math.min(limit, CONTRACT_VENUE.eventsPageMaximum))
    .default(CONTRACT_VENUE.eventsPageDefault),
  cursor,
  withNestedMarkets: flag.default(false),
  seriesTickers: list.optional(),
  sort: z.enum(['volume', 'volume24h', 'liquidity', 'openInterest', 'startDate']).optional(),
  ...filters,
});
const marketsQuery = z.object({
  limit: integer(CONTRACT_VENUE.marketsPageMaximum).default(CONTRACT_VENUE.marketsPageDefault),
  cursor,
  sort: z.enum(['volume', 'volume24h', 'liquidity', 'openInterest', 'startDate']).optional(),
  ...filters,
});
const searchQuery = z
  .object({
    q: z.string().max(200).optional(),
    query: z.string().max(200).optional(),
    sort: z.string().optional(),
    order: z.enum(['asc', 'desc']).optional(),
    limit: integer(CONTRACT_VENUE.marketsPageMaximum).default(20),
    cursor,
    withNestedMarkets: flag.default(false),
    withMarketAccounts: flag.optional(),
  })
  .refine(({ q, query }) => q !== undefined || query !== undefined, 'missing field `q`');
const candlesQuery = z.object({
  startTs: integer(1e11),
  endTs: integer(1e11),
  periodInterval: z.enum(['1', '60', '1440']).transform(Number),
});
const seriesQuery = z.object({
  category: z.string().optional(),
  tags: list.optional(),
  ...filters,
});
const batchBody = z.object({
  tickers: z.array(z.string()).default([]),
  mints: z.array(z.string()).default([]),
});

/** The venue's routes of markets and their data (venue_b.md section 7). */
export function metadataRoutes(view: MetadataView): readonly VenueRoute[] {
  const get = (path: string, run: (call: Call) => Reply): VenueRoute => ({
    method: 'GET',
    path: `/api/v1${path}`,
    run,
  });
  const byTicker = ({ params }: Call): Listing | null => view.model.market(params['ticker'] ?? '');
  const byMint = ({ params }: Call): Listing | null =>
    view.rails.place(params['mint'] ?? '')?.listing ?? null;
  const both = (
    path: string,
    rest: string,
    run: (listing: Listing, call: Call) => Reply,
  ): readonly VenueRoute[] =>
    (
      [
        [`/${path}/:ticker${rest}`, byTicker],
        [`/${path}/by-mint/:mint${rest}`, byMint],
      ] as const
    ).map(([route, find]) =>
      get(route, (call) => {
        const listing = find(call);
        return listing === null ? notFound('market') : run(listing, call);
      }),
    );
  return [
    get(
      '/events',
      withQuery(eventsQuery, (query) => events(view, query)),
    ),
    get(
      '/event/:ticker',
      withQuery(z.object({ withNestedMarkets: flag.default(false) }), (query, { params }) => {
        const event = view.model.event(params['ticker'] ?? '');
        return event === null
          ? notFound('event')
          : ok(eventShape(view, event, query.withNestedMarkets));
      }),
    ),
    get(
      '/markets',
      withQuery(marketsQuery, (query) => markets(view, query)),
    ),
    {
      method: 'POST',
      path: '/api/v1/markets/batch',
      run: withBody(batchBody, (body) => batch(view, body)),
    },
    ...both('market', '', (listing) => ok(marketShape(view, listing))),
    ...both('market', '/candlesticks', (listing, call) =>
      withQuery(candlesQuery, (query) => candles(view, [listing], query))(call),
    ),
    get('/event/:ticker/candlesticks', (call) => {
      const event = view.model.event(call.params['ticker'] ?? '');
      return event === null
        ? notFound('event')
        : withQuery(candlesQuery, (query) => candles(view, event.markets, query))(call);
    }),
    ...both('orderbook', '', (listing) => {
      const book = view.model.book(listing);
      return book === null ? notFound('orderbook') : ok(bookShape(book));
    }),
    get('/trades', (call) => tradesPage(view.model, call, call.query.get('ticker'))),
    get('/trades/by-mint/:mint', (call) =>
      tradesPage(view.model, call, byMint(call)?.ticker ?? ''),
    ),
    ...mintRoutes(view),
    ...seriesRoutes(view),
  ];
}

function mintRoutes({ model, rails, isInitialized }: MetadataView): readonly VenueRoute[] {
  const minted = (listing: Listing): readonly string[] => {
    const { yes, no } = rails.of(listing).mints;
    return [yes.address, no.address];
  };
  return [
    {
      method: 'GET',
      path: '/api/v1/outcome_mints',
      run: withQuery(z.object({ minCloseTs: integer(1e11).default(0) }), ({ minCloseTs }) =>
        ok({
          mints: listings(model.events())
            .filter((listing) => listing.closeMs >= minCloseTs * 1_000 && isInitialized(listing))
            .flatMap(minted),
        }),
      ),
    },
    {
      method: 'POST',
      path: '/api/v1/filter_outcome_mints',
      run: withBody(
        z.object({ addresses: z.array(z.string()).max(CONTRACT_VENUE.filterMaximum) }),
        ({ addresses }) =>
          ok({
            outcomeMints: addresses.filter((mint) => (rails.place(mint)?.side ?? null) !== null),
          }),
      ),
    },
  ];
}

function seriesRoutes(view: MetadataView): readonly VenueRoute[] {
  const { model } = view;
  return [
    {
      method: 'GET',
      path: '/api/v1/series',
      run: withQuery(seriesQuery, ({ category, tags, ...filter }) => {
        const withMarkets = new Set(
          listings(model.events())
            .filter((listing) => passes(view, listing, filter))
            .map(({ seriesTicker }) => seriesTicker),
        );
        return ok({
          series: model
            .series()
            .filter(
              (series) =>
                (category === undefined || series.category === category) &&
                (tags === undefined || tags.some((tag) => series.tags.includes(tag))) &&
                withMarkets.has(series.ticker),
            )
            .map(seriesShape),
        });
      }),
    },
    {
      method: 'GET',
      path: '/api/v1/series/:ticker',
      run: ({ params }) => {
        const series = model.series().find(({ ticker }) => ticker === params['ticker']);
        return series === undefined ? notFound('series') : ok(seriesShape(series));
      },
    },
    {
      method: 'GET',
      path: '/api/v1/tags_by_categories',
      run: () => {
        const tags: Record<string, string[]> = {};
        for (const series of model.series())
          tags[series.category] = [...new Set([...(tags[series.category] ?? []), ...series.tags])];
        return ok({ tagsByCategories: tags });
      },
    },
    {
      method: 'GET',
      path: '/api/v1/search',
      run: withQuery(searchQuery, ({ q, query, limit, cursor: from, withNestedMarkets }) => {
        const words = (q ?? query ?? '').toLowerCase().split(/\s+/);
        const found = model.events().filter((event) => {
          const text = [event.ticker, event.title, ...event.markets.map(({ title }) => title)]
            .join(' ')
            .toLowerCase();
          return words.every((word) => text.includes(word));
        });
        return ok({
          events: found
            .slice(from, from + limit)
            .map((event) => eventShape(view, event, withNestedMarkets)),
          cursor: Math.min(found.length, from + limit),
        });
      }),
    },
  ];
}

function events(view: MetadataView, query: z.output<typeof eventsQuery>): Reply {
  const { limit, cursor: from, withNestedMarkets, seriesTickers, sort, ...filter } = query;
  const found = view.model
    .events()
    .filter(
      (event) =>
        (seriesTickers === undefined || seriesTickers.includes(event.seriesTicker)) &&
        event.markets.some((listing) => passes(view, listing, filter)),
    );
  const sorted = sort === undefined ? found : bySize(view, found, sort);
  return ok({
    events: sorted
      .slice(from, from + limit)
      .map((event) => eventShape(view, event, withNestedMarkets)),
    cursor: Math.min(sorted.length, from + limit),
  });
}

function bySize(
  view: MetadataView,
  found: readonly ListedEvent[],
  sort: NonNullable<z.output<typeof eventsQuery>['sort']>,
): readonly ListedEvent[] {
  const key = (event: ListedEvent): number =>
    sort === 'startDate'
      ? -(event.markets[0]?.openMs ?? 0)
      : Number(eventShape(view, event, false)[sort]);
  const keys = new Map(found.map((event) => [event, key(event)]));
  return [...found].sort((one, other) => (keys.get(other) ?? 0) - (keys.get(one) ?? 0));
}

function markets(view: MetadataView, query: z.output<typeof marketsQuery>): Reply {
  const { limit, cursor: from, sort, ...filter } = query;
  const { model } = view;
  const found = listings(model.events()).filter((listing) => passes(view, listing, filter));
  const nowMs = model.clock.nowMs();
  const sorted =
    sort === undefined
      ? found
      : sort === 'startDate'
        ? [...found].sort((one, other) => one.openMs - other.openMs)
        : [...found].sort((one, other) => model.volume(other, nowMs) - model.volume(one, nowMs));
  return ok({
    markets: sorted.slice(from, from + limit).map((listing) => marketShape(view, listing)),
    cursor: Math.min(sorted.length, from + limit),
  });
}

function batch(view: MetadataView, { tickers, mints }: z.output<typeof batchBody>): Reply {
  if (tickers.length + mints.length > CONTRACT_VENUE.batchMaximum)
    return refused(
      400,
      'too_many_identifiers',
      `at most ${CONTRACT_VENUE.batchMaximum} tickers and mints`,
    );
  const found = [
    ...tickers.map((ticker) => view.model.market(ticker)),
    ...mints.map((mint) => view.rails.place(mint)?.listing ?? null),
  ].filter((listing) => listing !== null);
  const unique = [...new Map(found.map((listing) => [listing.ticker, listing])).values()];
  return ok({ markets: unique.map((listing) => marketShape(view, listing)), cursor: null });
}

function candles(
  { model }: MetadataView,
  of: readonly Listing[],
  { startTs, endTs, periodInterval }: z.output<typeof candlesQuery>,
): Reply {
  const periodMs = periodInterval * 60_000;
  if (endTs < startTs) return refused(400, 'invalid_query', 'endTs lies before startTs');
  if (((endTs - startTs) * 1_000) / periodMs > CONTRACT_VENUE.candlesMaximum)
    return refused(
      400,
      'too_many_candlesticks',
      `at most ${CONTRACT_VENUE.candlesMaximum} candlesticks`,
    );
  const span = { fromMs: startTs * 1_000, toMs: endTs * 1_000, periodMs };
  const [first, ...others] = of;
  if (first !== undefined && others.length === 0) return ok(candlesShape(model, first, span));
  return ok({
    market_tickers: of.map(({ ticker }) => ticker),
    market_candlesticks: of.map(
      // made right there
      (listing) => (candlesShape(model, listing, span) as { candlesticks: unknown }).candlesticks,
    ),
    adjusted_end_ts: endTs,
  });
}

function passes(
  view: MetadataView,
  listing: Listing,
  {
    status,
    isInitialized,
  }: { readonly status?: string | undefined; readonly isInitialized?: boolean | undefined },
): boolean {
  return (
    (status === undefined || view.model.state(listing).status === status) &&
    (isInitialized === undefined || view.isInitialized(listing) === isInitialized)
  );
}

function listings(of: readonly ListedEvent[]): readonly Listing[] {
  return of.flatMap(({ markets: own }) => own);
}

function notFound(what: string): Reply {
  return refused(404, 'not_found', `${what} not found`);
}
