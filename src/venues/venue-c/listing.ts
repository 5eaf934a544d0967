import { getAddress } from 'viem';
import { NewestKept } from '../../adapters/memory/newest-kept.ts';
import { VENUE_C } from '../../../config/limits/venue-c.ts';
import { AppError } from '../../domain/errors.ts';
import { asId, type Address, type TokenId } from '../../domain/ids.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { createSharedQuestions } from '../../services/shared-questions.ts';
import { checked } from '../checked.ts';
import type { TokenPlace } from '../whole-books.ts';
import type { VenueClient } from './client.ts';
import { VENUE_C_ID } from './id.ts';
import { isTokenId, parseMarket, type KnownContracts, type ListedMarket } from './parse.ts';
import {
  activePage,
  groupSchema,
  marketSchema,
  namedSchema,
  searchPage,
  type WireGroup,
} from './schema.ts';

/** Where a token belongs. */
export interface PlacedToken extends TokenPlace {
  /** The contract that the market is traded with; null where it has an order book. */
  readonly pool: Address | null;
}

/** A row of a list: a group with those of its markets that are listed, or one market. */
export interface ListedEntry {
  readonly group: WireGroup | null;
  readonly markets: readonly [ListedMarket, ...ListedMarket[]];
}

/** Which list: all that are active, in an order of the venue's, or those a search finds. */
export interface ListSource {
  readonly search: string | undefined;
  /** A value of the venue's `sortBy` (venue_c.md section 6). */
  readonly sortBy: 'ending_soon' | 'newest' | 'high_value' | undefined;
}

/** Rows of a page; null behind the last one. */
interface EntryPage {
  readonly rows: readonly ListedEntry[];
  readonly nextCursor: string | null;
}

/** Reads markets, one by one or page by page, and remembers which tokens are whose. */
export interface Listing {
  /** A market by its slug; null without one that is listed here. Errors: those of `read`. */
  market(slug: string): Promise<ListedMarket | null>;
  /** The group or the market of a slug, as `market`. */
  entry(slug: string): Promise<ListedEntry | null>;
  /**
   * A page of a list from a cursor, which is the number of a page of the largest size; null for
   * the first. Errors: those of `read`, `invalid_request` for an invalid cursor.
   */
  page(source: ListSource, cursor: string | null): Promise<EntryPage>;
  /**
   * A market by one of its tokens: of those read before, else of those that the first pages of the
   * active ones hold, read for all tokens at once: the venue finds no market by its token.
   * Errors: as `market`.
   */
  ofToken(tokenId: TokenId): Promise<ListedMarket | null>;
  /** Where a token belongs, from memory; null where no market of it was read yet. */
  placeOf(tokenId: TokenId): PlacedToken | null;
}

/** Slugs are words, numbers and - (venue_c.md section 4). */
const SLUG = /^[0-9A-Za-z][0-9A-Za-z._-]{0,199}$/;

