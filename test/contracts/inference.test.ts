import { linkedInference } from '../../src/adapters/feed-link/linked-inference.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import {
  createInferenceNetwork,
  SPEC_TOPICS,
} from '../../src/adapters/inference/inference-network.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { createFaultBoard } from '../../src/sandbox/faults.ts';
import { createInferenceModel } from '../../src/sandbox/feeds/prices/inference-model.ts';
import {
  createPriceProcess,
  startingPrices,
} from '../../src/sandbox/feeds/prices/price-process.ts';
import { startInference } from '../../src/sandbox/feeds/inference/inference.ts';
import { createCountingMetrics } from '../support/counting-metrics.ts';
import { linkedFeed } from '../support/fixtures/linked-feed.ts';
import { describeInference, type InferenceUnderTest } from './inference.ts';

const NOW_MS = 1_780_880_400_000;
/** An eight-hour topic speaks of up to eight hours ago and looks at the hour before. */
const HISTORY_SECONDS = 36_000;

async function overTheWire(): Promise<InferenceUnderTest> {
  const clock = createVirtualClock(NOW_MS);
  const faults = createFaultBoard(createSeededRandom(5));
  const prices = createPriceProcess(5, startingPrices(NOW_MS / 1_000 - HISTORY_SECONDS));
  const server = await startInference({
    port: 0,
    clock,
    faults,
    apiKey: 'UP-test',
    infer: createInferenceModel({ seed: 5, prices, skill: 0.1 }),
  });
  const inference = createInferenceNetwork({
    baseUrl: `${server.url}/v2`,
    key: 'UP-test',
    chainId: 'allora-testnet-1',
    topics: SPEC_TOPICS,
    clock,
    metrics: createCountingMetrics(),
  });
  const names = {
    rate_limited: 'feed-rate-limited',
    bad_gateway: 'feed-bad-gateway',
    stale: 'stale-inference',
  } as const;
  return {
    inference,
    clock,
    fail: (how) => faults.arm(names[how], { times: 1 }),
    async end() {
      await inference.close();
      await server.close();
    },
  };
}

describeInference('the inference network over the wire', overTheWire);

describeInference('the inference network over a link', async () => {
  const under = await overTheWire();
  const linked = await linkedFeed(under.clock, { inference: under.inference });
  return {
    ...under,
    inference: linkedInference(linked.link, under.clock),
    async end() {
      await linked.close();
      await under.end();
    },
  };
});
