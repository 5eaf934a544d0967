import { NewestKept } from '../../adapters/memory/newest-kept.ts';
import { VENUE_B } from '../../../config/limits/venue-b.ts';
import type { TokenId } from '../../domain/ids.ts';
import type { Metrics } from '../../ports/metrics.ts';
import { checked } from '../checked.ts';
import type { TokenPlace } from '../whole-books.ts';
import type { VenueClient } from './client.ts';
import { VENUE_B_ID } from './id.ts';
import { isKey, parseMarket, type ListedMarket } from './parse.ts';
import { marketSchema } from './schema.ts';

/** Reads markets, one by one or as rows of lists, and remembers which tokens are whose. */
export interface Listing {
  /**
   * A market by its ticker; null without one that is traded here. Errors: those of `read`.
   */
  market(ticker: string): Promise<ListedMarket | null>;
  /** A market by one of its tokens, as `market`. */
  ofToken(tokenId: TokenId): Promise<ListedMarket | null>;
  /** Those of some rows that are traded here; the others are counted. */
  rows(values: readonly unknown[]): readonly ListedMarket[];
  /** Where a token belongs, from memory; null where no market of it was read yet. */
  placeOf(tokenId: TokenId): TokenPlace | null;
}

/** Tickers are letters, digits, - and . (venue_b.md section 8.1). */
const TICKER = /^[0-9A-Za-z][0-9A-Za-z._-]{0,99}$/;

/** Creates the reader of one lane; tokens are remembered for all that share `places`. */
export function createListing({
  client,
  settlementMint,
  metrics,
  places,
}: {
  readonly client: VenueClient;
  readonly settlementMint: string;
  readonly metrics: Metrics;
  readonly places: NewestKept<TokenPlace>;
}): Listing {
  const dropped = (reason: string): void =>
    metrics.count('venue_dropped_total', { venue: VENUE_B_ID, channel: 'listing', reason });

  function listed(value: unknown): ListedMarket | null {
    const wire = marketSchema.safeParse(value);
    const found = wire.success ? parseMarket(wire.data, settlementMint) : 'unreadable';
    if (typeof found === 'string') {
      dropped(found);
      return null;
    }
    remember(found);
    return found;
  }

  function remember({ market: { marketId, outcomes } }: ListedMarket): void {
    const tokens = [outcomes[0].tokenId, outcomes[1].tokenId] as const;
    tokens.forEach((tokenId, index) =>
      places.keep(tokenId, { marketId, outcome: index === 0 ? 0 : 1, tokens }),
    );
  }

  async function read(path: string): Promise<ListedMarket | null> {
    const value = await client.read({ family: 'metadata', path });
    if (value === null) return null;
    checked(marketSchema, value, 'a market');
    return listed(value);
  }

  return {
    async market(ticker) {
      return TICKER.test(ticker) ? read(`/market/${encodeURIComponent(ticker)}`) : null;
    },
    async ofToken(tokenId) {
      if (!isKey(tokenId)) return null;
      const found = await read(`/market/by-mint/${tokenId}`);
      const isOne = found?.market.outcomes.some((outcome) => outcome.tokenId === tokenId) ?? false;
      return isOne ? found : null;
    },
    rows: (values) => values.flatMap((value) => listed(value) ?? []),
    placeOf: (tokenId) => places.get(tokenId) ?? null,
  };
}

/** Creates the memory of tokens. */
export function createPlaces(): NewestKept<TokenPlace> {
  return new NewestKept(VENUE_B.tokensKnownMaximum);
}

/** Reports whether text can be the ticker of a market, an event or a series. */
export function isTicker(text: string): boolean {
  return TICKER.test(text);
}
