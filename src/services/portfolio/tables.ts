import type { VenueId } from '../../domain/ids.ts';
import type { Table } from '../../ports/store.ts';

/** Positions of a venue that have no price: how many, and what they cost, micro-USDC. */
export interface Unvalued {
  /** Null of shares that came by another hand, in a market that was never traded here. */
  readonly venue: VenueId | null;
  readonly positions: number;
  readonly costUsdc: number;
}

/** What a user had at a moment, micro-USDC. */
export interface EquitySample {
  /** On the market clock. */
  readonly atMs: number;
  /** Settled, of all accounts. */
  readonly cashUsdc: number;
  /** Of positions that had a price: at the best bid, and of ended markets what they pay. */
  readonly positionsUsdc: number;
  readonly openPositions: number;
  readonly unvalued: readonly Unvalued[];
  /**
   * What came from outside so far less what left, as it follows: what is there at cost less what
   * was realised. Absent of samples of before November 29, 2026.
   */
  readonly broughtInUsdc?: number;
}

/**
 * Samples: [userId, stepMs, bucketMs], in each step the first of each bucket. A bucket
 * without a sample means that nothing changed, or that no round ran.
 */
export const EQUITY_SAMPLES: Table<EquitySample> = { name: 'equity_samples' };
