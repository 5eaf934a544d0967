import { TICKS_PER_USD, priceTicks } from '../domain/units.ts';
import type { Candle, CandlePrices } from '../ports/candles.ts';

/** A price of the first outcome at a moment. */
export interface PricePoint {
  /** Epoch ms. */
  readonly atMs: number;
  /** 0 to 1. */
  readonly price: number;
}

/**
 * Returns the periods that prices of moments make, oldest first, each of the prices within it: of a
 * venue that states nothing of bids, offers and volume.
 */
export function periodsOf(points: readonly PricePoint[], periodMs: number): readonly Candle[] {
  const periods = new Map<number, CandlePrices>();
  for (const { atMs, price: stated } of points.toSorted((one, other) => one.atMs - other.atMs)) {
    const ticks = Math.round(stated * TICKS_PER_USD);
    // no trade has a price of zero or of a whole dollar
    if (ticks < 1 || ticks >= TICKS_PER_USD) continue;
    const price = priceTicks(ticks);
    const endsAtMs = Math.ceil(atMs / periodMs) * periodMs;
    const { open, high, low } = periods.get(endsAtMs) ?? { open: price, high: price, low: price };
    periods.set(endsAtMs, {
      open,
      high: price > high ? price : high,
      low: price < low ? price : low,
      close: price,
    });
  }
  return [...periods].map(([endsAtMs, trades]) => ({
    endsAtMs,
    trades,
    bid: null,
    ask: null,
    volume: null,
    openInterest: null,
  }));
}
