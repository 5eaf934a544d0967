import { AppError, type ErrorCode } from '../domain/errors.ts';
import { asId, type UserId, type VenueId } from '../domain/ids.ts';
import type { ListingPage, MarketQuery } from '../ports/catalogue.ts';
import type { Markets, PricedListing } from './markets.ts';
import { pageByEnd, placeByEnd, placeText } from './markets-by-end.ts';

/**
 * A venue whose markets are missing from a page, and why; the next page asks it again from the same
 * place.
 */
interface MissingVenue {
  readonly venue: VenueId;
  readonly code: ErrorCode;
  readonly detail: string;
}

/** A page over all venues. */
export interface FoundMarkets extends ListingPage<PricedListing> {
  readonly missing: readonly MissingVenue[];
}

/** Which markets. */
interface MarketSearchQuery extends Pick<MarketQuery, 'search' | 'state' | 'limit' | 'cursor'> {
  /** Of one venue; of all where absent. */
  readonly venue?: VenueId | undefined;
  /** By their ends over all venues, as `MarketQuery` orders them; in turn where absent. */
  readonly sort?: 'ending' | undefined;
}

/** Markets of all venues in one list. */
export interface MarketSearch {
  /**
   * Returns a page to which every venue that has more gives its share, in turn, and those come
   * first whose names have what is searched for; or a page in the order of their ends. It is full,
   * or the list is over, unless a venue is missing or its list incomplete. Errors:
   * `invalid_request` for an invalid cursor, one of another venue's list among them, and for a
   * venue that is not here.
   */
  find(userId: UserId, query: MarketSearchQuery): Promise<FoundMarkets>;
}

/** A venue that may have more, and where its next page begins. */
type Place = readonly [venue: VenueId, cursor: string | null];

interface Answer {
  readonly place: Place;
  readonly found: ListingPage<PricedListing> | MissingVenue;
}

/** Makes the search. */
export function createMarketSearch({
  venues: all,
  markets,
}: {
  /** In the order in which they are shown. */
  readonly venues: readonly VenueId[];
  /** Errors: `venue_unavailable` for one that is not open. */
  readonly markets: (venue: VenueId) => Pick<Markets, 'list'>;
}): MarketSearch {
  function venueOf(venue: VenueId): VenueId {
    if (all.includes(venue)) return venue;
    const message = `one of ${all.join(', ')}`;
    throw new AppError('invalid_request', `venue: ${message}`, {
      fields: [{ path: '/venue', message }],
    });
  }
  async function ask(userId: UserId, query: MarketSearchQuery, place: Place): Promise<Answer> {
    const [venue, cursor] = place;
    const { search, state, limit } = query;
    const find = () => markets(venue).list(userId, { search, state, limit, cursor });
    return { place, found: await pageOf(find, venue) };
  }
  async function findByEnd(userId: UserId, query: MarketSearchQuery): Promise<FoundMarkets> {
    const { search, state, limit, cursor } = query;
    const venues = query.venue === undefined ? all : [venueOf(query.venue)];
    const missing: MissingVenue[] = [];
    const { data, places, isIncomplete } = await pageByEnd(
      cursor === null
        ? venues.map((venue) => ({ venue, cursor: null, given: null }))
        : placesOf(cursor, venues, placeByEnd, ({ venue }) => venue),
      {
        limit,
        direction: state === 'closed' ? -1 : 1,
        async read(venue, from) {
          const asked = { search, state, limit, cursor: from, sort: 'ending' } as const;
          const page = await pageOf(() => markets(venue).list(userId, asked), venue);
          if ('data' in page) return page;
          missing.push(page);
          return null;
        },
      },
    );
    return {
      data,
      nextCursor: places.length === 0 ? null : textOf(places.map(placeText)),
      ...(isIncomplete ? { incomplete: true } : {}),
      missing,
    };
  }
  return {
    async find(userId, query) {
      if (query.sort === 'ending') return findByEnd(userId, query);
      const { limit, cursor } = query;
      const venues = query.venue === undefined ? all : [venueOf(query.venue)];
      const lists = new Map<VenueId, readonly PricedListing[]>();
      const missing: MissingVenue[] = [];
      /** Those that are asked no more for this page: what they have comes on the next. */
      const later: Place[] = [];
      let incomplete = false;
      let places: readonly Place[] =
        cursor === null
          ? venues.map((venue): Place => [venue, null])
          : placesOf(cursor, venues, placeOf, ([venue]) => venue);
      let left = limit;
      // Where a venue has less than its share, the others fill the page. A venue that is asked has
      // its share or ends, so there are at most as many rounds as venues, and one.
      for (let rounds = 0; rounds <= venues.length && left > 0 && places.length > 0; rounds += 1) {
        const asked = places.slice(0, left);
        const shares = asked.map((_, index) => shareOf(left, asked.length, index));
        const answers = await Promise.all(
          asked.map((place, index) => ask(userId, { ...query, limit: shares[index] ?? 1 }, place)),
        );
        places = places.slice(asked.length);
        for (const { place, found } of answers) {
          const [venue] = place;
          if (!('data' in found)) {
            missing.push(found);
            later.push(place);
            continue;
          }
          lists.set(venue, [...(lists.get(venue) ?? []), ...found.data]);
          left -= found.data.length;
          incomplete ||= found.incomplete ?? false;
          if (found.nextCursor === null) continue;
          const next: Place = [venue, found.nextCursor];
          if (found.incomplete === true) later.push(next);
          else places = [...places, next];
        }
      }
      const next = [...places, ...later];
      return {
        data: nearestFirst(inTurn([...lists.values()]), query.search ?? ''),
        nextCursor: next.length === 0 ? null : textOf(next),
        ...(incomplete ? { incomplete } : {}),
        missing,
      };
    },
  };
}

