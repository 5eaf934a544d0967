import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/adapters/clock/virtual-clock.ts';
import {
  createDataStreams,
  type DataStreamsFeedId,
} from '../../../src/adapters/oracle/data-streams.ts';
import type { PriceTick } from '../../../src/ports/price-feed.ts';
import { collect } from '../../support/collect.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';
import {
  startStubServer,
  type SeenRequest,
  type StubBehaviour,
} from '../../support/fixtures/stub-server.ts';
import { aReport } from './report-builder.ts';

const BTC = '0x00039d9e45394f473ab1f050a1b963e6b05351e52d71e507509ada0c95ed75b8';
const ETH = '0x000362205e10b3a147d02792eccee483dca6c7b44ecce7012cb8c6e0b68b3ae9';
const FEEDS: readonly DataStreamsFeedId[] = [
  { asset: 'BTC', twapSeconds: null, feedId: BTC },
  { asset: 'ETH', twapSeconds: null, feedId: ETH },
];
const START_MS = 1_777_108_200_000;
const credentials = { key: 'b2d6f1a0-5c1e-4c53-9d0e-8a1f4c2e7b90', secret: 'a-secret' };

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(behaviour: StubBehaviour) {
  const server = await startStubServer(behaviour);
  const clock = createVirtualClock(START_MS);
  const metrics = createCountingMetrics();
  const feed = createDataStreams({
    restUrl: server.httpUrl,
    socketUrl: server.socketUrl,
    credentials,
    feeds: FEEDS,
    clock,
    metrics,
  });
  cleanups.push(() => server.close());
  return { server, clock, metrics, feed };
}

/** The check of the server's side, written from the documentation. */
function isSigned({ path, headers }: SeenRequest): boolean {
  const atMs = headers['x-authorization-timestamp'];
  const message = `GET ${path} e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 ${credentials.key} ${String(atMs)}`;
  return (
    headers.authorization === credentials.key &&
    headers['x-authorization-signature-sha256'] ===
      createHmac('sha256', credentials.secret).update(message).digest('hex')
  );
}

