import type { Asset } from '../domain/ids.ts';
import type { Observed, Prediction } from '../domain/signal.ts';

/** Horizons of the spec's topics. */
export type InferenceHorizon = '5m' | '8h';

/**
 * The inference network. A prediction is a price; its age counts from its own time stamp (feeds.md
 * section 1.2).
 */
export interface Inference {
  /** Errors: `venue_unavailable` (retryable), `venue_protocol` on an answer without meaning. */
  latest(asset: Asset, horizon: InferenceHorizon): Promise<Observed<Prediction>>;
}
