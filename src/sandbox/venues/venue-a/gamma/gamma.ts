import type { Clock } from '../../../../ports/clock.ts';
import type { Exchange } from '../../../engine/exchange-types.ts';
import type { FaultBoard } from '../../../faults.ts';
import { TAGS, type ListedWindow, type Listing, type ListingTag } from '../../../engine/listing.ts';
import type { MarketStats } from '../../../engine/market-stats.ts';
import { ROUND_SERIES } from '../markets/rounds.ts';
import {
  endingOf,
  eventJson,
  marketJson,
  seriesHead,
  tagJson,
  tagsJson,
  type GammaView,
} from './gamma-shapes.ts';
import { pageOf, valuesOf, type PageRules, type QueryRow } from './gamma-query.ts';
import { sortKeys, wantsEvent, wantsMarket, type EventRow } from './gamma-filters.ts';
import {
  oneTeamAnswer,
  sportsAnswer,
  sportsMarketTypesAnswer,
  teamsAnswer,
} from './gamma-sports.ts';
import {
  json,
  startFeedHost,
  type FeedAnswer,
  type FeedHost,
  type FeedRequest,
} from '../../../feeds/feed-host.ts';

export interface CatalogueOptions {
  readonly clock: Clock;
  readonly faults: FaultBoard;
  readonly exchange: Exchange;
  readonly stats: MarketStats;
  readonly listings: () => readonly Listing[];
  readonly strikeE18: (window: ListedWindow) => bigint | null;
  readonly finalE18: (window: ListedWindow) => bigint | null;
  readonly twap: boolean;
  /** The price to beat is shown this long after the start. */
  readonly strikeDelayMs: number;
}

/** How far behind a stale listing is, and how late a late strike, when the fault names no delay. */
const STALE_MS = 300_000;
const LATE_STRIKE_MS = 30_000;
const MARKET_PAGES: PageRules = { limitDefault: 20, limitMaximum: 100, by: 'cursor' };
const OLD_PAGES: PageRules = { limitDefault: 20, limitMaximum: 100, by: 'offset' };
const SERIES_PAGES: PageRules = { limitDefault: 20, limitMaximum: 50, by: 'offset' };

/** Starts the venue's catalogue (venue_a.md section 10). */
export function startGamma(
  options: CatalogueOptions & {
    readonly port: number;
  },
): Promise<FeedHost> {
  return startFeedHost(options.port, options.faults, {
    answer: (request) => answerCatalogue(request, options),
  });
}

type Handler = (request: FeedRequest, catalogue: Catalogue, part: string) => FeedAnswer;

