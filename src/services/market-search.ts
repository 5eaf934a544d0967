import { AppError } from '../domain/errors.ts';
import type { ErrorCode } from '../domain/errors.ts';
import { asId } from '../domain/ids.ts';
import type { UserId, VenueId } from '../domain/ids.ts';
import type { MarketQuery, Page } from '../ports/venue.ts';
import type { Markets, PricedListing } from './markets.ts';

/**
 * A venue whose markets are missing from a page, and why; the next page asks it again from the same
 * place.
 */
export interface MissingVenue {
  readonly venue: VenueId;
  readonly code: ErrorCode;
  readonly detail: string;
}

/** A page over all venues. */
export interface FoundMarkets extends Page<PricedListing> {
  readonly missing: readonly MissingVenue[];
}

/** Which markets. */
export type MarketSearchQuery = Pick<MarketQuery, 'search' | 'state' | 'limit' | 'cursor'>;

/** Markets of all venues in one list. */
export interface MarketSearch {
  /**
   * Returns a page to which every venue that has more gives its share, in turn. Errors:
   * `invalid_request` for a cursor that is none.
   */
  find(userId: UserId, query: MarketSearchQuery): Promise<FoundMarkets>;
}

/** What a search is made over. */
export interface MarketSearchDeps {
  /** In the order in which they are shown. */
  readonly venues: readonly VenueId[];
  /** Errors: `venue_unavailable` for one that is not open. */
  readonly markets: (venue: VenueId) => Pick<Markets, 'list'>;
}

/** A venue that may have more, and where its next page begins. */
type Place = readonly [venue: VenueId, cursor: string | null];

interface Answer {
  readonly place: Place;
  readonly found: Page<PricedListing> | MissingVenue;
}

/** Makes the search. */
export function createMarketSearch({ venues, markets }: MarketSearchDeps): MarketSearch {
  return {
    async find(userId, { limit, cursor, search, state }) {
      const places =
        cursor === null ? venues.map((venue): Place => [venue, null]) : placesOf(cursor, venues);
      const asked = places.slice(0, limit);
      const answers = await Promise.all(
        asked.map(async (place, index): Promise<Answer> => {
          const [venue, from] = place;
          const share = Math.floor(limit / asked.length) + (index < limit % asked.length ? 1 : 0);
          const query = { search, state, limit: share, cursor: from };
          return { place, found: await pageOf(() => markets(venue).list(userId, query), venue) };
        }),
      );
      // Those that were not asked come first on the next page.
      const next = [...places.slice(limit), ...answers.flatMap(nextPlaces)];
      return {
        data: inTurn(answers.map(({ found }) => ('data' in found ? found.data : []))),
        nextCursor: next.length === 0 ? null : textOf(next),
        missing: answers.flatMap(({ found }) => ('data' in found ? [] : [found])),
      };
    },
  };
}

/** One venue that does not answer is no reason to keep the others from being seen. */
async function pageOf(
  ask: () => Promise<Page<PricedListing>>,
  venue: VenueId,
): Promise<Page<PricedListing> | MissingVenue> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof AppError) || !error.retryable) throw error;
    return { venue, code: error.code, detail: error.message };
  }
}

function nextPlaces({ place, found }: Answer): readonly Place[] {
  if (!('data' in found)) return [place];
  return found.nextCursor === null ? [] : [[place[0], found.nextCursor]];
}

/** The first of each, then the second of each, so that no venue fills the top. */
function inTurn<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => list.slice(index, index + 1)),
  ).flat();
}

function textOf(places: readonly Place[]): string {
  return Buffer.from(JSON.stringify(places)).toString('base64url');
}

function placesOf(cursor: string, venues: readonly VenueId[]): readonly Place[] {
  const places = read(cursor);
  if (Array.isArray(places) && places.length > 0 && places.length <= venues.length) {
    const known = places.flatMap((place: unknown) => placeOf(place, venues));
    if (known.length === places.length) return known;
  }
  const message = 'must be the nextCursor of the page before';
  throw new AppError('invalid_request', `cursor: ${message}`, {
    fields: [{ path: '/cursor', message }],
  });
}

function placeOf(place: unknown, venues: readonly VenueId[]): readonly Place[] {
  if (!Array.isArray(place) || place.length !== 2) return [];
  const [name, cursor]: readonly unknown[] = place;
  if (typeof name !== 'string' || !(cursor === null || typeof cursor === 'string')) return [];
  const venue = asId<VenueId>(name);
  return venues.includes(venue) ? [[venue, cursor]] : [];
}

function read(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return null;
  }
}
