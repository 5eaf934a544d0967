import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createVirtualClock } from '../../../../src/adapters/clock/virtual-clock.ts';
import { createPriceSocket } from '../../../../src/venues/venue-a/market-data/price-socket.ts';
import type { PriceTick } from '../../../../src/ports/price-feed.ts';
import { collect } from '../../../support/collect.ts';
import { createCountingMetrics } from '../../../support/counting-metrics.ts';
import { eventually } from '../../../support/eventually.ts';
import { startStubServer, type StubBehaviour } from '../../../support/fixtures/stub-server.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(behaviour: StubBehaviour) {
  const server = await startStubServer(behaviour);
  cleanups.push(() => server.close());
  const clock = createVirtualClock(1_760_000_000_000);
  const metrics = createCountingMetrics();
  return {
    server,
    clock,
    metrics,
    feed: createPriceSocket({ url: server.socketUrl, clock, metrics }),
  };
}

/** Answers a subscription to spot prices with these frames. */
const sends = (frames: readonly (string | Buffer)[]): StubBehaviour => ({
  connected(socket) {
    socket.on('message', (message) => {
      if (String(message).includes('chainlink')) for (const frame of frames) socket.send(frame);
    });
  },
});

const SPOT =
  '{"topic":"crypto_prices_chainlink","type":"update","timestamp":1760000000150,"connection_id":"abc","payload":{"symbol":"btc/usd","timestamp":1760000000000,"value":60000.5}}';
const TWAP =
  '{"topic":"crypto_prices_twap_sixty","type":"update","timestamp":1760000000150,"payload":{"symbol":"btc/usd","timestamp":1760000000000,"value":60001.25,"full_accuracy_value":"60001250000000000000001","window_seconds":60}}';
const point = (
  symbol: string,
  timestamp: number,
  value: number,
  topic = 'crypto_prices_chainlink',
) => JSON.stringify({ topic, type: 'update', payload: { symbol, timestamp, value } });