const ROUTES: readonly (readonly [RegExp, Handler])[] = [
  [/^\/markets\/keyset$/, (request, catalogue) => marketPage(request, catalogue, MARKET_PAGES)],
  [/^\/markets$/, (request, catalogue) => marketPage(request, catalogue, OLD_PAGES)],
  [
    /^\/markets\/slug\/([^/]+)$/,
    (request, catalogue, slug) =>
      oneMarket(request, catalogue, (listing) => listing.market.slug === slug),
  ],
  [
    /^\/markets\/(\d+)\/tags$/,
    (_request, catalogue, id) =>
      tagsOf(catalogue.listings.find(({ listingId }) => listingId === id)),
  ],
  [
    /^\/markets\/(\d+)$/,
    (request, catalogue, id) =>
      oneMarket(request, catalogue, (listing) => listing.listingId === id),
  ],
  [/^\/events\/keyset$/, (request, catalogue) => eventPage(request, catalogue, MARKET_PAGES)],
  [/^\/events$/, (request, catalogue) => eventPage(request, catalogue, OLD_PAGES)],
  [
    /^\/events\/slug\/([^/]+)$/,
    (_request, catalogue, slug) => oneEvent(catalogue, (listing) => listing.event.slug === slug),
  ],
  [
    /^\/events\/(\d+)\/tags$/,
    (_request, catalogue, id) =>
      tagsOf(catalogue.listings.find(({ event }) => event.eventId === id)),
  ],
  [
    /^\/events\/(\d+)$/,
    (_request, catalogue, id) => oneEvent(catalogue, (listing) => listing.event.eventId === id),
  ],
  [/^\/series$/, seriesPage],
  [/^\/series\/(\d+)$/, oneSeries],
  [/^\/tags$/, () => json(200, Object.values(TAGS).map(tagJson))],
  [/^\/tags\/slug\/([^/]+)$/, (_request, _catalogue, slug) => oneTag((tag) => tag.slug === slug)],
  [
    /^\/tags\/slug\/([^/]+)\/related-tags(?:\/tags)?$/,
    (_request, _catalogue, slug) => relatedTags((tag) => tag.slug === slug),
  ],
  [/^\/tags\/(\d+)$/, (_request, _catalogue, id) => oneTag((tag) => tag.id === id)],
  [
    /^\/tags\/(\d+)\/related-tags(?:\/tags)?$/,
    (_request, _catalogue, id) => relatedTags((tag) => tag.id === id),
  ],
  [/^\/sports$/, sportsAnswer],
  [/^\/sports\/market-types$/, sportsMarketTypesAnswer],
  [/^\/teams$/, teamsAnswer],
  [/^\/teams\/(\d+)$/, (_request, _catalogue, id) => oneTeamAnswer(id) ?? notFound()],
  [/^\/comments$/, commentPage],
  [/^\/comments\/user_address\/0x[0-9a-fA-F]{40}$/, commentPage],
  [/^\/comments\/\d+$/, () => json(200, [])],
  [
    /^\/status$/,
    () => ({ status: 200, body: 'OK', headers: { 'content-type': 'text/plain; charset=utf-8' } }),
  ],
  [/^\/public-search$/, search],
];

interface Catalogue {
  readonly view: GammaView;
  /** What is listed at the moment shown. */
  readonly listings: readonly Listing[];
}

/** Answers one request to the catalogue. */
export function answerCatalogue(request: FeedRequest, options: CatalogueOptions): FeedAnswer {
  if (request.method !== 'GET')
    return json(405, { type: 'method not allowed', error: 'method not allowed' });
  const path = request.path.length > 1 ? request.path.replace(/\/$/, '') : request.path;
  for (const [pattern, handler] of ROUTES) {
    const found = pattern.exec(path);
    if (found !== null) return handler(request, catalogueOf(options, path), found[1] ?? '');
  }
  return json(404, { type: 'not found error', error: 'not found' });
}

function catalogueOf(options: CatalogueOptions, path: string): Catalogue {
  const { clock, faults, stats, exchange } = options;
  const stale = faults.take('stale-listing', { path });
  const seenAtMs = clock.nowMs() - (stale === null ? 0 : stale.delayOr(STALE_MS));
  const view: GammaView = {
    seenAtMs,
    twap: options.twap,
    isHydrated: ({ market, hydratedAtMs }) =>
      hydratedAtMs <= seenAtMs &&
      faults.take('late-hydration', { path, marketId: market.marketId }) === null,
    isOfOtherVersion: ({ market: { marketId }, window }) =>
      faults.isArmed('other-version', {
        path,
        marketId,
        ...(window === null ? {} : { asset: window.series.asset }),
      }),
    figures: ({ market, priorVolumeUsd = 0 }) => {
      const figures = stats.figures(market);
      return { ...figures, volumeUsd: figures.volumeUsd + priorVolumeUsd };
    },
    current: ({ market }) => exchange.market(market.marketId) ?? market,
    strikeE18(window) {
      if (seenAtMs < window.startsAtMs + options.strikeDelayMs) return null;
      const late = faults.take('late-strike', { path, asset: window.series.asset });
      if (late !== null && seenAtMs < window.startsAtMs + late.delayOr(LATE_STRIKE_MS)) return null;
      const stated = options.strikeE18(window);
      return stated !== null &&
        faults.take('strike-contradicted', { path, asset: window.series.asset }) !== null
        ? stated + stated / 1_000n
        : stated;
    },
    finalE18: (window) =>
      seenAtMs < window.endsAtMs + options.strikeDelayMs ? null : options.finalE18(window),
  };
  return { view, listings: options.listings().filter(({ listedAtMs }) => listedAtMs <= seenAtMs) };
}

