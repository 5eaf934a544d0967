import { VENUE_A } from '../../../../config/limits/venue-a.ts';
import { NewestKept } from '../../../adapters/memory/newest-kept.ts';
import type { Market } from '../../../domain/market.ts';
import type { Metrics } from '../../../ports/metrics.ts';
import { VENUE_A_ID } from '../id.ts';

/** Takes note of a market that was listed; one that is traded changes nothing. */
export type NoteMarket = (market: Market) => void;

/** Counts markets that are listed and not traded here, each once while it is remembered. */
export function createRefusedMarkets(metrics: Metrics): NoteMarket {
  const counted = new NewestKept<true>(VENUE_A.refusedMarketsKeptMaximum);
  return ({ marketId, notTradeable }) => {
    if (notTradeable === undefined || counted.get(marketId) !== undefined) return;
    counted.keep(marketId, true);
    metrics.count('venue_markets_refused_total', { venue: VENUE_A_ID });
  };
}
