import type { Address, Asset, MarketId, TokenId } from '../domain/ids.ts';
import type { Market, OutcomeIndex, Resolution } from '../domain/market.ts';
import type { MarketListing, MarketTag, SeriesName } from '../domain/market-listing.ts';
import type { PriceTicks, ShareMicros, UsdcMicros } from '../domain/units.ts';

/** A page of something. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

/** A page of a venue's list: full, or the last, unless it is incomplete. */
export interface ListingPage<T> extends Page<T> {
  /**
   * True where the venue lists more than one answer may search: more that fits may follow behind
   * the cursor, or, of an ordered list, lies beyond what was ordered.
   */
  readonly incomplete?: boolean;
}

/** Which page of something. */
export interface PageQuery {
  readonly limit: number;
  readonly cursor: string | null;
}

/** How to browse markets. */
export interface MarketQuery extends PageQuery {
  /** Text in titles. */
  readonly search?: string | undefined;
  /** Those that are open, unless closed ones are asked for. */
  readonly state?: 'active' | 'closed' | undefined;
  /** Of events this is no filter. */
  readonly eventId?: string | undefined;
  readonly seriesId?: string | undefined;
  /** Short name of a series. */
  readonly series?: string | undefined;
  /** Short name of a tag. */
  readonly tag?: string | undefined;
  readonly slug?: string | undefined;
  /** The venue's own term for how far a market has come; takes the place of `state`. */
  readonly status?: string | undefined;
  readonly endsAfterMs?: number | undefined;
  readonly endsBeforeMs?: number | undefined;
  /**
   * Largest volume first, in all or of the last day; next to end first (of closed ones, last to
   * have ended); newest first. The venue's own order where absent.
   */
  readonly sort?: 'volume' | 'volume24h' | 'ending' | 'newest' | undefined;
}

/** An event: a container of markets. */
export interface MarketEvent {
  readonly eventId: string;
  readonly slug: string;
  readonly title: string;
  /** Plain text; empty without one. */
  readonly description: string;
  readonly series: SeriesName | null;
  readonly tags: readonly MarketTag[];
  readonly imageUrl: string | null;
  readonly iconUrl: string | null;
  readonly startsAtMs: number | null;
  readonly endsAtMs: number | null;
  readonly closed: boolean;
  readonly volumeUsd: number;
  readonly volume24hUsd: number | null;
  /** Null where the venue states none. */
  readonly liquidityUsd: number | null;
  readonly markets: readonly MarketListing[];
}

/** A recurring template. */
export interface MarketSeries {
  readonly seriesId: string;
  readonly slug: string;
  readonly title: string;
  readonly recurrence: string;
}

/** A large public trade. */
export interface WhaleTrade {
  readonly transactionHash: string;
  readonly trader: Address;
  readonly marketId: MarketId;
  readonly tokenId: TokenId;
  readonly title: string;
  /** Short names of the market and its event; null where the venue does not say. */
  readonly slug: string | null;
  readonly eventSlug: string | null;
  readonly outcome: string;
  readonly outcomeIndex: OutcomeIndex | null;
  readonly side: 'buy' | 'sell';
  readonly shares: ShareMicros;
  readonly price: PriceTicks;
  readonly usdc: UsdcMicros;
  readonly atMs: number;
}

/** Markets as they are traded. Errors: `venue_unavailable`, `venue_protocol`. */
export interface Catalogue {
  market(marketId: MarketId): Promise<Market | null>;
  /** The market one of whose outcomes this token is; null without one. */
  marketOfToken(tokenId: TokenId): Promise<Market | null>;
  /** How the market ended; null while it has not. */
  resolution(marketId: MarketId): Promise<Resolution | null>;
}

/** Recurring rounds of assets. Errors: `venue_unavailable`, `venue_protocol`. */
export interface RoundDirectory extends Pick<Catalogue, 'market'> {
  /**
   * The round that starts at `startsAtMs`; null while it is not listed or not hydrated (ask again,
   * never cache that).
   */
  round(asset: Asset, minutes: 5 | 15, startsAtMs: number): Promise<Market | null>;
}

/**
 * Markets as people search for them. What is traded by is never taken from a listing's prices,
 * which may be minutes old. Errors: those of the catalogue; of lists `invalid_request` for a
 * cursor, tag, series or event the venue does not know, with its path.
 */
export interface MarketDirectory extends Catalogue {
  markets(query: MarketQuery): Promise<ListingPage<MarketListing>>;
  /** A market as people read it, by its id or its slug; null without one. */
  listing(idOrSlug: string): Promise<MarketListing | null>;
  events(query: MarketQuery): Promise<ListingPage<MarketEvent>>;
  event(eventId: string): Promise<MarketEvent | null>;
  series(query: PageQuery): Promise<Page<MarketSeries>>;
  whaleTrades(minimumUsd: number, limit: number): Promise<readonly WhaleTrade[]>;
}
