import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { clockScheduler } from '../../streams/clock-scheduler.ts';
import { createExchange } from '../../streams/exchange.ts';
import { createFakePriceFeed, usd } from '../support/fakes/fake-feeds.ts';

const START_MS = 1_000_000;

function setUp() {
  const clock = createVirtualClock(START_MS);
  const feed = createFakePriceFeed('exchange');
  return {
    clock,
    feed,
    exchange: createExchange({
      feed,
      assets: ['BTC', 'ETH'],
      random: createSeededRandom(1),
      scheduler: clockScheduler(clock),
      report: {},
    }),
  };
}

describe('createExchange price', () => {
  it('L8: gives fresh prices of the asset and null once they are older than five seconds', async () => {
    const { clock, feed, exchange } = setUp();
    const seen: (number | null)[] = [];
    exchange.price('BTC').subscribe((price) => seen.push(price?.value ?? null));
    feed.tick('ETH', 3, START_MS);
    feed.tick('BTC', 100, START_MS - 3_000);
    await clock.advance(2_001);
    expect(seen).toEqual([null, usd(100), null]);
  });

  it('is known of the assets it was made for alone', () => {
    expect(() => setUp().exchange.price('SOL')).toThrow('SOL');
  });

  it('needs no listener for a price from the future, or of a source that broke down', async () => {
    const { clock, feed, exchange } = setUp();
    const seen: (number | null)[] = [];
    exchange.price('BTC').subscribe((price) => seen.push(price?.value ?? null));
    feed.tick('BTC', 100, START_MS + 2_001);
    feed.tick('BTC', 101, START_MS);
    feed.breakDown();
    await clock.advance(10_000);
    expect(seen).toEqual([null, usd(101), null]);
  });

  it('shares one upstream among assets and readers', () => {
    const { feed, exchange } = setUp();
    const readers = [
      exchange.price('BTC').subscribe(),
      exchange.price('ETH').subscribe(),
      exchange.price('BTC').subscribe(),
    ];
    expect([feed.running, feed.opened]).toEqual([1, 1]);
    for (const reader of readers) reader.unsubscribe();
    expect(feed.running).toBe(0);
  });
});

describe('createExchange priceAt', () => {
  const at = START_MS + 10_000;
  const start = (exchange: ReturnType<typeof setUp>['exchange']) => {
    const seen: unknown[] = [];
    exchange
      .priceAt('BTC', at)
      .subscribe({ next: (price) => seen.push(price), complete: () => seen.push('end') });
    return seen;
  };

  it('takes the newest price before the moment once a later one has come', async () => {
    const { clock, feed, exchange } = setUp();
    const seen = start(exchange);
    for (const [offsetMs, price] of [
      [-500, 100],
      [-100, 101],
      [50, 102],
    ] as const) {
      await clock.advanceTo(at + offsetMs);
      feed.tick('BTC', price, at + offsetMs);
    }
    expect({ seen, asked: feed.asked }).toEqual({ seen: [usd(101), 'end'], asked: [] });
  });

  it('asks the history where the last price before was too old, or lost', async () => {
    const { clock, feed, exchange } = setUp();
    const seen = start(exchange);
    await clock.advanceTo(at - 2_001);
    feed.tick('BTC', 100, at - 2_001);
    await clock.advanceTo(at + 50);
    feed.tick('BTC', 102, at + 50);
    expect(seen).toEqual([]);
    await clock.advanceTo(at + 3_001);
    expect({ seen, asked: feed.asked }).toEqual({ seen: [usd(102), 'end'], asked: [at] });
  });

  it('finds the start of a window that runs already', async () => {
    const { clock, feed, exchange } = setUp();
    feed.note('BTC', 99, at);
    await clock.advanceTo(at + 60_000);
    const seen = start(exchange);
    await clock.advance(1);
    expect(seen).toEqual([usd(99), 'end']);
  });
});
