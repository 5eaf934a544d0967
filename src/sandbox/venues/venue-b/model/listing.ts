import type { Asset } from '../../../../domain/ids.ts';

/**
 * How fine prices are: whole cents, tenths of a cent near both ends, tenths of a cent everywhere
 * (venue_b.md section 15.2).
 */
export type PriceStructure = 'linear_cent' | 'tapered_deci_cent' | 'deci_cent';

/**
 * What decides a market: whether a settlement price ends at or above where it began, or whether the
 * value its event is about, a walk over the event's life that ends in a standard normal number,
 * ends in `low` (included) to `high` (not).
 */
export type Process =
  | { readonly kind: 'price'; readonly asset: Asset }
  | {
      readonly kind: 'walk';
      /** Stream of chance of the event. */
      readonly stream: number;
      readonly low: number | null;
      readonly high: number | null;
    };

/** A market as it was listed. Plain JSON. */
export interface Listing {
  readonly ticker: string;
  readonly eventTicker: string;
  readonly seriesTicker: string;
  readonly title: string;
  readonly yesSubTitle: string;
  readonly openMs: number;
  readonly closeMs: number;
  readonly process: Process;
  readonly structure: PriceStructure;
  /** How long a quoted size lasts, ms. */
  readonly sizeLifeMs: number;
  /** Between two looks of the makers at the book, ms. */
  readonly stepMs: number;
  /** Sizes beside the recorded ones; 1 is usual. */
  readonly depth: number;
  /** Contracts traded in an hour by others. */
  readonly contractsPerHour: number;
  /** One trade of others at most in each slot, ms. */
  readonly tapeSlotMs: number;
  /** False where the first buy also makes the outcome tokens. */
  readonly isInitialized: boolean;
}

/** An event with its markets. Plain JSON. */
export interface ListedEvent {
  readonly ticker: string;
  readonly seriesTicker: string;
  readonly title: string;
  readonly subTitle: string;
  readonly mutuallyExclusive: boolean;
  readonly markets: readonly Listing[];
}

/** A series of events. */
export interface Series {
  readonly ticker: string;
  readonly title: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly frequency: string;
  /** Factor of the taker's fee. */
  readonly feeMultiplier: number;
  readonly sources: readonly { readonly name: string; readonly url: string }[];
}

/** Life of a market (venue_b.md section 6). */
export type MarketStatus =
  | 'initialized'
  | 'active'
  | 'inactive'
  | 'closed'
  | 'determined'
  | 'finalized';

/** One of the two outcomes. */
export type OutcomeSide = 'yes' | 'no';