interface MarketRow extends QueryRow {
  readonly listing: Listing;
}

function marketPage({ query }: FeedRequest, catalogue: Catalogue, rules: PageRules): FeedAnswer {
  const rows = catalogue.listings
    .filter((listing) => wantsMarket(query, listing, catalogue.view))
    .map(
      (listing): MarketRow => ({
        id: listing.listingId,
        listing,
        sort: sortKeys([listing], listing.listingId, catalogue.view),
      }),
    );
  const page = pageOf(rows, query, rules);
  if (page.kind === 'refused') return refused(page.reason);
  const markets = page.rows.map(({ listing }) => taggedMarket(query, listing, catalogue.view));
  return rules.by === 'offset'
    ? json(200, markets)
    : json(200, { markets, ...(page.nextCursor === null ? {} : { next_cursor: page.nextCursor }) });
}

/** Tags come only to those who ask for them. */
function taggedMarket(
  query: URLSearchParams,
  listing: Listing,
  view: GammaView,
): Record<string, unknown> {
  return {
    ...marketJson(listing, view),
    ...(query.get('include_tag') === 'true' ? { tags: tagsJson(listing) } : {}),
  };
}

function eventPage({ query }: FeedRequest, catalogue: Catalogue, rules: PageRules): FeedAnswer {
  const page = pageOf(
    eventRows(catalogue).filter((row) => wantsEvent(query, row, catalogue.view)),
    query,
    rules,
  );
  if (page.kind === 'refused') return refused(page.reason);
  const events = page.rows.map(({ listings }) => eventJson(listings, catalogue.view));
  return rules.by === 'offset'
    ? json(200, events)
    : json(200, { events, ...(page.nextCursor === null ? {} : { next_cursor: page.nextCursor }) });
}

function eventRows({ listings, view }: Catalogue): readonly EventRow[] {
  const events = new Map<string, [Listing, ...Listing[]]>();
  for (const listing of listings) {
    const members = events.get(listing.event.eventId);
    if (members === undefined) events.set(listing.event.eventId, [listing]);
    else members.push(listing);
  }
  return [...events].map(([id, members]) => ({
    id,
    listings: members,
    sort: sortKeys(members, id, view),
  }));
}

function oneMarket(
  { query }: FeedRequest,
  { listings, view }: Catalogue,
  test: (listing: Listing) => boolean,
): FeedAnswer {
  const listing = listings.find(test);
  return listing === undefined ? notFound() : json(200, taggedMarket(query, listing, view));
}

function oneEvent({ listings, view }: Catalogue, test: (listing: Listing) => boolean): FeedAnswer {
  const [first, ...others] = listings.filter(test);
  return first === undefined ? notFound() : json(200, eventJson([first, ...others], view));
}

function tagsOf(listing: Listing | undefined): FeedAnswer {
  return listing === undefined ? notFound() : json(200, tagsJson(listing));
}

function oneTag(test: (tag: ListingTag) => boolean): FeedAnswer {
  const tag = Object.values(TAGS).find(test);
  return tag === undefined ? notFound() : json(200, tagJson(tag));
}

/** No tag here is related to another: known tags have an empty list. */
function relatedTags(test: (tag: ListingTag) => boolean): FeedAnswer {
  return Object.values(TAGS).some(test) ? json(200, []) : notFound();
}

/** There are no comments here: the page is empty, and refused where the venue refuses it. */
function commentPage({ query }: FeedRequest): FeedAnswer {
  const page = pageOf([], query, OLD_PAGES);
  return page.kind === 'refused' ? refused(page.reason) : json(200, []);
}

