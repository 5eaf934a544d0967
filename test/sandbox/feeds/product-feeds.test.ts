import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createExchangeFeed } from '../../../src/adapters/exchange/exchange-feed.ts';
import {
  createInferenceNetwork,
  SPEC_TOPICS,
} from '../../../src/adapters/inference/inference-network.ts';
import { createDataStreams } from '../../../src/adapters/oracle/data-streams.ts';
import { createDirectory } from '../../../src/venues/venue-a/directory.ts';
import { createVenueClient } from '../../../src/venues/venue-a/client.ts';
import { createPriceSocket } from '../../../src/venues/venue-a/market-data/price-socket.ts';
import type { PriceFeed, PriceTick } from '../../../src/ports/price-feed.ts';
import { DATA_STREAM_FEEDS } from '../../../src/sandbox/feeds/data-streams/data-streams-report.ts';
import type { World } from '../../../src/sandbox/world.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';
import { pump, type Pump } from '../../support/clocks/pumped-clock.ts';
import {
  startSmallWorld,
  WORLD_CREDENTIALS,
  WORLD_START_MS,
} from '../../support/worlds/small-world.ts';

const metrics = createCountingMetrics();
let clock: VirtualClock;
let world: World;
let motion: Pump;
let oracle: ReturnType<typeof createDataStreams>;

beforeAll(async () => {
  ({ clock, world } = await startSmallWorld());
  await clock.advance(15_000);
  oracle = createDataStreams({
    restUrl: world.urls.dataStreamsRest,
    socketUrl: world.urls.dataStreamsSocket,
    credentials: WORLD_CREDENTIALS.dataStreams,
    clock,
    metrics,
    feeds: [
      { asset: 'BTC', twapSeconds: null, feedId: DATA_STREAM_FEEDS.BTC },
      { asset: 'SOL', twapSeconds: null, feedId: DATA_STREAM_FEEDS.SOL },
    ],
  });
  motion = pump(clock, 50);
});

afterAll(async () => {
  await motion.stop();
  await oracle.close();
  await world.close();
});

describe("the daemon's own adapters before the world", () => {
  it('read the oracle live and repair a missed moment, to the price that settles', async () => {
    const tick = await firstTick(oracle);
    expect(tick.price).toBe(priceE8(tick));
    const start = await oracle.priceAt('BTC', WORLD_START_MS, null);
    expect(start).toEqual({
      asset: 'BTC',
      price: priceE8({ asset: 'BTC', sourceAtMs: WORLD_START_MS }),
      sourceAtMs: WORLD_START_MS,
      twapSeconds: null,
    });
  });

  it("read the venue's mirror of it", async () => {
    const tick = await firstTick(
      createPriceSocket({ url: world.urls.venues.venue_a.rtds, clock, metrics }),
    );
    expect(Math.abs(tick.price - priceE8(tick))).toBeLessThanOrEqual(10);
  });

  it('read the exchange', async () => {
    const feed = createExchangeFeed({
      restUrl: world.urls.exchangeRest,
      socketUrl: world.urls.exchangeSocket,
      clock,
      metrics,
    });
    const tick = await firstTick(feed);
    expect(
      Math.abs(
        Math.log(
          tick.price /
            priceE8({ asset: 'BTC', sourceAtMs: Math.floor(tick.sourceAtMs / 1_000) * 1_000 }),
        ),
      ),
    ).toBeLessThan(0.002);
    expect((await feed.priceAt('BTC', WORLD_START_MS, null))?.sourceAtMs).toBe(WORLD_START_MS);
    await feed.close();
  });

  it('read every topic of the inference network', async () => {
    const network = createInferenceNetwork({
      baseUrl: world.urls.inference,
      key: WORLD_CREDENTIALS.inferenceKey,
      chainId: 'allora-testnet-1',
      topics: SPEC_TOPICS,
      clock,
      metrics,
    });
    for (const { asset, horizon, topicId } of SPEC_TOPICS)
      expect((await network.latest(asset, horizon)).value.topicId).toBe(topicId);
    await network.close();
  });

  it('find the running round with its tokens and, once it is out, its price to beat', async () => {
    const client = createVenueClient({ urls: world.urls.venues.venue_a, clock, metrics });
    const directory = createDirectory({ client, clock });
    const round = await directory.round('BTC', 5, WORLD_START_MS);
    expect(round).toMatchObject({
      slug: 'btc-updown-5m-1780876800',
      acceptingOrders: true,
      closed: false,
      tickSize: 100,
      minSize: 5_000_000,
      takerDelay: true,
      window: { asset: 'BTC', minutes: 5, twap: false },
    });
    expect(round?.window?.strike).toBe(priceE8({ asset: 'BTC', sourceAtMs: WORLD_START_MS }));
    expect(await directory.round('BTC', 5, WORLD_START_MS + 36_000_000)).toBeNull();
    expect((await directory.series({ limit: 10, cursor: null })).data).toHaveLength(4);
    await client.close();
  });
});

/** The settlement price of the tick's second in the model, as the daemon holds prices. */
function priceE8({ asset, sourceAtMs }: Pick<PriceTick, 'asset' | 'sourceAtMs'>): number {
  return Number((world.prices.at(asset, sourceAtMs / 1000) ?? 0n) / 10_000_000_000n);
}

function firstTick(feed: PriceFeed): Promise<PriceTick> {
  return new Promise((resolve, reject) => {
    const stop = feed.watch(['BTC'], {
      next(tick) {
        if (tick.twapSeconds !== null) return;
        stop();
        resolve(tick);
      },
      error: reject,
    });
  });
}
