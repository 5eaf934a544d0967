import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { createExchangePrices } from '../../../src/sandbox/feeds/prices/exchange-prices.ts';
import { createFaultBoard } from '../../../src/sandbox/faults.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../../src/sandbox/feeds/prices/price-process.ts';

/** Epoch ms at which the modelled feeds stand. */
export const FEEDS_NOW_MS = 1_780_880_400_000;

/** Clock, faults and prices of a small world for tests of one feed. */
export function modelledFeeds() {
  const clock = createVirtualClock(FEEDS_NOW_MS);
  const faults = createFaultBoard(createSeededRandom(5));
  const prices = createPriceProcess(5, startingPrices(FEEDS_NOW_MS / 1000 - 3_600));
  return { clock, faults, prices, exchange: createExchangePrices(5, prices) };
}
