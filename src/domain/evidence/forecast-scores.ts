/** A stated probability and what came. */
export interface Forecast {
  /** Probability of the event, from 0 to 1. */
  readonly probability: number;
  readonly happened: boolean;
}

/**
 * Forecasts are held this far from 0 and 1 before their logarithm is taken: a certain forecast that
 * is wrong would otherwise cost without end. One cent, the finest price the venue's usual tick can
 * state.
 */
export const LOG_LOSS_MARGIN = 0.01;

/**
 * Squared error of one forecast, from 0 (right and sure) to 1 (sure and wrong); 0.25 for an even
 * chance.
 */
export function brierOf({ probability, happened }: Forecast): number {
  const miss = probability - (happened ? 1 : 0);
  return miss * miss;
}

/**
 * Negative logarithm of the probability given to what came; 0.693 for an even chance. Forecasts
 * keep `LOG_LOSS_MARGIN` from the ends.
 */
export function logLossOf({ probability, happened }: Forecast): number {
  const held = Math.min(1 - LOG_LOSS_MARGIN, Math.max(LOG_LOSS_MARGIN, probability));
  return -Math.log(happened ? held : 1 - held);
}

/** Mean of a score over forecasts; null without any. */
export function meanScore(
  forecasts: readonly Forecast[],
  score: (forecast: Forecast) => number,
): number | null {
  if (forecasts.length === 0) return null;
  return forecasts.reduce((sum, forecast) => sum + score(forecast), 0) / forecasts.length;
}
