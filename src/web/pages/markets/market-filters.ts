import { VENUE_CALLS } from '../../api/venues.ts';

/** Venues that a list of markets can be of. */
export const VENUES = Object.keys(VENUE_CALLS);

const SEARCHED_FROM_CHARS = 2;
/** The longest text that the daemon searches by. */
export const SEARCH_MAXIMUM_CHARS = 100;

/** Which markets are listed and in what order, as the address of the page keeps it. */
export interface MarketFilters {
  /** Empty where too little is typed to search by. */
  readonly search: string;
  readonly state: 'active' | 'closed';
  /** Null where markets of all venues are listed. */
  readonly venue: string | null;
  /** Null where venues take turns. */
  readonly sort: 'ending' | null;
}

/** Reads the filters of an address; what it does not know is left out. */
export function filtersOf(parameters: URLSearchParams): MarketFilters {
  const search = (parameters.get('search') ?? '').trim().slice(0, SEARCH_MAXIMUM_CHARS).trim();
  return {
    search: search.length < SEARCHED_FROM_CHARS ? '' : search,
    state: parameters.get('state') === 'closed' ? 'closed' : 'active',
    venue: VENUES.find((each) => each === parameters.get('venue')) ?? null,
    sort: parameters.get('sort') === 'ending' ? 'ending' : null,
  };
}

/** Says of what is typed that it is too little to search by; undefined where it is not. */
export function searchHint(typed: string): string | undefined {
  const { length } = typed.trim();
  return length === 0 || length >= SEARCHED_FROM_CHARS
    ? undefined
    : 'Type at least two letters. Until then every market is listed.';
}

/** Returns the query of the call that lists what the filters say. */
export function queryOf({ search, state, venue, sort }: MarketFilters) {
  return {
    state,
    ...(venue === null ? {} : { venue }),
    ...(sort === null ? {} : { sort }),
    ...(search === '' ? {} : { search }),
  };
}
