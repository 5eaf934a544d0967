import type { MarketId, TokenId } from './ids.ts';
import { TICKS_PER_USD, type PriceTicks, type ShareMicros } from './units.ts';

/** One price level: the whole size resting at a price. */
export interface BookLevel {
  readonly price: PriceTicks;
  readonly size: ShareMicros;
}

/** Why a book may not be used for a decision (L8). */
export type BookDistrust =
  | 'no_snapshot'
  | 'gap'
  | 'crossed'
  | 'tick_changed'
  | 'stale'
  | 'disconnected'
  | 'mirror_broken';

/** The best of each side; null where a side is empty. */
export interface BookTop {
  readonly bid: BookLevel | null;
  readonly ask: BookLevel | null;
}

/**
 * Returns the middle of best bid and ask as a probability, from 0 to 1; a missing bid counts as 0,
 * a missing ask as 1; null when both are missing.
 */
export function middleOf({ bid, ask }: BookTop): number | null {
  if (bid === null && ask === null) return null;
  return ((bid?.price ?? 0) + (ask?.price ?? TICKS_PER_USD)) / 2 / TICKS_PER_USD;
}

/**
 * What readers see of one token's book. `epoch` grows with every fresh snapshot after a doubt,
 * `seq` with every change within an epoch; a reader that sees a hole asks for a snapshot.
 */
export interface BookView {
  readonly tokenId: TokenId;
  readonly marketId: MarketId;
  readonly epoch: number;
  readonly seq: number;
  /** Best first. */
  readonly bids: readonly BookLevel[];
  /** Best first. */
  readonly asks: readonly BookLevel[];
  /** Newest venue time seen, epoch ms; 0 where no book has come yet. */
  readonly venueAtMs: number;
  /**
   * When the newest change was received, epoch ms on our clock; 0 where none has come yet. Age =
   * now − this.
   */
  readonly receivedAtMs: number;
  /** Null when trusted. */
  readonly distrust: BookDistrust | null;
  /** How likely a pool has the outcome, 0 to CERTAIN_E5; absent where the levels are orders. */
  readonly statedE5?: number;
}

/** Cost of taking from one side of a book. */
export interface Sweep {
  /** Worst price touched. */
  readonly worstPrice: PriceTicks;
  readonly shares: ShareMicros;
  readonly costMicros: number;
  /** False when the book ran out before the target was met. */
  readonly complete: boolean;
}