describe('createDataStreams', () => {
  it('gives ticks of signed reports, each moment once and in order', async () => {
    const { server, feed, metrics } = await start({
      connected(socket) {
        const frame = (atSeconds: number, feedId = BTC) =>
          JSON.stringify({
            report: aReport({
              feedId,
              atSeconds,
              price: 60_000n * 10n ** 18n + BigInt(atSeconds) * 10n ** 10n,
            }),
          });
        socket.send(Buffer.from(frame(100)));
        socket.send(frame(100));
        socket.send(frame(99));
        socket.send('not json');
        socket.send('{"report":{}}');
        socket.send(frame(102));
        socket.send(frame(101, ETH));
      },
    });
    const ticks = collect<PriceTick>();
    cleanups.push(feed.watch(['BTC', 'ETH'], ticks));
    expect(await ticks.whenValues(3)).toEqual([
      { asset: 'BTC', price: 6_000_000_000_100, sourceAtMs: 100_000, twapSeconds: null },
      { asset: 'BTC', price: 6_000_000_000_102, sourceAtMs: 102_000, twapSeconds: null },
      { asset: 'ETH', price: 6_000_000_000_101, sourceAtMs: 101_000, twapSeconds: null },
    ]);
    expect(server.requests.map(({ path }) => path)).toEqual([`/api/v1/ws?feedIDs=${BTC},${ETH}`]);
    expect(server.requests.every(isSigned)).toBe(true);
    expect(metrics.counts).toEqual({
      'feed_dropped_total feed=oracle reason=repeated': 2,
      'feed_dropped_total feed=oracle reason=malformed': 2,
    });
  });

  it('fails with a retryable error when the socket is lost, or silent for ten seconds', async () => {
    const { server, clock, feed } = await start({});
    const first = collect<PriceTick>();
    const connected = new Promise<void>((resolve) => {
      server.behaviour.connected = () => resolve();
    });
    cleanups.push(feed.watch(['BTC'], first));
    await connected;
    server.sockets[0]?.terminate();
    expect(await first.whenFailed()).toMatchObject({ code: 'venue_unavailable', retryable: true });

    const second = collect<PriceTick>();
    server.behaviour.connected = (socket) =>
      socket.send(
        JSON.stringify({ report: aReport({ feedId: BTC, atSeconds: 1, price: 10n ** 20n }) }),
      );
    cleanups.push(feed.watch(['BTC'], second));
    await second.whenValues(1);
    await clock.advance(10_001);
    expect(await second.whenFailed()).toMatchObject({ code: 'venue_unavailable', retryable: true });
  });

  it('repairs a missed moment by the first report at or after it', async () => {
    const { server, feed } = await start({
      answer: () => ({
        body: {
          report: aReport({ feedId: ETH, atSeconds: 1_777_108_201, price: 3_000n * 10n ** 18n }),
        },
      }),
    });
    expect(await feed.priceAt('ETH', 1_777_108_200_500, null)).toEqual({
      asset: 'ETH',
      price: 300_000_000_000,
      sourceAtMs: 1_777_108_201_000,
      twapSeconds: null,
    });
    expect(server.requests.map(({ path }) => path)).toEqual([
      `/api/v1/reports?feedID=${ETH}&timestamp=1777108201`,
    ]);
    expect(server.requests.every(isSigned)).toBe(true);
  });

  it('repairs a moment by no report of a later one, whatever is answered: it would be the price to beat of a round', async () => {
    const { feed } = await start({
      answer: () => ({
        body: {
          report: aReport({ feedId: ETH, atSeconds: 1_777_108_210, price: 3_000n * 10n ** 18n }),
        },
      }),
    });
    expect(await feed.priceAt('ETH', 1_777_108_200_000, null)).toBeNull();
  });

  it('is not silenced by a report from ahead of its time', async () => {
    const { server, metrics, feed } = await start({});
    const soon = START_MS / 1_000 + 1;
    server.behaviour.connected = (socket) => {
      for (const atSeconds of [soon + 86_400, soon])
        socket.send(
          JSON.stringify({ report: aReport({ feedId: BTC, atSeconds, price: 10n ** 20n }) }),
        );
    };
    const ticks = collect<PriceTick>();
    cleanups.push(feed.watch(['BTC'], ticks));
    await ticks.whenValues(1);
    expect(ticks.values.map(({ sourceAtMs }) => sourceAtMs)).toEqual([soon * 1_000]);
    expect(metrics.counts).toEqual({ 'feed_dropped_total feed=oracle reason=ahead': 1 });
  });

  it('signs by the clock of the wall, which the server allows five seconds of, however far the market clock has gone', async () => {
    let isConnected: () => void = () => undefined;
    const connection = new Promise<void>((resolve) => {
      isConnected = resolve;
    });
    const server = await startStubServer({
      answer: () => ({ status: 404, body: { error: 'no report' } }),
      connected: () => isConnected(),
    });
    const options = {
      restUrl: server.httpUrl,
      socketUrl: server.socketUrl,
      credentials,
      feeds: FEEDS,
      metrics: createCountingMetrics(),
    };
    const feed = createDataStreams({
      ...options,
      clock: createVirtualClock(START_MS + 900_000),
      wallClock: createVirtualClock(START_MS),
    });
    cleanups.push(
      () => server.close(),
      () => feed.close(),
      feed.watch(['BTC'], collect<PriceTick>()),
    );
    await connection;
    await feed.priceAt('BTC', START_MS, null);
    expect(server.requests.map(({ headers }) => headers['x-authorization-timestamp'])).toEqual([
      String(START_MS),
      String(START_MS),
    ]);
    expect(server.requests.every(isSigned)).toBe(true);
  });

  it('gives null for a moment without a report and for kinds it does not have', async () => {
    const { feed } = await start({ answer: () => ({ status: 404, body: { error: 'no report' } }) });
    expect([
      await feed.priceAt('BTC', START_MS, null),
      await feed.priceAt('BTC', START_MS, 60),
      await feed.priceAt('SOL', START_MS, null),
    ]).toEqual([null, null, null]);
  });

  it.each([
    ['a refused signature', { status: 401, body: { error: 'unauthorized' } }, 'venue_protocol'],
    [
      'an answer for another feed',
      { body: { report: aReport({ feedId: BTC, atSeconds: 1, price: 10n ** 20n }) } },
      'venue_protocol',
    ],
    ['a transient failure', { status: 503, body: 'down' }, 'venue_unavailable'],
  ])('names %s', async (_, answer, code) => {
    const { feed } = await start({ answer: () => answer });
    await expect(feed.priceAt('ETH', START_MS, null)).rejects.toMatchObject({ code });
  });

  it('refuses feeds of another schema and missing credentials at the start', () => {
    const options = {
      restUrl: 'http://127.0.0.1:1',
      socketUrl: 'ws://127.0.0.1:1',
      credentials,
      feeds: FEEDS,
      clock: createVirtualClock(0),
      metrics: createCountingMetrics(),
    };
    const wrong: DataStreamsFeedId = {
      asset: 'SOL',
      twapSeconds: null,
      feedId: `0x0007${'0'.repeat(60)}`,
    };
    expect(() => createDataStreams({ ...options, feeds: [wrong] })).toThrow(/schema version 3/);
    expect(() => createDataStreams({ ...options, credentials: { key: 'k', secret: '' } })).toThrow(
      /secret/,
    );
  });
});
