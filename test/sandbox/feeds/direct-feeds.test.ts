import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type { PriceFeed } from '../../../src/ports/price-feed.ts';
import { createDirectInference } from '../../../src/sandbox/feeds/inference/direct-inference.ts';
import {
  createDirectExchange,
  createDirectMirror,
  createDirectOracle,
  type DirectPrices,
} from '../../../src/sandbox/feeds/direct-prices.ts';
import { createExchangePrices } from '../../../src/sandbox/feeds/prices/exchange-prices.ts';
import { createFaultBoard } from '../../../src/sandbox/faults.ts';
import { createInferenceModel } from '../../../src/sandbox/feeds/prices/inference-model.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../../src/sandbox/feeds/prices/price-process.ts';
import { describeInference } from '../../contracts/inference.ts';
import { describePriceFeed, type PriceFeedUnderTest } from '../../contracts/price-feed.ts';
import { pump } from '../../support/clocks/pumped-clock.ts';

const NOW_MS = 1_780_880_400_000;
/** An eight-hour topic speaks of up to eight hours ago and looks at the hour before. */
const HISTORY_SECONDS = 36_000;

async function direct(
  path: string,
  open: (prices: DirectPrices) => PriceFeed,
  facts: Pick<PriceFeedUnderTest, 'kinds' | 'remembersBefore'>,
): Promise<PriceFeedUnderTest> {
  const clock = createVirtualClock(NOW_MS);
  const faults = createFaultBoard(createSeededRandom(5));
  const settlement = createPriceProcess(5, startingPrices(NOW_MS / 1_000 - HISTORY_SECONDS));
  const motion = pump(clock, 50);
  return {
    ...facts,
    feed: open({ clock, faults, settlement, exchange: createExchangePrices(5, settlement) }),
    clock,
    live: () => undefined,
    silence: () => faults.arm('feed-stall', { match: { path } }),
    speak: () => faults.clear('feed-stall'),
    end: () => motion.stop(),
  };
}

describePriceFeed('the model’s oracle, directly', () =>
  direct('/data-streams', createDirectOracle, { kinds: [null], remembersBefore: true }),
);
describePriceFeed('the model’s mirror, directly', () =>
  direct('/rtds', createDirectMirror, { kinds: [null, 60], remembersBefore: false }),
);
describePriceFeed('the model’s exchange, directly', () =>
  direct('/exchange', createDirectExchange, { kinds: [null], remembersBefore: true }),
);

describeInference('the model network, directly', async () => {
  const clock = createVirtualClock(NOW_MS);
  const faults = createFaultBoard(createSeededRandom(5));
  const prices = createPriceProcess(5, startingPrices(NOW_MS / 1_000 - HISTORY_SECONDS));
  const names = {
    rate_limited: 'feed-rate-limited',
    bad_gateway: 'feed-bad-gateway',
    stale: 'stale-inference',
  } as const;
  return {
    inference: createDirectInference({
      clock,
      faults,
      infer: createInferenceModel({ seed: 5, prices, skill: 0.1 }),
    }),
    clock,
    fail: (how) => faults.arm(names[how], { times: 1 }),
    end: async () => undefined,
  };
});