/** What one of several gives of a number of rows. */
function shareOf(rows: number, parts: number, index: number): number {
  return Math.floor(rows / parts) + (index < rows % parts ? 1 : 0);
}

/** One venue that does not answer is no reason to keep the others from being seen. */
async function pageOf(
  ask: () => Promise<ListingPage<PricedListing>>,
  venue: VenueId,
): Promise<ListingPage<PricedListing> | MissingVenue> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof AppError) || !error.retryable) throw error;
    return { venue, code: error.code, detail: error.message };
  }
}

/** The first of each, then the second of each, so that no venue fills the top. */
function inTurn<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => list.slice(index, index + 1)),
  ).flat();
}

/** Those whose name begins with what was typed, then those that have it somewhere, then others. */
function nearestFirst(found: readonly PricedListing[], search: string): readonly PricedListing[] {
  const typed = search.trim().toLowerCase();
  if (typed === '') return found;
  const placeOfTyped = ({ listing: { market, eventTitle, groupTitle } }: PricedListing): number => {
    const at = [market.question, eventTitle ?? '', groupTitle ?? ''].map((name) =>
      name.trim().toLowerCase().indexOf(typed),
    );
    return at.includes(0) ? 0 : at.some((each) => each > 0) ? 1 : 2;
  };
  return found.toSorted((one, other) => placeOfTyped(one) - placeOfTyped(other));
}

function textOf(places: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(places)).toString('base64url');
}

/** Reads a cursor, each of whose places is of one of these venues. */
function placesOf<P>(
  cursor: string,
  venues: readonly VenueId[],
  read: (place: unknown) => P | null,
  venueIn: (place: P) => VenueId,
): readonly P[] {
  const places = parsed(cursor);
  if (Array.isArray(places) && places.length > 0 && places.length <= venues.length) {
    const known = places.flatMap((each: unknown) => {
      const place = read(each);
      return place !== null && venues.includes(venueIn(place)) ? [place] : [];
    });
    if (known.length === places.length) return known;
  }
  const message = 'must be the nextCursor of the page before';
  throw new AppError('invalid_request', `cursor: ${message}`, {
    fields: [{ path: '/cursor', message }],
  });
}

function placeOf(place: unknown): Place | null {
  if (!Array.isArray(place) || place.length !== 2) return null;
  const [name, cursor]: readonly unknown[] = place;
  if (typeof name !== 'string' || !(cursor === null || typeof cursor === 'string')) return null;
  return [asId<VenueId>(name), cursor];
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return null;
  }
}
