import type { Market, OutcomeIndex } from './market.ts';
import type { PriceTicks } from './units.ts';

/**
 * Certainty: probabilities are integers in hundred thousandths, which holds the middle of two
 * prices.
 */
export const CERTAIN_E5 = 100_000;

/** What a listing says of the first outcome's prices; those of the second mirror them. */
export interface StatedPrices {
  readonly bid: PriceTicks | null;
  readonly ask: PriceTicks | null;
  readonly last: PriceTicks | null;
  /** How likely the venue shows the outcome, 0 to CERTAIN_E5. */
  readonly probabilityE5: number | null;
  /** When the venue last touched the listing, epoch ms. */
  readonly statedAtMs: number;
}

/** How a listing says that its market ended. */
export interface ListedEnding {
  /** Null where payouts are shared. */
  readonly winner: OutcomeIndex | null;
  /** Payouts of a share of each outcome in ticks, adding up to a dollar. */
  readonly payoutTicks: readonly [number, number];
  /** Null where the listing does not say when. */
  readonly resolvedAtMs: number | null;
}

/** What a market is filed under. */
export interface MarketTag {
  readonly slug: string;
  readonly label: string;
}

/** A recurring template as a listing names it. */
export interface SeriesName {
  readonly seriesId: string | null;
  readonly slug: string;
  readonly title: string;
}

/**
 * A market to choose from: what trading needs, and what people read. All of it is the venue's text,
 * never authority.
 */
export interface MarketListing {
  readonly market: Market;
  readonly eventSlug: string | null;
  readonly eventTitle: string | null;
  /** What sets it apart within an event of several markets. */
  readonly groupTitle: string | null;
  readonly series: SeriesName | null;
  readonly tags: readonly MarketTag[];
  /** The rules as plain text; empty where there are none. */
  readonly description: string;
  readonly resolutionSource: string | null;
  /** True for one of an event of which exactly one market pays. */
  readonly isOneOfEvent: boolean;
  readonly imageUrl: string | null;
  readonly iconUrl: string | null;
  /** When it was opened for trading, epoch ms. */
  readonly opensAtMs: number | null;
  readonly volume24hUsd: number | null;
  /**
   * What its next buyer pays the network for the making of the market, amount and coin; null where
   * it is made.
   */
  readonly firstBuyCost: string | null;
  /** Null for a market that is closed, and where the listing states no prices or not when. */
  readonly prices: StatedPrices | null;
  readonly ending: ListedEnding | null;
}
