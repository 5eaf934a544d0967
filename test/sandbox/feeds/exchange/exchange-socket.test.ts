import { afterEach, describe, expect, it } from 'vitest';
import { EXCHANGE_BASIS } from '../../../../src/sandbox/calibration/calibration.ts';
import { startExchangeFeed } from '../../../../src/sandbox/feeds/exchange/exchange-socket.ts';
import { readFrames } from '../../../support/fixtures/frame-reader.ts';
import { FEEDS_NOW_MS, modelledFeeds } from '../../../support/fakes/modelled-feeds.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

describe('exchange socket', () => {
  it('sends named frames on a combined socket: four tops of book and one trade a second', async () => {
    const { feeds, host } = await started();
    const reader = await readFrames(
      `${host.socketUrl}/stream?streams=btcusdt@bookTicker/btcusdt@aggTrade`,
    );
    closers.unshift(() => reader.close());
    await feeds.clock.advance(1_000);
    const frames = await Promise.all(
      Array.from({ length: 5 }, async () => JSON.parse(await reader.next())),
    );
    expect(frames.map(({ stream }) => stream).sort()).toEqual([
      'btcusdt@aggTrade',
      ...Array.from({ length: 4 }, () => 'btcusdt@bookTicker'),
    ]);
    const tops = frames
      .filter(({ stream }) => stream === 'btcusdt@bookTicker')
      .map(({ data }) => data);
    for (const { b, a, B } of tops) {
      expect(Number(a)).toBeGreaterThan(Number(b));
      expect(B).toMatch(/^\d+\.\d{8}$/);
    }
    expect(tops.map(({ u }) => u)).toEqual(
      tops.map(({ u }) => u).sort((x: number, y: number) => x - y),
    );
    expect(Object.keys(tops[0])).toEqual(['u', 's', 'b', 'B', 'a', 'A']);
  });

  it('sends bare payloads on a raw socket and obeys live control', async () => {
    const { feeds, host } = await started();
    const reader = await readFrames(`${host.socketUrl}/ws/ethusdt@bookTicker`);
    closers.unshift(() => reader.close());
    await feeds.clock.advance(250);
    expect(JSON.parse(await reader.next())).toMatchObject({ s: 'ETHUSDT' });
    reader.socket.send('{"method":"SUBSCRIBE","params":["solusdt@kline_1m"],"id":3}');
    expect(JSON.parse(await reader.next())).toEqual({ result: null, id: 3 });
    reader.socket.send('{"method":"LIST_SUBSCRIPTIONS","id":4}');
    expect(JSON.parse(await reader.next())).toEqual({
      result: ['ethusdt@bookTicker', 'solusdt@kline_1m'],
      id: 4,
    });
    reader.socket.send('{"method":"UNSUBSCRIBE","params":["ethusdt@bookTicker"],"id":5}');
    await reader.next();
    await feeds.clock.advance(2_000);
    expect(JSON.parse(await reader.next())).toMatchObject({
      e: 'kline',
      s: 'SOLUSDT',
      k: { i: '1m', x: false },
    });
    reader.socket.send('{"method":"SUBSCRIBE","params":["dogeusdt@depth"],"id":6}');
    expect(JSON.parse(await reader.next())).toMatchObject({ code: 2 });
  });
});

describe('exchange REST', () => {
  it('tells the time and serves candles whose bounds hold their open and close', async () => {
    const { get } = await started();
    expect((await get('/api/v3/time')).body).toEqual({ serverTime: FEEDS_NOW_MS });
    const { body } = await get(`/api/v3/klines?symbol=BTCUSDT&interval=1m&limit=10`);
    expect(body).toHaveLength(10);
    for (const [openTime, open, high, low, close, , closeTime] of body) {
      expect(closeTime - openTime).toBe(59_999);
      expect(Number(high)).toBeGreaterThanOrEqual(Math.max(Number(open), Number(close)));
      expect(Number(low)).toBeLessThanOrEqual(Math.min(Number(open), Number(close)));
    }
    expect(body.at(-1)[0]).toBe(FEEDS_NOW_MS);
  });

  it('leads the settlement price by a second and differs from it by the recorded basis', () => {
    const { prices, exchange } = modelledFeeds();
    const distance = (leadSeconds: number) => {
      const values = Array.from({ length: 3_000 }, (_, index) => {
        const second = FEEDS_NOW_MS / 1000 - 3_300 + index;
        const top = exchange.quote('BTC', second * 4);
        return Math.log(
          ((top?.bidCents ?? 0) + (top?.askCents ?? 0)) /
            200 /
            (prices.valueAt('BTC', second + leadSeconds) ?? 1),
        );
      });
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      return {
        mean,
        spread: Math.sqrt(
          values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length,
        ),
      };
    };
    expect(Math.abs(distance(1).mean - EXCHANGE_BASIS.mean)).toBeLessThan(0.00002);
    expect(distance(1).spread).toBeLessThan(Math.min(distance(0).spread, distance(2).spread));
  });

  it.each([
    ['/api/v3/klines?interval=1m', -1102],
    ['/api/v3/klines?symbol=NOPE&interval=1m', -1121],
    ['/api/v3/klines?symbol=BTCUSDT&interval=7m', -1120],
  ])('refuses %s with code %i', async (target, code) => {
    const { get } = await started();
    const { status, body } = await get(target);
    expect([status, body.code]).toEqual([400, code]);
  });
});

async function started() {
  const feeds = modelledFeeds();
  const host = await startExchangeFeed({ port: 0, ...feeds });
  closers.push(() => host.close());
  const get = async (target: string) => {
    const response = await fetch(`${host.url}${target}`);
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  return { feeds, host, get };
}
