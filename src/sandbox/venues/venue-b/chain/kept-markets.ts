import { CONTRACT_VENUE } from '../../../../../config/limits/sandbox.ts';
import { everyTick } from '../../../ticks.ts';
import type { RecordStore } from '../../../storage/record-store.ts';
import type { Listing } from '../model/listing.ts';
import type { KeptMarket, MarketModel } from '../model/market-model.ts';
import type { Settlement } from './settlement.ts';

/** Markets whose tokens were made: remembered with their results, however long ago they ended. */
export interface KeptMarkets {
  keep(listing: Listing): void;
  stop(): void;
}

const CHECK_MS = 30_000;

/**
 * Starts to remember; at each check, market time, results are written down and the venue's own
 * winners given up, until a check finds none: a fork may bring some back.
 */
export function startKeptMarkets(
  model: MarketModel,
  settlement: Settlement,
  kept: RecordStore<KeptMarket>,
): KeptMarkets {
  const waiting = new Set(
    kept.all().flatMap(({ listing, result }) => (result === null ? [listing.ticker] : [])),
  );
  const ticks = everyTick(model.clock, { stepMs: CHECK_MS, delayMs: 0 }, () => {
    for (const ticker of waiting) {
      const market = kept.get(ticker);
      if (market === null) continue;
      const { result, redemption } = model.state(market.listing);
      if (result === null || redemption !== 'open') continue;
      if (market.result === null) kept.put(ticker, { ...market, result });
      if (!settlement.redeemOwn(market.listing, result)) waiting.delete(ticker);
    }
    if (waiting.size === 0) ticks.rest();
  });
  if (waiting.size === 0) ticks.rest();
  return {
    keep(listing) {
      if (kept.get(listing.ticker) !== null) return;
      model.keep(listing);
      const event = model.event(listing.eventTicker);
      if (event === null) return;
      if (kept.size() >= CONTRACT_VENUE.keptMarketsMaximum) {
        const oldest = kept.all().find((market) => market.result !== null);
        if (oldest !== undefined) kept.remove(oldest.listing.ticker);
      }
      kept.put(listing.ticker, { listing, event, result: null });
      waiting.add(listing.ticker);
      ticks.wake();
    },
    stop: () => ticks.cancel(),
  };
}
