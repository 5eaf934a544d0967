import type { MarketId, TokenId } from '../domain/ids.ts';
import type { PriceTicks, ShareMicros } from '../domain/units.ts';

/** First, highest, lowest and last price of a period, in ticks of the first outcome. */
export interface CandlePrices {
  readonly open: PriceTicks;
  readonly high: PriceTicks;
  readonly low: PriceTicks;
  readonly close: PriceTicks;
}

/** One period of a market's first outcome, or of the outcome asked for, as the venue states it. */
export interface Candle {
  /** Epoch ms of the market clock at which the period ends. */
  readonly endsAtMs: number;
  /**
   * Of its trades, or of what the venue gives as its price; null where there were none: the price
   * before is no price of this period.
   */
  readonly trades: CandlePrices | null;
  /** Of the best bid and ask; null without one. */
  readonly bid: CandlePrices | null;
  readonly ask: CandlePrices | null;
  /** Null where the venue does not say. */
  readonly volume: ShareMicros | null;
  /** Shares outstanding at its end; null where the venue does not say. */
  readonly openInterest: ShareMicros | null;
}

/**
 * Which periods of which market, named as the venue names its books: those that end within the
 * span, epoch ms of the market clock.
 */
export interface CandleQuery {
  readonly bookId: MarketId | TokenId;
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
