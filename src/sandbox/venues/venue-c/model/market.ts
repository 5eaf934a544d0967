import type { Asset, TokenId } from '../../../../domain/ids.ts';
import type { OutcomeIndex } from '../../../../domain/market.ts';

/** A window of a recurring market over the settlement prices. */
interface Window {
  readonly asset: Asset;
  readonly minutes: number;
}

/** Markets of which one ends with Yes. */
export interface MarketGroup {
  /** The venue's number. */
  readonly id: number;
  readonly slug: string;
  readonly title: string;
  /** HTML. */
  readonly description: string;
  readonly categories: readonly string[];
  /** Its name at the adapter's contract, 32 bytes. */
  readonly groupId: string;
}

/** A market of the venue. */
export interface VenueMarket {
  /** What it is traded by: orders in a book, or a pool on the chain. */
  readonly tradeType: 'clob' | 'amm';
  /** The venue's number. */
  readonly id: number;
  readonly slug: string;
  readonly title: string;
  /** HTML. */
  readonly description: string;
  readonly categories: readonly string[];
  readonly tags: readonly string[];
  /** Null for a question that runs once, over weeks. */
  readonly window: Window | null;
  /** What it is one of; null for a market of its own. */
  readonly group: MarketGroup | null;
  readonly conditionId: string;
  readonly questionId: string;
  /** YES and NO. */
  readonly tokens: readonly [TokenId, TokenId];
  readonly createdAtMs: number;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  /** How long a taker's order is held; 0 for most. */
  readonly takerDelayMs: number;
}

/** How a market ended: plain JSON. */
export interface Ending {
  readonly slug: string;
  /** Null where it was voided: each share pays a half. */
  readonly winner: OutcomeIndex | null;
  readonly atMs: number;
}

/** What one share of an outcome pays, in micros. */
export function payoutMicros({ winner }: Pick<Ending, 'winner'>, outcome: OutcomeIndex): number {
  if (winner === null) return 500_000;
  return winner === outcome ? 1_000_000 : 0;
}
