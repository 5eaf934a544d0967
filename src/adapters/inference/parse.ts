import type { Prediction } from '../../domain/signal.ts';
import { assetPriceFromDecimal } from '../wire/asset-price.ts';
import type { WireInference } from './schema.ts';

/** The percentiles the interval is given at: two and one deviations around the middle. */
const PERCENTILES = ['2.28', '15.87', '50', '84.13', '97.72'];

/** A prediction without its arrival. */
export interface ParsedInference {
  readonly prediction: Prediction;
  readonly sourceAtMs: number;
}

/**
 * Reads an inference exactly, digits beyond 10^-8 USD cut off. Null when its meaning is not the
 * known one: another topic, other percentiles, an interval that falls, or a value that is no price.
 */
export function parseInference(wire: WireInference, topicId: number): ParsedInference | null {
  const price = assetPriceFromDecimal(wire.network_inference_normalized);
  const [a, b, c, d, e] = wire.confidence_interval_values_normalized.map(assetPriceFromDecimal);
  if (wire.topic_id !== String(topicId) || price === null || !a || !b || !c || !d || !e)
    return null;
  if (
    wire.confidence_interval_percentiles_normalized.some(
      (percentile, index) => percentile !== PERCENTILES[index],
    )
  )
    return null;
  if (a > b || b > c || c > d || d > e) return null;
  return {
    prediction: { topicId, price, interval: [a, b, c, d, e] },
    sourceAtMs: wire.timestamp * 1_000,
  };
}