function seriesPage({ query }: FeedRequest, catalogue: Catalogue): FeedAnswer {
  const wanted = ROUND_SERIES.filter(
    ({ seriesSlug, minutes }) =>
      (valuesOf(query, 'slug')?.includes(seriesSlug) ?? true) &&
      (valuesOf(query, 'recurrence')?.includes(`${minutes}m`) ?? true),
  );
  const page = pageOf(
    wanted.map((series) => ({
      id: series.seriesId,
      series,
      sort: { id: Number(series.seriesId) },
    })),
    query,
    SERIES_PAGES,
  );
  if (page.kind === 'refused') return refused(page.reason);
  return json(
    200,
    page.rows.map(({ series }) =>
      seriesWithEvents(series.seriesId, catalogue, query.get('exclude_events') === 'true'),
    ),
  );
}

function oneSeries(_request: FeedRequest, catalogue: Catalogue, id: string): FeedAnswer {
  const found = seriesWithEvents(id, catalogue, false);
  return found === null ? notFound() : json(200, found);
}

function seriesWithEvents(
  id: string,
  { listings, view }: Catalogue,
  bare: boolean,
): Record<string, unknown> | null {
  const series = ROUND_SERIES.find(({ seriesId }) => seriesId === id);
  if (series === undefined) return null;
  const open = bare
    ? []
    : listings.filter(
        (listing) => listing.window?.series === series && endingOf(listing, view) === null,
      );
  return {
    ...seriesHead(series),
    ...(bare
      ? {}
      : {
          events: open.map((listing) => ({
            id: listing.event.eventId,
            slug: listing.event.slug,
            ticker: listing.event.slug,
            title: listing.event.title,
            closed: false,
          })),
        }),
  };
}

const SEARCH_DEFAULT = 10;
const SEARCH_MAXIMUM = 100;
/** How the search names what the lists sort by. */
const SEARCH_ORDER: Readonly<Record<string, string>> = {
  volume: 'volume',
  volume_24hr: 'volume24hr',
  liquidity: 'liquidity',
  competitive: 'competitive',
  closed_time: 'closedTime',
  start_date: 'startDate',
  end_date: 'endDate',
};

/** Finds events by words of their titles; profiles are not modelled here. */
function search({ query }: FeedRequest, catalogue: Catalogue): FeedAnswer {
  const words = (query.get('q') ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return refused('q is required');
  const [asked, page] = [
    Number(query.get('limit_per_type') ?? SEARCH_DEFAULT),
    Number(query.get('page') ?? 1),
  ];
  if (!Number.isInteger(asked) || asked < 1 || !Number.isInteger(page) || page < 1)
    return refused('limit_per_type and page must be positive whole numbers');
  const limit = Math.min(asked, SEARCH_MAXIMUM);
  const order = SEARCH_ORDER[query.get('sort') ?? ''];
  if (query.has('sort') && order === undefined)
    return refused(`cannot sort by ${query.get('sort') ?? ''}`);
  const wantsEnded = ['resolved', 'closed'].includes(query.get('events_status') ?? '');
  const found = eventRows(catalogue).filter(({ listings }) => {
    const text = listings
      .map(({ market, event }) => `${event.title} ${market.question} ${event.slug}`)
      .join(' ')
      .toLowerCase();
    return (
      words.every((word) => text.includes(word)) &&
      listings.every((listing) => endingOf(listing, catalogue.view) !== null) === wantsEnded
    );
  });
  if (order !== undefined)
    found.sort(
      (a, b) =>
        (query.get('ascending') === 'true' ? 1 : -1) *
        ((a.sort[order] ?? 0) - (b.sort[order] ?? 0)),
    );
  const shown = found.slice((page - 1) * limit, page * limit);
  const tags = Object.values(TAGS).filter(({ label }) =>
    words.some((word) => label.toLowerCase().includes(word)),
  );
  return json(200, {
    events: shown.map(({ listings }) => eventJson(listings, catalogue.view)),
    tags: query.get('search_tags') === 'true' ? tags : [],
    profiles: [],
    pagination: { hasMore: page * limit < found.length, totalResults: found.length },
  });
}

function notFound(): FeedAnswer {
  return json(404, { type: 'not found error', error: 'not found' });
}

function refused(reason: string): FeedAnswer {
  return json(422, { type: 'validation error', error: reason });
}
