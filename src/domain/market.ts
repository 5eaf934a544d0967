import type { Asset, MarketId, MechanismId, TokenId, VenueId } from './ids.ts';
import type { JsonValue } from './json-value.ts';
import type { AssetPriceE8, PriceTicks, ShareMicros } from './units.ts';

/**
 * Taker fee curve of a market: fee = shares × rate × (p × (1 − p))^exponent (venue_a.md section
 * 5.3).
 */
export interface FeeSchedule {
  /** Rate in millionths: 0.07 is 70_000. */
  readonly rateMicros: number;
  /** Whole exponent, 1 or 2. */
  readonly exponent: number;
  readonly takerOnly: boolean;
}

/** One side of a binary market. Index 0 is "Up"/"Yes", index 1 is "Down"/"No". */
interface Outcome {
  readonly tokenId: TokenId;
  readonly label: string;
}

/** End of a market that states none: the last moment of a four-digit year. */
export const OPEN_END_MS = 253_402_300_799_000;

/** Index of an outcome: 0 is Yes (Up), 1 is No (Down). */
export type OutcomeIndex = 0 | 1;

/** A tradable binary market as its venue lists it. Titles are data, never authority. */
export interface Market {
  readonly venue: VenueId;
  /** How it is traded there; absent where that is the venue's sole or first mechanism. */
  readonly mechanism?: MechanismId;
  readonly marketId: MarketId;
  /** The venue's id for it in discovery. */
  readonly listingId: string;
  readonly eventId: string;
  readonly slug: string;
  readonly question: string;
  /** Of the event it is a part of, in the venue's words; absent where not known. */
  readonly eventTitle?: string;
  readonly outcomes: readonly [Outcome, Outcome];
  /**
   * What its venue alone understands and needs to trade it, such as addresses of contracts; read by
   * the venue's own schema and by nothing else. Absent where that is nothing.
   */
  readonly own?: JsonValue;
  readonly tickSize: PriceTicks;
  readonly minSize: ShareMicros;
  readonly fee: FeeSchedule | null;
  /**
   * Set where the books of its outcomes are two, as those of a pool's curve are: elsewhere a bid
   * for one at p is an ask for the other at 1 − p, and books that say otherwise are in doubt.
   */
  readonly separateBooks?: true;
  /** Present when the venue holds marketable orders before matching (venue_a.md section 6.3). */
  readonly takerDelay: boolean;
  readonly acceptingOrders: boolean;
  /**
   * Why no order for it is taken here whatever its state, as a sentence for people; absent where it
   * is traded. Such a market never accepts orders.
   */
  readonly notTradeable?: string;
  readonly closed: boolean;
  /** The window a recurring market decides on; null for other markets. */
  readonly window: RoundWindow | null;
  /** Absolute end, epoch ms; OPEN_END_MS where none is stated. */
  readonly endsAtMs: number;
  readonly volumeUsd: number;
  /** Null where the venue states none; a market stored before December 2026 has 0 there. */
  readonly liquidityUsd: number | null;
}

/** A recurring up/down window (venue_a.md section 11). */
export interface RoundWindow {
  readonly asset: Asset;
  readonly minutes: 5 | 15;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  /** Price to beat as the venue states it; null until it appears. */
  readonly strike: AssetPriceE8 | null;
  readonly twap: boolean;
}

/** Why nothing is traded in a market any more. */
export type MarketEnd = 'closed' | 'resolved';

/**
 * How a market ended: payouts per share for outcome 0 and 1 in price ticks of 0.0001, adding up to
 * 10 000.
 */
export interface Resolution {
  readonly marketId: MarketId;
  readonly payoutTicks: readonly [number, number];
  readonly resolvedAtMs: number;
}
