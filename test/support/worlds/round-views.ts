import type { BookTop } from '../../../src/domain/book.ts';
import type { Market } from '../../../src/domain/market.ts';
import type { Observed, RoundView } from '../../../src/domain/signal.ts';
import { assetPriceE8, type AssetPriceE8 } from '../../../src/domain/units.ts';
import { aLevel, aMarket, T0 } from '../builders.ts';

/** A price in whole cents of a USD. */
export function aPrice(usd: number): AssetPriceE8 {
  return assetPriceE8(Math.round(usd * 100) * 1_000_000);
}

/** A value observed at `atMs`, received at once. */
export function observed<T>(value: T, atMs = T0 + 60_000): Observed<T> {
  return { value, sourceAtMs: atMs, receivedAtMs: atMs };
}

/** A trusted top of book: prices in ticks, 1 000 shares on each side. */
export function aTop(
  bidTicks: number | null,
  askTicks: number | null,
  atMs = T0 + 60_000,
): Observed<BookTop> {
  return observed(
    {
      bid: bidTicks === null ? null : aLevel(bidTicks, 1_000),
      ask: askTicks === null ? null : aLevel(askTicks, 1_000),
    },
    atMs,
  );
}

/** A five-minute market that began at `T0`. */
export function aRoundMarket(number = 1, changes: Partial<Market> = {}): Market {
  return aMarket(number, {
    endsAtMs: T0 + 300_000,
    window: {
      asset: 'BTC',
      minutes: 5,
      startsAtMs: T0,
      endsAtMs: T0 + 300_000,
      strike: null,
      twap: true,
    },
    ...changes,
  });
}

/**
 * A BTC round one minute after its start in which everything speaks for Up: 70 000 to beat, 70 070
 * now, 70 120 predicted.
 */
export function aRoundView(changes: Partial<RoundView> = {}): RoundView {
  return {
    market: aRoundMarket(),
    asset: 'BTC',
    minutes: 5,
    startsAtMs: T0,
    endsAtMs: T0 + 300_000,
    atMs: T0 + 60_000,
    oracle: observed(aPrice(70_070)),
    exchange: observed(aPrice(70_072)),
    exchangeAtStart: aPrice(70_001),
    prediction: observed(aPrediction(70_120)),
    strike: { price: aPrice(70_000), source: 'captured' },
    volatility: 0.00005,
    books: [aTop(7_000, 7_200), aTop(2_800, 3_000)],
    ...changes,
  };
}

/**
 * The same round with everything speaking for Down: prices on the other side of the price to beat.
 */
export function aDownView(changes: Partial<RoundView> = {}): RoundView {
  return aRoundView({
    oracle: observed(aPrice(69_930)),
    exchange: observed(aPrice(69_932)),
    exchangeAtStart: aPrice(70_001),
    prediction: observed(aPrediction(69_880)),
    books: [aTop(2_800, 3_000), aTop(7_000, 7_200)],
    ...changes,
  });
}

/** A prediction with an interval of a few USD around it. */
export function aPrediction(usd: number) {
  const price = aPrice(usd);
  return {
    topicId: 14,
    price,
    interval: [
      aPrice(usd - 20),
      aPrice(usd - 10),
      price,
      aPrice(usd + 10),
      aPrice(usd + 20),
    ] as const,
  };
}

/**
 * The round of `aRoundView` later on, everything still speaking for Up, all inputs of that moment.
 */
export function freshRound(atMs: number): RoundView {
  return aRoundView({
    atMs,
    oracle: observed(aPrice(70_070), atMs),
    exchange: observed(aPrice(70_072), atMs),
    books: [aTop(7_000, 7_200, atMs), aTop(2_800, 3_000, atMs)],
  });
}

/** The same round with the signal turned against Up while the bid for it is still high. */
export function turnedRound(atMs: number): RoundView {
  return aDownView({
    atMs,
    oracle: observed(aPrice(69_930), atMs),
    exchange: observed(aPrice(69_932), atMs),
    books: [aTop(4_800, 5_000, atMs), aTop(5_000, 5_200, atMs)],
  });
}
