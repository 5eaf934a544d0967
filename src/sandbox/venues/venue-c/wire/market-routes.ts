import { POOL_VENUE } from '../../../../../config/limits/sandbox-pools.ts';
import { ok, type Call, type Reply, type SlowRoute } from '../../../wire/http-server.ts';
import { CATEGORIES } from '../model/catalogue.ts';
import type { BookExchange } from '../model/exchange.ts';
import type { VenueMarket } from '../model/market.ts';
import {
  bookMarketShape,
  bookShape,
  eventShape,
  slugShape,
  type ListedRow,
} from './market-shapes.ts';
import { fillEventShape } from './pool-shapes.ts';
import { pageOf, refused } from './replies.ts';
import type { PoolSide, ShownMarkets } from './shown-markets.ts';

const MINUTE_MS = 60_000;
/** How far an interval of historical prices goes back, and its steps. */
const INTERVALS: Readonly<Record<string, { readonly backMs: number; readonly stepMs: number }>> = {
  '1h': { backMs: 60 * MINUTE_MS, stepMs: MINUTE_MS },
  '6h': { backMs: 360 * MINUTE_MS, stepMs: 5 * MINUTE_MS },
  '1d': { backMs: 1_440 * MINUTE_MS, stepMs: 15 * MINUTE_MS },
  '1w': { backMs: 10_080 * MINUTE_MS, stepMs: 120 * MINUTE_MS },
  '1m': { backMs: 43_200 * MINUTE_MS, stepMs: 480 * MINUTE_MS },
};
/** Points of all there is. */
const ALL_POINTS = 100;

