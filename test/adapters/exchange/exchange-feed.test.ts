import { afterEach, describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import { createExchangeFeed } from '../../../src/adapters/exchange/exchange-feed.ts';
import type { PriceTick } from '../../../src/ports/price-feed.ts';
import { collect } from '../../support/collect.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';
import { startStubServer, type StubBehaviour } from '../../support/fixtures/stub-server.ts';

const START_MS = 1_777_108_200_000;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(behaviour: StubBehaviour) {
  const server = await startStubServer(behaviour);
  cleanups.push(() => server.close());
  const clock = createVirtualClock(START_MS);
  const metrics = createCountingMetrics();
  const feed = createExchangeFeed({
    restUrl: server.httpUrl,
    socketUrl: server.socketUrl,
    clock,
    metrics,
  });
  return { server, clock, metrics, feed };
}

const quote = (updateId: number, bid: string, ask: string, symbol = 'BTCUSDT') =>
  JSON.stringify({
    stream: `${symbol.toLowerCase()}@bookTicker`,
    data: { u: updateId, s: symbol, b: bid, B: '1', a: ask, A: '1' },
  });
const trade = (id: number, price: string, atMs: number) =>
  JSON.stringify({
    stream: 'btcusdt@aggTrade',
    data: {
      e: 'aggTrade',
      E: atMs,
      s: 'BTCUSDT',
      a: id,
      p: price,
      q: '1',
      f: 1,
      l: 1,
      T: atMs,
      m: true,
      M: true,
    },
  });

describe('createExchangeFeed', () => {
  it('gives middles of quotes, stamped by the lag of the newest trade', async () => {
    const { server, metrics, feed } = await start({
      connected(socket) {
        for (const frame of [
          quote(1, '60000', '60001'),
          trade(1, '60000.5', START_MS - 700),
          quote(2, '60001', '60002'),
          quote(2, '1', '2'),
          'junk',
          '{"result":null,"id":1}',
          quote(3, '3000', '3001', 'ETHUSDT'),
          quote(1, '5', '6', 'XRPUSDT'),
        ])
          socket.send(frame);
        socket.send(quote(4, '60002', '60003'));
      },
    });
    const ticks = collect<PriceTick>();
    cleanups.push(feed.watch(['BTC', 'ETH'], ticks));
    expect(await ticks.whenValues(4)).toEqual([
      { asset: 'BTC', price: 6_000_050_000_000, sourceAtMs: START_MS, twapSeconds: null },
      { asset: 'BTC', price: 6_000_150_000_000, sourceAtMs: START_MS - 700, twapSeconds: null },
      { asset: 'ETH', price: 300_050_000_000, sourceAtMs: START_MS, twapSeconds: null },
      { asset: 'BTC', price: 6_000_250_000_000, sourceAtMs: START_MS - 700, twapSeconds: null },
    ]);
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/stream?streams=btcusdt@bookTicker/btcusdt@aggTrade/ethusdt@bookTicker/ethusdt@aggTrade',
    ]);
    expect(metrics.counts).toEqual({
      'feed_dropped_total feed=exchange reason=repeated': 1,
      'feed_dropped_total feed=exchange reason=malformed': 3,
    });
  });

  it('opens the next socket before it leaves one that is to be shut down', async () => {
    const { server, feed } = await start({
      connected(socket) {
        const isFirst = server.sockets.length === 1;
        socket.send(isFirst ? quote(1, '60000', '60001') : quote(2, '60002', '60003'));
        if (isFirst)
          socket.send('{"stream":"!serverShutdown","data":{"e":"serverShutdown","E":1}}');
      },
    });
    const ticks = collect<PriceTick>();
    cleanups.push(feed.watch(['BTC'], ticks));
    expect((await ticks.whenValues(2)).map(({ price }) => price)).toEqual([
      6_000_050_000_000, 6_000_250_000_000,
    ]);
    await new Promise<void>((resolve) => {
      const first = server.sockets[0];
      if (first === undefined || first.readyState === first.CLOSED) resolve();
      else first.once('close', () => resolve());
    });
    expect(server.sockets).toHaveLength(2);
    expect(ticks.errors).toEqual([]);
  });

  it('replaces its socket before the exchange ends it after a day', async () => {
    let frames = 0;
    const { server, clock, feed } = await start({
      connected: (socket) => socket.send(quote((frames += 1), '60000', '60001')),
    });
    const ticks = collect<PriceTick>();
    cleanups.push(feed.watch(['BTC'], ticks));
    // Ten minutes a step would trip the silence watchdog, so a quote comes with every step of
    // twenty seconds.
    await ticks.whenValues(1);
    for (let passed = 0; server.sockets.length < 2 && passed < 86_400_000; passed += 20_000) {
      const before = ticks.values.length;
      server.sockets[0]?.send(quote((frames += 1), '60000', '60001'));
      await ticks.whenValues(before + 1);
      await clock.advance(20_000);
    }
    expect([server.sockets.length, ticks.errors]).toEqual([2, []]);
    expect(clock.nowMs() - START_MS).toBeLessThan(86_400_000);
  });

  it('fails with a retryable error when the socket is lost', async () => {
    const { feed } = await start({ connected: (socket) => socket.close() });
    const ticks = collect<PriceTick>();
    cleanups.push(feed.watch(['BTC'], ticks));
    expect(await ticks.whenFailed()).toMatchObject({ code: 'venue_unavailable', retryable: true });
  });

  it('repairs a missed moment by the opening price of its second', async () => {
    const { server, feed } = await start({
      answer: () => ({
        body: [[START_MS, '60000.12', '1', '1', '1', '1', START_MS + 999, '1', 1, '1', '1', '0']],
      }),
    });
    expect(await feed.priceAt('BTC', START_MS, null)).toEqual({
      asset: 'BTC',
      price: 6_000_012_000_000,
      sourceAtMs: START_MS,
      twapSeconds: null,
    });
    expect(await feed.priceAt('BTC', START_MS, 60)).toBeNull();
    expect(server.requests.map(({ path }) => path)).toEqual([
      `/api/v3/klines?symbol=BTCUSDT&interval=1s&startTime=${START_MS}&limit=1`,
    ]);
  });

  it('repairs a moment by no candle of a later one', async () => {
    const { feed } = await start({
      answer: () => ({
        body: [
          [
            START_MS + 60_000,
            '60000.12',
            '1',
            '1',
            '1',
            '1',
            START_MS + 60_999,
            '1',
            1,
            '1',
            '1',
            '0',
          ],
        ],
      }),
    });
    expect(await feed.priceAt('BTC', START_MS, null)).toBeNull();
  });

  it('has no price for a moment whose second is not there yet, and names a refusal', async () => {
    const { server, feed } = await start({ answer: () => ({ body: [] }) });
    expect(await feed.priceAt('SOL', START_MS, null)).toBeNull();
    server.behaviour.answer = () => ({
      status: 400,
      body: { code: -1121, msg: 'Invalid symbol.' },
    });
    await expect(feed.priceAt('SOL', START_MS, null)).rejects.toMatchObject({
      code: 'venue_protocol',
    });
  });
});
