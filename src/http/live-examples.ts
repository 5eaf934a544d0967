import { API } from '../../config/limits/api.ts';
import { asId, type UserId } from '../domain/ids.ts';
import type { ApiServices } from './services.ts';
import type { VenueApi } from './venue-api.ts';

/** Looks up without a signed-in user: who reads the document has no token. */
const READER = asId<UserId>('openapi');
const CANDIDATES = 5;

/** The ids that the examples of a document name, by venue. */
type ExampleMarkets = ReadonlyMap<VenueApi['venue'], string>;

/**
 * Returns what makes a document whose examples name markets that are there now. It stays one and
 * the same while they do, and is checked again every `API.exampleMarketsKeptMs`; whoever asks
 * meanwhile gets the one before. A venue that does not answer keeps what it showed.
 */
export function createLiveDocument<Document>(
  venues: readonly VenueApi[],
  make: (venues: readonly VenueApi[]) => Document,
): (services: Pick<ApiServices, 'browsing'>, nowMs: number) => Promise<Document> {
  let named: ExampleMarkets = new Map();
  let made: Document | null = null;
  let running: Promise<void> | null = null;
  let untilMs = Number.NEGATIVE_INFINITY;

  async function readExamples(services: Pick<ApiServices, 'browsing'>): Promise<void> {
    const found = await Promise.all(
      venues.map(async ({ venue }) => [venue, await exampleMarket(services, venue)] as const),
    );
    const next = new Map(named);
    for (const [venue, marketId] of found) if (marketId !== null) next.set(venue, marketId);
    const isSame = [...next].every(([venue, marketId]) => named.get(venue) === marketId);
    if (made !== null && isSame) return;
    named = next;
    made = make(venues.map((venue) => naming(venue, named.get(venue.venue))));
  }

  return async (services, nowMs) => {
    if (running === null && nowMs >= untilMs) {
      untilMs = nowMs + API.exampleMarketsKeptMs;
      running = readExamples(services).finally(() => (running = null));
      if (made !== null) running.catch(() => undefined);
    }
    if (made === null) await running;
    return (made ??= make(venues));
  };
}

/** A market that takes orders; null where none can be found now. */
async function exampleMarket(
  { browsing }: Pick<ApiServices, 'browsing'>,
  venue: VenueApi['venue'],
): Promise<string | null> {
  try {
    const page = { limit: CANDIDATES, cursor: null, sort: 'volume' } as const;
    const { data } = await browsing(venue).markets.list(READER, page);
    return (
      data.find(({ listing }) => listing.market.acceptingOrders)?.listing.market.marketId ?? null
    );
  } catch {
    // Whatever it is: the document is worth more than its examples.
    return null;
  }
}

function naming(venue: VenueApi, marketId = venue.exampleMarketId): VenueApi {
  const named = (value: unknown): unknown => {
    if (value === venue.exampleMarketId) return marketId;
    return typeof value === 'object' && value !== null ? namedIn(value) : value;
  };
  const namedIn = (members: object): Readonly<Record<string, unknown>> =>
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name, named(value)]));
  return { ...venue, examples: namedIn(venue.examples), exampleMarketId: marketId };
}