/** Public reads of markets (venue_c.md section 6). */
export function marketRoutes(
  exchange: BookExchange,
  shown: ShownMarkets,
  amm: PoolSide | null,
): readonly SlowRoute[] {
  const get = (path: string, run: SlowRoute['run']): SlowRoute => ({ method: 'GET', path, run });
  /** A route of one market, whose prices move from then on. */
  const ofMarket = (
    path: string,
    run: (market: VenueMarket, call: Call) => Reply | Promise<Reply>,
  ): SlowRoute =>
    get(path, (call) => {
      const slug = call.params['slug'] ?? '';
      const market = shown.find(slug);
      if (shown.group(slug) !== null) return refused(400, 'Not available for group markets');
      if (market === null) return refused(404, 'Market not found');
      shown.read(market);
      return run(market, call);
    });

  async function active({ query, params }: Call): Promise<Reply> {
    const paged = pageOf(query, { usual: 10, most: POOL_VENUE.marketsPageMaximum });
    if (paged === null) return refused(400, 'limit must not be greater than 25');
    const { page, limit } = paged;
    const category = params['category'];
    const tradeType = query.get('tradeType') ?? '';
    const wanted = rowsOf(sorted(exchange.markets(), query.get('sortBy'))).filter(
      ([market]) =>
        (category === undefined || categoryId(market) === category) &&
        ['', market.group === null ? market.tradeType : 'group'].includes(tradeType) &&
        [automationOf(market), null].includes(query.get('automationType')),
    );
    const data = await shown.shapes(wanted.slice((page - 1) * limit, page * limit));
    return ok({ data, totalMarketsCount: wanted.length });
  }

  async function search({ query }: Call): Promise<Reply> {
    const words = (query.get('query') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const paged = pageOf(query, { usual: 10, most: POOL_VENUE.searchPageMaximum });
    if (words.length === 0) return refused(400, 'query should not be empty');
    if (paged === null) return refused(400, 'limit must not be greater than 50');
    const { page, limit } = paged;
    const found = rowsOf(exchange.markets()).filter((row) =>
      [row[0].group?.title ?? '', ...row.map(({ title }) => title)].some((title) =>
        words.every((word) => title.toLowerCase().includes(word)),
      ),
    );
    const markets = await shown.shapes(found.slice((page - 1) * limit, page * limit));
    return ok({ markets, totalMarketsCount: found.length });
  }

  return [
    get('/markets/active', active),
    get('/markets/active/slugs', () =>
      ok(rowsOf(exchange.markets()).map((row) => slugShape(exchange, row))),
    ),
    get('/markets/active/:category', active),
    get('/markets/search', search),
    get('/markets/categories/count', () => {
      const counts: Record<string, number> = {};
      for (const market of exchange.markets())
        counts[categoryId(market)] = (counts[categoryId(market)] ?? 0) + 1;
      return ok({ category: counts, totalCount: exchange.markets().length });
    }),
    get('/categories', () => ok(CATEGORIES.map((name, index) => ({ id: index + 1, name })))),
    get('/markets/:slug', async ({ params }) => {
      const slug = params['slug'] ?? '';
      const group = shown.group(slug);
      const market = shown.find(slug);
      const row: ListedRow | null = group ?? (market === null ? null : [market]);
      for (const each of row ?? []) shown.read(each);
      const [shape] =
        market !== null && market.group !== null
          ? [bookMarketShape(exchange, market)]
          : await shown.shapes(row === null ? [] : [row]);
      return shape === undefined ? refused(404, 'Market not found') : ok(shape);
    }),
    ofMarket('/markets/:slug/orderbook', (market) =>
      market.tradeType === 'clob'
        ? ok(bookShape(exchange, market))
        : refused(400, 'Orderbook is not available for AMM markets'),
    ),
    ofMarket('/markets/:slug/historical-price', (market, { query }) =>
      historicalPrices(exchange, market, query),
    ),
    ofMarket('/markets/:slug/events', (market, { query }) => {
      const paged = pageOf(query, { usual: 10, most: POOL_VENUE.eventsPageMaximum });
      if (paged === null) return refused(400, 'limit must not be greater than 100');
      const { page, limit } = paged;
      const events =
        market.tradeType === 'clob'
          ? exchange.book(market).trades.map((trade) => eventShape(market, trade))
          : (amm?.pools.tape.ofMarket(market.slug) ?? []).map((fill) =>
              fillEventShape(market, fill),
            );
      return ok({
        events: events.slice((page - 1) * limit, page * limit),
        page,
        limit,
        totalPages: Math.ceil(events.length / limit),
        totalRows: events.length,
      });
    }),
  ];
}

/** What YES was worth, newest first. */
function historicalPrices(
  exchange: BookExchange,
  market: VenueMarket,
  query: URLSearchParams,
): Reply {
  const interval = query.get('interval') ?? '1w';
  const endMs = Math.min(exchange.clock.nowMs(), market.endsAtMs);
  const lifeMs = Math.max(MINUTE_MS, endMs - market.createdAtMs);
  const asked =
    interval === 'all'
      ? { backMs: lifeMs, stepMs: Math.ceil(lifeMs / ALL_POINTS) }
      : INTERVALS[interval];
  if (asked === undefined) return refused(400, 'interval must be one of 1h, 6h, 1d, 1w, 1m, all');
  const [fromMs, toMs] = [dateOf(query.get('from')), dateOf(query.get('to'))];
  if (fromMs === undefined || toMs === undefined)
    return refused(400, 'from and to must be valid ISO 8601 date strings');
  const firstMs = Math.max(market.createdAtMs, fromMs ?? endMs - asked.backMs);
  const prices: { price: number; timestamp: number }[] = [];
  for (
    let atMs = Math.min(endMs, toMs ?? endMs);
    atMs >= firstMs && prices.length < ALL_POINTS;
    atMs -= asked.stepMs
  ) {
    const fair = exchange.values.fairAt(market, atMs);
    if (fair !== null) prices.push({ price: Math.round(fair * 1_000) / 1_000, timestamp: atMs });
  }
  return ok([{ title: market.title, prices }]);
}

/** Null without one, undefined for any other text. */
function dateOf(text: string | null): number | null | undefined {
  if (text === null) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

function sorted(markets: readonly VenueMarket[], by: string | null): readonly VenueMarket[] {
  return by === 'newest' ? [...markets].sort((a, b) => b.createdAtMs - a.createdAtMs) : markets;
}

/** Markets of a group are one row, where the first of them is. */
function rowsOf(markets: readonly VenueMarket[]): readonly ListedRow[] {
  const rows = new Map<string, [VenueMarket, ...VenueMarket[]]>();
  for (const market of markets) {
    const name = market.group?.slug ?? market.slug;
    const row = rows.get(name);
    if (row === undefined) rows.set(name, [market]);
    else row.push(market);
  }
  return [...rows.values()];
}

function automationOf({ window }: VenueMarket): string {
  return window === null ? 'manual' : 'lumy';
}

/** Number of a market's category, decimal text. */
function categoryId({ categories: [name = ''] }: VenueMarket): string {
  return String(CATEGORIES.indexOf(name) + 1);
}
