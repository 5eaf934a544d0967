import type { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { MarketId } from '../../domain/ids.ts';
import { asId } from '../../domain/ids.ts';
import type { Market } from '../../domain/market.ts';
import { TICKS_PER_USD, costMicros, priceTicks, shareMicros } from '../../domain/units.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MarketDirectory, MarketEvent, MarketQuery, Page, WhaleTrade } from '../../ports/venue.ts';
import type { VenueClient } from './client.ts';
import { answerOf } from './client.ts';
import { microsOfNumber, msOfTimestamp, scaledNumber } from './decimals.ts';
import { parseEvent, parseMarket, parseResolution, readEvent, readMarket, roundSlug, withCompact } from './gamma-parse.ts';
import type { GammaMarket } from './gamma-schema.ts';
import { clobMarketSchema, compactMarketSchema, eventPageSchema, gammaEventSchema, gammaMarketSchema, marketPageSchema, searchSchema, seriesListSchema } from './gamma-schema.ts';
import { publicTradesSchema } from './schema.ts';

/** What the directory is made of. */
export interface DirectoryParts {
  readonly client: VenueClient;
  readonly clock: Clock;
}

/** Rows the discovery interface gives at most in one page (venue_a.md section 10). */
const PAGE_MAXIMUM = 100;
const SERIES_PAGE_MAXIMUM = 50;
/** Most events of one page of a search: the sandbox refuses more, and the venue's own figure is not known. */
const SEARCH_PAGE_MAXIMUM = 50;

/** Makes the directory over the discovery interface, the order book's market objects and the data interface. */
export function createDirectory({ client, clock }: DirectoryParts): MarketDirectory {
  return {
    async round(asset, minutes, startsAtMs) {
      const value = await discovery(client, `/events/slug/${roundSlug(asset, minutes, startsAtMs)}`);
      if (value === null) return null;
      const event = checked(gammaEventSchema, value, 'an event');
      // Strictly: the one market that is asked for is refused with a reason where it cannot be read.
      const listed = (event.markets ?? []).flatMap((row) => parseMarket(checked(gammaMarketSchema, row, 'a market'), event) ?? []);
      const market = listed.find(({ window }) => window !== null && window.asset === asset && window.minutes === minutes && window.startsAtMs === startsAtMs);
      if (market === undefined) return null;
      const compact = await compactOf(client, market.marketId);
      return compact === null ? null : withCompact(market, compact);
    },
    async market(marketId) {
      const wire = await listedById(client, marketId);
      const market = wire === null ? null : parseMarket(wire, null);
      if (market === null) return null;
      const compact = await compactOf(client, marketId);
      return compact === null ? { ...market, acceptingOrders: false } : withCompact(market, compact);
    },
    async marketOfToken(tokenId) {
      const wire = await listed(client, { clob_token_ids: tokenId }, (found) => found.clobTokenIds.includes(tokenId));
      return wire === null ? null : this.market(asId<MarketId>(wire.conditionId));
    },
    markets: (query) => (query.search === undefined ? listMarkets(client, query) : searchMarkets(client, query, query.search)),
    events: (query) => (query.search === undefined ? listEvents(client, query) : searchEvents(client, query, query.search)),
    async event(eventId) {
      // The id travels in a path: anything but an id of the venue cannot be one.
      if (!/^[0-9]{1,20}$/.test(eventId)) return null;
      const value = await discovery(client, `/events/${eventId}`);
      return value === null ? null : parseEvent(checked(gammaEventSchema, value, 'an event'));
    },
    async series(query) {
      const offset = offsetOf(query.cursor);
      const limit = Math.min(query.limit, SERIES_PAGE_MAXIMUM);
      const rows = checked(seriesListSchema, await discovery(client, '/series', { limit: String(limit), offset: String(offset), exclude_events: 'true' }), 'the series');
      return {
        data: rows.map(({ id, slug, title, recurrence }) => ({ seriesId: id, slug: slug ?? '', title: title ?? '', recurrence: recurrence ?? '' })),
        nextCursor: rows.length < limit ? null : String(offset + rows.length),
      };
    },
    async resolution(marketId) {
      const wire = await listedById(client, marketId);
      if (wire === null) return null;
      const value = await client.read({ family: 'public', method: 'GET', path: `/markets/${marketId}` });
      return parseResolution(wire, value === null ? null : checked(clobMarketSchema, value, 'a market'), clock.nowMs());
    },
    whaleTrades: (minimumUsd, limit) => whaleTrades(client, minimumUsd, limit),
  };
}

async function discovery(client: VenueClient, path: string, query?: Readonly<Record<string, string>>): Promise<unknown> {
  return client.read({ family: 'directory', method: 'GET', path, ...(query === undefined ? {} : { query }) });
}

function listedById(client: VenueClient, marketId: MarketId): Promise<GammaMarket | null> {
  return listed(client, { condition_ids: marketId }, (found) => found.conditionId.toLowerCase() === marketId.toLowerCase());
}

/** A market by what the discovery interface can filter by. Closed ones are listed apart, and an open one is the usual question. */
async function listed(client: VenueClient, by: Readonly<Record<string, string>>, isAsked: (wire: GammaMarket) => boolean): Promise<GammaMarket | null> {
  for (const closed of ['false', 'true']) {
    const page = checked(marketPageSchema, await discovery(client, '/markets/keyset', { ...by, closed, limit: '1' }), 'a page of markets');
    const [row] = page.markets;
    if (row === undefined) continue;
    const wire = checked(gammaMarketSchema, row, 'a market');
    if (isAsked(wire)) return wire;
  }
  return null;
}

async function compactOf(client: VenueClient, marketId: MarketId): Promise<z.infer<typeof compactMarketSchema> | null> {
  const value = await client.read({ family: 'public', method: 'GET', path: `/clob-markets/${marketId}` });
  return value === null ? null : checked(compactMarketSchema, value, 'a compact market');
}

async function listMarkets(client: VenueClient, query: MarketQuery): Promise<Page<Market>> {
  const page = checked(marketPageSchema, await keyset(client, '/markets/keyset', query), 'a page of markets');
  const data = page.markets.flatMap((row) => readMarket(row, null) ?? []);
  return { data, nextCursor: cursorOrNull(page.next_cursor) };
}

async function listEvents(client: VenueClient, query: MarketQuery): Promise<Page<MarketEvent>> {
  const page = checked(eventPageSchema, await keyset(client, '/events/keyset', query), 'a page of events');
  return { data: page.events.flatMap((row) => readEvent(row) ?? []), nextCursor: cursorOrNull(page.next_cursor) };
}

async function searchEvents(client: VenueClient, query: MarketQuery, text: string): Promise<Page<MarketEvent>> {
  const pageNumber = offsetOf(query.cursor) + 1;
  const answer = checked(searchSchema, await discovery(client, '/public-search', {
    q: text, limit_per_type: String(Math.min(query.limit, SEARCH_PAGE_MAXIMUM)), page: String(pageNumber), events_status: query.closed === true ? 'resolved' : 'active',
  }), 'a search answer');
  return { data: (answer.events ?? []).flatMap((row) => readEvent(row) ?? []), nextCursor: answer.pagination?.hasMore === true ? String(pageNumber) : null };
}

/** The venue pages by events, of which each may have many markets: the cursor names the page of events and how many of its markets have been given. */
async function searchMarkets(client: VenueClient, query: MarketQuery, text: string): Promise<Page<Market>> {
  const [pageCursor = '0', given = '0', ...more] = (query.cursor ?? '0').split('.');
  if (more.length > 0) throw foreignCursor();
  const from = offsetOf(given);
  const events = await searchEvents(client, { ...query, cursor: pageCursor }, text);
  const markets = events.data.flatMap((event) => event.markets).filter(({ closed }) => closed === (query.closed ?? false));
  const until = from + query.limit;
  return { data: markets.slice(from, until), nextCursor: until < markets.length ? `${pageCursor}.${until}` : events.nextCursor };
}

/** A page by the venue's own cursor, which only the venue can judge: it refuses one that is none of its with 400 or 422. */
async function keyset(client: VenueClient, path: string, { limit, cursor, closed }: MarketQuery): Promise<unknown> {
  const query = { limit: String(Math.min(limit, PAGE_MAXIMUM)), closed: String(closed ?? false), ...(cursor === null ? {} : { after_cursor: cursor }) };
  const call = { family: 'directory', method: 'GET', path, query } as const;
  const outcome = await client.call(call);
  if (cursor !== null && outcome.kind === 'answered' && (outcome.status === 400 || outcome.status === 422)) throw foreignCursor();
  return answerOf(call, outcome);
}

function cursorOrNull(cursor: string | null | undefined): string | null {
  return cursor === undefined || cursor === '' ? null : cursor;
}

function offsetOf(cursor: string | null): number {
  if (cursor === null) return 0;
  if (!/^\d{1,6}$/.test(cursor)) throw foreignCursor();
  return Number(cursor);
}

function foreignCursor(): AppError {
  return new AppError('invalid_request', 'cursor: not a cursor of this list', { fields: [{ path: '/cursor', message: 'must be the nextCursor of the page before' }] });
}

async function whaleTrades(client: VenueClient, minimumUsd: number, limit: number): Promise<readonly WhaleTrade[]> {
  const rows = checked(publicTradesSchema, await client.read({
    family: 'data', method: 'GET', path: '/trades',
    query: { takerOnly: 'true', filterType: 'CASH', filterAmount: String(minimumUsd), limit: String(limit) },
  }), 'the public trades');
  return rows.flatMap((row): WhaleTrade[] => {
    const ticks = scaledNumber(row.price, 4);
    const shares = microsOfNumber(row.size);
    // Sweeps report an average price with many decimals: cut to a tick for display. Prices of 0 or 1 are redemptions.
    if (ticks === null || shares === null || ticks < 1 || ticks >= TICKS_PER_USD) return [];
    return [{
      transactionHash: row.transactionHash, trader: asId(row.proxyWallet), marketId: asId(row.conditionId), tokenId: asId(row.asset), title: row.title, outcome: row.outcome ?? '',
      side: row.side === 'BUY' ? 'buy' : 'sell', shares: shareMicros(shares), price: priceTicks(ticks), usdc: costMicros(shareMicros(shares), priceTicks(ticks), 'floor'), atMs: msOfTimestamp(row.timestamp),
    }];
  });
}

function checked<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const read = schema.safeParse(value);
  if (!read.success) throw new AppError('venue_protocol', `${what} has another shape: ${read.error.issues[0]?.path.join('.') ?? ''} ${read.error.issues[0]?.message ?? ''}`);
  return read.data;
}
