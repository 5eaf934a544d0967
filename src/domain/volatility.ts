import type { AssetPriceE8 } from './units.ts';

/** How fast the estimate forgets and when it may be used. */
export interface VolatilitySettings {
  /** Age at which a return weighs half of a fresh one. */
  readonly halfLifeSeconds: number;
  /**
   * Smallest value given, per square root of a second: a market that stood still is not one that
   * cannot move.
   */
  readonly floor: number;
  /** Returns needed before the estimate is given, one at least. */
  readonly minimumReturns: number;
  /**
   * A hole longer than this between two prices starts anew at the later one: what happened in it is
   * not known.
   */
  readonly gapSeconds: number;
}

/** Running estimate. Start with `NO_VOLATILITY`. */
export interface VolatilityState {
  /** Price and whole second of the newest sample; null before the first. */
  readonly last: { readonly price: AssetPriceE8; readonly second: number } | null;
  /** Weighted sum of squared returns and of the seconds they cover. */
  readonly squares: number;
  readonly seconds: number;
  readonly returns: number;
}

/** The estimate that has seen nothing. */
export const NO_VOLATILITY: VolatilityState = { last: null, squares: 0, seconds: 0, returns: 0 };

/**
 * Folds one price into the estimate: an exponentially weighted mean of squared log returns, one
 * sample a second. Further prices of a second already sampled, and prices from the past, change
 * nothing.
 */
export function foldVolatility(
  state: VolatilityState,
  price: AssetPriceE8,
  atMs: number,
  settings: VolatilitySettings,
): VolatilityState {
  const second = Math.floor(atMs / 1_000);
  if (state.last === null) return { ...state, last: { price, second } };
  const elapsed = second - state.last.second;
  if (elapsed <= 0) return state;
  if (elapsed > settings.gapSeconds) return { ...state, last: { price, second } };
  const change = Math.log(price / state.last.price);
  const kept = 0.5 ** (elapsed / settings.halfLifeSeconds);
  return {
    last: { price, second },
    squares: state.squares * kept + change * change,
    seconds: state.seconds * kept + elapsed,
    returns: Math.min(state.returns + 1, settings.minimumReturns),
  };
}

/**
 * Standard deviation of log returns per square root of a second, at least the floor; null until
 * enough was seen.
 */
export function volatilityOf(state: VolatilityState, settings: VolatilitySettings): number | null {
  if (state.returns < settings.minimumReturns) return null;
  return Math.max(settings.floor, Math.sqrt(state.squares / state.seconds));
}