/** Creates the reader of one lane; tokens are remembered for all that share `places`. */
export function createListing({
  client,
  contracts,
  clock,
  metrics,
  places,
  groups,
}: Pick<Runtime, 'clock' | 'metrics'> & {
  readonly client: VenueClient;
  readonly contracts: KnownContracts;
  readonly places: NewestKept<PlacedToken>;
  /** Of markets, by their slugs: one that is read by itself does not name it. */
  readonly groups: NewestKept<WireGroup>;
}): Listing {
  const sweeps = createSharedQuestions({ clock, keptMs: VENUE_C.collectedKeptMs, keptMaximum: 1 });
  const dropped = (reason: string): void =>
    metrics.count('venue_dropped_total', { venue: VENUE_C_ID, channel: 'listing', reason });

  function listed(value: unknown, group: WireGroup | null): readonly ListedMarket[] {
    const wire = marketSchema.safeParse(value);
    const found = wire.success ? parseMarket(wire.data, group, contracts) : 'unreadable';
    if (typeof found === 'string') {
      dropped(found);
      return [];
    }
    const { marketId, outcomes } = found.market;
    const pool = found.own.tradeType === 'amm' ? addressOf(found.own.address) : null;
    const tokens = [outcomes[0].tokenId, outcomes[1].tokenId] as const;
    for (const outcome of [0, 1] as const)
      places.keep(tokens[outcome], { marketId, outcome, tokens, pool });
    return [found];
  }

  function entryOf(value: unknown): ListedEntry | null {
    const read = groupSchema.safeParse(value);
    const group = read.success ? read.data : null;
    const [first, ...others] =
      group === null
        ? listed(value, groupOf(value))
        : group.markets.flatMap((child) => listed(ofGroup(group, child), group));
    if (group !== null && first !== undefined)
      for (const { market } of [first, ...others])
        groups.keep(market.slug, { ...group, markets: [] });
    return first === undefined ? null : { group, markets: [first, ...others] };
  }

  function groupOf(value: unknown): WireGroup | null {
    const named = namedSchema.safeParse(value);
    return named.success ? (groups.get(named.data.slug) ?? null) : null;
  }

  async function entry(slug: string): Promise<ListedEntry | null> {
    if (!isSlug(slug)) return null;
    const value = await client.read({ path: `/markets/${encodeURIComponent(slug)}` });
    if (value === null) return null;
    if (!groupSchema.safeParse(value).success) checked(marketSchema, value, 'a market');
    return entryOf(value);
  }

  async function market(slug: string): Promise<ListedMarket | null> {
    const found = await entry(slug);
    return found?.markets.find((one) => one.market.slug === slug) ?? null;
  }

  async function page({ search, sortBy }: ListSource, cursor: string | null): Promise<EntryPage> {
    const number = pageNumber(cursor);
    const limit = search === undefined ? VENUE_C.pageMaximum : VENUE_C.searchPageMaximum;
    const query = { page: String(number), limit: String(limit) };
    const [rows, count] =
      search === undefined
        ? await activeRows({ ...query, ...(sortBy === undefined ? {} : { sortBy }) })
        : await foundRows({ ...query, query: search });
    return {
      rows: rows.flatMap((row) => entryOf(row) ?? []),
      nextCursor: rows.length === 0 || number * limit >= count ? null : String(number + 1),
    };
  }

  /** Reads as many pages of active markets as a list may: their tokens are known then. */
  async function sweep(): Promise<void> {
    let cursor: string | null = null;
    for (let reads = 0; reads < VENUE_C.listReadsMaximum; reads += 1) {
      cursor = (await page({ search: undefined, sortBy: undefined }, cursor)).nextCursor;
      if (cursor === null) return;
    }
  }

  async function activeRows(query: Readonly<Record<string, string>>) {
    const value = await client.read({ path: '/markets/active', query });
    const { data, totalMarketsCount } = checked(activePage, value, 'the active markets');
    return [data, totalMarketsCount] as const;
  }

  async function foundRows(query: Readonly<Record<string, string>>) {
    const value = await client.read({ path: '/markets/search', query });
    const { markets, totalMarketsCount } = checked(searchPage, value, 'the markets found');
    return [markets, totalMarketsCount] as const;
  }

  return {
    market,
    entry,
    page,
    placeOf: (tokenId) => places.get(tokenId) ?? null,
    async ofToken(tokenId) {
      if (!isTokenId(tokenId)) return null;
      // what was read by the last sweep is in memory
      if (places.get(tokenId) === undefined) await sweeps('active', sweep);
      const place = places.get(tokenId);
      return place === undefined ? null : market(place.marketId);
    },
  };
}

/** The venue writes its addresses with checksums, and any other writing means the same. */
function addressOf(text: string): Address {
  return asId<Address>(getAddress(text));
}

/** Creates the memory of groups. */
export function createGroups(): NewestKept<WireGroup> {
  return new NewestKept(VENUE_C.groupedKnownMaximum);
}

/** Creates the memory of tokens. */
export function createPlaces(): NewestKept<PlacedToken> {
  return new NewestKept(VENUE_C.tokensKnownMaximum);
}

/** Reports whether text can be the slug of a market. */
export function isSlug(text: string): boolean {
  return SLUG.test(text);
}

/** A market of a group has of the group what it does not state itself. */
function ofGroup(
  { collateralToken, expirationTimestamp, categories, tags, description }: WireGroup,
  child: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const shared = { collateralToken, expirationTimestamp, categories, tags, description };
  return { tradeType: 'clob', ...shared, ...child };
}

function pageNumber(cursor: string | null): number {
  if (cursor === null) return 1;
  if (/^[1-9]\d{0,5}$/.test(cursor)) return Number(cursor);
  throw new AppError('invalid_request', 'cursor: not a cursor of this list', {
    fields: [{ path: '/cursor', message: 'must be the nextCursor of the page before' }],
  });
}
