import {
  createVirtualClock,
  type VirtualClock,
} from '../../../../src/adapters/clock/virtual-clock.ts';
import {
  createPriceProcess,
  startingPrices,
  type PriceProcess,
} from '../../../../src/sandbox/feeds/prices/price-process.ts';
import { createSharedModel, type SharedModel } from '../../../../src/sandbox/shared-model.ts';
import type { Listing } from '../../../../src/sandbox/venues/venue-b/model/listing.ts';
import {
  createMarketModel,
  type MarketModel,
} from '../../../../src/sandbox/venues/venue-b/model/market-model.ts';

/** A Wednesday, seven minutes into a quarter of an hour. */
export const NOON_MS = Date.UTC(2026, 10, 25, 17, 7);

/** A model on a stopped clock. */
export interface ModelWorld {
  readonly clock: VirtualClock;
  readonly shared: SharedModel;
  readonly model: MarketModel;
}

export function aModel({
  seed = 7,
  atMs = NOON_MS,
  faults = [] as readonly string[],
} = {}): ModelWorld {
  const clock = createVirtualClock(atMs);
  const prices = pricesOf(seed, atMs);
  const shared = createSharedModel({ clock, seed, prices, faults });
  return { clock, shared, model: createMarketModel({ ...shared, seed }) };
}

/** Markets in a status, all series. */
export function marketsIn(model: MarketModel, status: string): readonly Listing[] {
  return model
    .events()
    .flatMap(({ markets }) => markets)
    .filter((listing) => model.state(listing).status === status);
}

/**
 * The same process for all: it follows from its seed and start, and winding it forward takes most
 * of a model's time.
 */
const known = new Map<string, PriceProcess>();

function pricesOf(seed: number, atMs: number): PriceProcess {
  const startSecond = Math.floor(atMs / 1_000) - 36_000;
  const name = `${seed} ${startSecond}`;
  const prices = known.get(name) ?? createPriceProcess(seed, startingPrices(startSecond));
  known.set(name, prices);
  return prices;
}