describe('createPriceSocket', () => {
  it('subscribes to spot and average on a socket each, without a filter, and gives both exactly', async () => {
    const asked: unknown[] = [];
    const { feed } = await start({
      connected(socket) {
        socket.on('message', (data) => {
          const command = JSON.parse(String(data));
          asked.push(command);
          for (const frame of [
            '',
            command.subscriptions[0].topic === 'crypto_prices_chainlink' ? SPOT : TWAP,
          ])
            socket.send(frame);
        });
      },
    });
    const ticks = collect<PriceTick>();
    cleanups.push(feed.watch(['BTC'], ticks));
    expect((await ticks.whenValues(2)).toSorted((a, b) => a.price - b.price)).toEqual([
      { asset: 'BTC', price: 6_000_050_000_000, sourceAtMs: 1_760_000_000_000, twapSeconds: null },
      { asset: 'BTC', price: 6_000_125_000_000, sourceAtMs: 1_760_000_000_000, twapSeconds: 60 },
    ]);
    expect(asked).toEqual(
      expect.arrayContaining(
        ['crypto_prices_chainlink', 'crypto_prices_twap_sixty'].map((topic) => ({
          action: 'subscribe',
          subscriptions: [{ topic, type: '*' }],
        })),
      ),
    );
  });

  it('ignores other symbols, repeats and the past, and counts what it cannot read', async () => {
    const frames = [
      point('btcusdt', 1, 60_000, 'crypto_prices'),
      point('xrp/usd', 1, 2),
      point('eth/usd', 5_000, 3_000),
      point('btc/usd', 5_000, 60_000),
      point('btc/usd', 5_000, 60_001),
      point('btc/usd', 4_000, 60_002),
      'PONG',
      'oops',
      Buffer.from([0xff, 0xfe]),
      point('btc/usd', 6_000, 1e-9),
      point('btc/usd', 7_000, 60_003),
    ];
    const { feed, metrics } = await start(sends(frames));
    const ticks = collect<PriceTick>();
    cleanups.push(feed.watch(['BTC'], ticks));
    expect((await ticks.whenValues(2)).map(({ price, sourceAtMs }) => [price, sourceAtMs])).toEqual(
      [
        [6_000_000_000_000, 5_000],
        [6_000_300_000_000, 7_000],
      ],
    );
    expect(metrics.counts).toEqual({ 'feed_dropped_total feed=venue_oracle reason=malformed': 3 });
  });

  it('leaves out what is stamped ahead of the clock, and hears on: one such price does not silence those after it', async () => {
    const frames = [
      point('btc/usd', 9_000_000_000_000_000, 1),
      point('btc/usd', 1_760_000_002_001, 2),
      point('btc/usd', 1_760_000_002_000, 60_000),
    ];
    const { feed, metrics } = await start(sends(frames));
    const ticks = collect<PriceTick>();
    cleanups.push(feed.watch(['BTC'], ticks));
    expect((await ticks.whenValues(1)).map(({ price }) => price)).toEqual([6_000_000_000_000]);
    expect(metrics.counts).toEqual({ 'feed_dropped_total feed=venue_oracle reason=ahead': 2 });
  });

  it('repairs a boundary from the history dump, also when that comes mislabelled', async () => {
    const data = [4, 5, 6, 9].map((second) => ({
      timestamp: second * 1_000,
      value: 60_000 + second,
    }));
    const { feed } = await start({
      connected(socket) {
        // Both kinds answer alike, with one label.
        socket.on('message', (message) => {
          const isSpot = String(message).includes('chainlink');
          const payload = {
            symbol: 'btc/usd',
            data: isSpot ? data : [{ timestamp: 5_500, value: 70_000 }],
          };
          socket.send(
            JSON.stringify({ topic: 'crypto_prices', type: 'subscribe', timestamp: 1, payload }),
          );
        });
      },
    });
    const ticks = collect<PriceTick>();
    cleanups.push(feed.watch(['BTC'], ticks));
    await ticks.whenValues(5);
    const at = async (atMs: number) => (await feed.priceAt('BTC', atMs, null))?.sourceAtMs ?? null;
    // 8 s lies in a hole: the report at 9 s need not have been the first. Before 4 s nothing is
    // known.
    expect([
      await at(4_000),
      await at(4_500),
      await at(5_000),
      await at(8_000),
      await at(3_500),
      await at(9_500),
    ]).toEqual([4_000, 5_000, 5_000, null, null, null]);
    expect([
      (await feed.priceAt('BTC', 5_500, 60))?.price,
      await feed.priceAt('BTC', 5_000, 60),
    ]).toEqual([7_000_000_000_000, null]);
  });

  it('gives a socket up that says nothing for ten seconds', async () => {
    const { clock, feed } = await start({ connected: (socket) => socket.send(SPOT) });
    const ticks = collect<PriceTick>();
    cleanups.push(feed.watch(['BTC'], ticks));
    await ticks.whenValues(1);
    await clock.advance(10_001);
    expect(await ticks.whenFailed()).toMatchObject({ code: 'venue_unavailable', retryable: true });
  });

  it('replaces its sockets on schedule, away from the boundaries of windows, and loses neither prices nor itself', async () => {
    const { server, clock, feed } = await start({
      connected: (socket) => [SPOT, TWAP].forEach((frame) => socket.send(frame)),
    });
    const ticks = collect<PriceTick>();
    cleanups.push(feed.watch(['BTC'], ticks));
    await ticks.whenValues(2);
    const startMs = clock.nowMs();
    const first = [...server.sockets];
    // Talk goes on, so that only the schedule can end a socket.
    const talk = async (second: number): Promise<void> => {
      const before = ticks.values.length;
      for (const socket of server.sockets)
        for (const topic of ['crypto_prices_chainlink', 'crypto_prices_twap_sixty'])
          socket.send(point('btc/usd', startMs + second * 1_000, 60_000, topic));
      await ticks.whenValues(before + 2);
    };
    let second = 0;
    for (; clock.nowMs() < dueMs(startMs); second += 5) {
      expect(server.sockets).toHaveLength(2);
      await talk(second + 1);
      await clock.advance(5_000);
    }
    await eventually(() =>
      expect([server.sockets.length, first.map(({ readyState }) => readyState)]).toEqual([
        4,
        [WebSocket.CLOSED, WebSocket.CLOSED],
      ]),
    );
    await talk(second + 1);
    expect([ticks.errors, ticks.values.length]).toEqual([[], 2 * (second / 5 + 2)]);
  });
});

/** The middle of the first 5-minute window that begins a quarter hour on. */
function dueMs(startMs: number): number {
  return Math.floor((startMs + 900_000) / 300_000) * 300_000 + 150_000;
}
