import type { MarketId } from '../domain/ids.ts';
import type { PriceTicks, ShareMicros } from '../domain/units.ts';

/** First, highest, lowest and last price of a period, in ticks of the first outcome. */
export interface CandlePrices {
  readonly open: PriceTicks;
  readonly high: PriceTicks;
  readonly low: PriceTicks;
  readonly close: PriceTicks;
}

/** One period of a market's first outcome, as the venue states it. */
export interface Candle {
  /** Epoch ms of the markets' clock at which the period ends. */
  readonly endsAtMs: number;
  /** Of its trades; null where there were none: the price before is no price of this period. */
  readonly trades: CandlePrices | null;
  /** Of the best bid and ask; null where there was none. */
  readonly bid: CandlePrices | null;
  readonly ask: CandlePrices | null;
  readonly volume: ShareMicros;
  /** Shares outstanding at its end; null where the venue does not say. */
  readonly openInterest: ShareMicros | null;
}

/**
 * Which periods of which market: those that end within the span, epoch ms of the markets' clock.
 */
export interface CandleQuery {
  readonly marketId: MarketId;
  readonly periodMinutes: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Prices of a market over time. */
export interface CandleSource {
  /**
   * Returns the periods, oldest first; null where there is no such market. Errors:
   * `venue_unavailable`, `venue_protocol`.
   */
  candles(query: CandleQuery): Promise<readonly Candle[] | null>;
}
