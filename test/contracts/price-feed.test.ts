import { linkedPrices } from '../../src/adapters/feed-link/linked-prices.ts';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createExchangeFeed } from '../../src/adapters/exchange/exchange-feed.ts';
import { createDataStreams } from '../../src/adapters/oracle/data-streams.ts';
import { createPriceSocket } from '../../src/venues/venue-a/market-data/price-socket.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { PriceFeed } from '../../src/ports/price-feed.ts';
import type { World } from '../../src/sandbox/world.ts';
import { DATA_STREAMS_FEEDS } from '../../config/profiles/profile.ts';
import { createCountingMetrics } from '../support/counting-metrics.ts';
import { createFakePriceFeed } from '../support/fakes/fake-feeds.ts';
import { linkedFeed } from '../support/fixtures/linked-feed.ts';
import { feedWorld, WORLD_CREDENTIALS } from '../support/worlds/feed-world.ts';
import { describePriceFeed, type PriceFeedUnderTest } from './price-feed.ts';

describePriceFeed('the fake', async () => {
  const clock = createVirtualClock(1_780_880_400_000);
  const feed = createFakePriceFeed('oracle');
  for (let second = -120; second <= 0; second += 1)
    feed.note('ETH', 2_000, clock.nowMs() + second * 1_000);
  return {
    feed,
    clock,
    kinds: [null],
    remembersBefore: true,
    live() {
      for (let second = -10; second <= 0; second += 1) {
        feed.tick('BTC', 60_000 + second, clock.nowMs() + second * 1_000);
        for (const asset of ['ETH', 'SOL'] as const)
          feed.tick(asset, 100 + second, clock.nowMs() + second * 1_000);
      }
    },
    silence: () => feed.lose(),
    speak: () => undefined,
    end: async () => undefined,
  };
});

/** A wire adapter in front of the sandbox's loopback server. */
async function overTheWire(
  path: string,
  open: (world: World, clock: Clock) => PriceFeed & { close?(): Promise<void> },
  facts: Pick<PriceFeedUnderTest, 'kinds' | 'remembersBefore'>,
): Promise<PriceFeedUnderTest> {
  const { world, clock, end } = await feedWorld();
  const feed = open(world, clock);
  return {
    ...facts,
    feed,
    clock,
    live: () => undefined,
    silence: () => world.faults.arm('feed-stall', { match: { path } }),
    speak: () => world.faults.clear('feed-stall'),
    async end() {
      await feed.close?.();
      await end();
    },
  };
}

/** A source over the wire, and the same one read over a link to a feed. */
function describeBothWays(
  name: string,
  source: string,
  open: () => Promise<PriceFeedUnderTest>,
): void {
  describePriceFeed(name, open);
  describePriceFeed(`${name}, over a link`, async () => {
    const under = await open();
    const linked = await linkedFeed(under.clock, { prices: new Map([[source, under.feed]]) });
    const { link } = linked;
    return {
      ...under,
      feed: linkedPrices({ link, name: under.feed.name, source, clock: under.clock }),
      async end() {
        await linked.close();
        await under.end();
      },
    };
  });
}

describeBothWays('the oracle’s data streams', 'oracle', () =>
  overTheWire(
    '/data-streams',
    ({ urls }, clock) =>
      createDataStreams({
        restUrl: urls.dataStreamsRest,
        socketUrl: urls.dataStreamsSocket,
        credentials: WORLD_CREDENTIALS.dataStreams,
        feeds: (['BTC', 'ETH', 'SOL'] as const).map((asset) => ({
          asset,
          twapSeconds: null,
          feedId: DATA_STREAMS_FEEDS[asset],
        })),
        clock,
        metrics: createCountingMetrics(),
      }),
    { kinds: [null], remembersBefore: true },
  ),
);

describeBothWays('the venue’s price socket', 'venue_a', () =>
  overTheWire(
    '/rtds',
    ({ urls }, clock) =>
      createPriceSocket({ url: urls.venues.venue_a.rtds, clock, metrics: createCountingMetrics() }),
    { kinds: [null, 60], remembersBefore: false },
  ),
);

describeBothWays('the exchange', 'exchange', () =>
  overTheWire(
    '/exchange',
    ({ urls }, clock) =>
      createExchangeFeed({
        restUrl: urls.exchangeRest,
        socketUrl: urls.exchangeSocket,
        clock,
        metrics: createCountingMetrics(),
      }),
    { kinds: [null], remembersBefore: true },
  ),
);
