import type { AssetPriceE8 } from './units.ts';

const LN_SQRT_TWO_PI = 0.918_938_533_204_672_7;
/** Beyond eight standard deviations a double no longer tells the value from 0 or 1. */
const CERTAIN_DEVIATIONS = 8;

/**
 * Standard normal distribution function, a number from 0 to 1, absolute error below 1e-14.
 * Method: the Taylor series of Φ around 0 (G. Marsaglia, Evaluating the Normal Distribution, 2004).
 */
export function normalCdf(deviations: number): number {
  if (Number.isNaN(deviations)) return Number.NaN;
  if (deviations > CERTAIN_DEVIATIONS) return 1;
  if (deviations < -CERTAIN_DEVIATIONS) return 0;
  const square = deviations * deviations;
  let sum = deviations;
  let term = deviations;
  let before = 0;
  for (let odd = 3; sum !== before; odd += 2) {
    before = sum;
    term = (term * square) / odd;
    sum += term;
  }
  return Math.min(1, Math.max(0, 0.5 + sum * Math.exp(-square / 2 - LN_SQRT_TWO_PI)));
}

/** What the probability of an up/down window depends on. */
export interface UpQuestion {
  readonly price: AssetPriceE8;
  /** Price to beat. */
  readonly strike: AssetPriceE8;
  /** Standard deviation of log returns per square root of a second; not negative. */
  readonly volatility: number;
  /** Time to the end of the window; zero or less once it is over. */
  readonly secondsLeft: number;
}

/**
 * Probability that the price ends at or above the strike: Φ(ln(S/K) ÷ (σ√τ)), from 0 to 1.
 * Without time or movement left the outcome is decided: 1 at or above the strike, for equality counts as Up
 * (venue_a.md section 11), else 0.
 */
export function probabilityUp({ price, strike, volatility, secondsLeft }: UpQuestion): number {
  const deviation = volatility * Math.sqrt(Math.max(0, secondsLeft));
  if (deviation === 0) return price >= strike ? 1 : 0;
  return normalCdf(Math.log(price / strike) / deviation);
}
