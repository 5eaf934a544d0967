import { afterAll, describe, expect, it } from 'vitest';
import { marketTimeOf } from '../../src/adapters/clock/market-runs.ts';
import { assetPriceE8 } from '../../src/domain/units.ts';
import { openSocket } from './live/socket-client.ts';
import { aBook, MARKET_ID, TOKEN_ID } from './samples.ts';
import { INTERNAL_SECRET, START_MS, startApi } from './api.ts';

const HOUR_MS = 3_600_000;
/** An hour ahead of the wall when the API starts, ten times as fast since. */
const marketTime = marketTimeOf([
  { anchorWallMs: START_MS, anchorMs: START_MS + HOUR_MS, scale: 10 },
]);
const api = await startApi({ marketTime });
afterAll(() => api.close());
const user = await api.signIn();
const get = async (path: string, headers: Record<string, string> = {}) =>
  (await api.request('GET', path, { token: user.token, headers })).body;

/**
 * What the samples hold, which the market clock stamped at START_MS, is so long ago on the wall.
 */
const THEN_MS = START_MS - HOUR_MS / 10;
const ROUND_END_MS = THEN_MS + 30_000;

/** Every moment in an answer, by name. */
function moments(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.assign(
    {},
    ...Object.entries(value).map(([name, inner]) =>
      name.endsWith('AtMs') ? { [name]: inner } : moments(inner),
    ),
  );
}

describe('an answer where market time runs away from the wall', () => {
  it.each([
    [
      '/api/venue_a/markets/',
      { startsAtMs: THEN_MS, endsAtMs: ROUND_END_MS, opensAtMs: THEN_MS - 8_640_000 },
    ],
    ['/api/venue_a/markets/events', { startsAtMs: THEN_MS, endsAtMs: ROUND_END_MS }],
    ['/api/venue_a/holding/', { openedAtMs: THEN_MS, endsAtMs: ROUND_END_MS, closedAtMs: null }],
    ['/api/venue_a/whale-txs/', { tradedAtMs: THEN_MS }],
    ['/api/agents/btc_5min/decisions', { decidedAtMs: THEN_MS }],
    ['/api/user/profile', { createdAtMs: START_MS }],
  ])('says in %s when by the wall', async (path, expected) => {
    expect(moments(await get(path))).toMatchObject(expected);
  });

  it('of an order takes its end and tells its moments by the wall', async () => {
    const expiresAtMs = START_MS + HOUR_MS;
    const body = {
      marketId: MARKET_ID,
      side: 'yes',
      amount: 5,
      orderType: 'limit',
      price: '0.4',
      expiresAtMs,
    };
    expect(
      moments((await api.request('POST', '/api/venue_a/order/', { token: user.token, body })).body),
    ).toEqual({ createdAtMs: THEN_MS, updatedAtMs: THEN_MS, expiresAtMs });
    expect(api.placed.at(-1)?.request.type).toMatchObject({
      expiresAtMs: START_MS + HOUR_MS + 10 * HOUR_MS,
    });
    expect(
      (
        await api.request('POST', '/api/venue_a/order/', {
          token: user.token,
          body: { ...body, expiresAtMs: START_MS },
        })
      ).body,
    ).toMatchObject({
      code: 'invalid_request',
      detail: `expiresAtMs: lies in the past: it is ${START_MS} now, in epoch milliseconds`,
    });
  });

  it('to an operator says when a stop was set by the wall', async () => {
    const headers = { 'x-internal-secret': INTERNAL_SECRET };
    await api.request('POST', '/internal/stop', { headers, body: { reason: 'alarm' } });
    expect(moments(await get('/internal/stop', headers))).toEqual({ changedAtMs: THEN_MS });
  });

  it('says what both clocks show, each answer in its headers', async () => {
    const { body, headers } = await api.request('GET', '/api/time');
    expect(body).toEqual({ wallAtMs: START_MS, marketAtMs: START_MS + HOUR_MS, speed: 10 });
    expect([headers.get('x-wall-time-ms'), headers.get('x-market-time-ms')]).toEqual([
      String(START_MS),
      String(START_MS + HOUR_MS),
    ]);
    const refused = await api.request('GET', '/api/nowhere');
    expect([refused.status, refused.headers.get('x-market-time-ms')]).toEqual([
      404,
      String(START_MS + HOUR_MS),
    ]);
  });

  it('on sockets says when by the wall', async () => {
    api.books.set(TOKEN_ID, aBook({ epoch: 1, seq: 1 }));
    const client = await openSocket(api.url, { authorization: `Bearer ${user.token}` });
    const reported: Record<string, unknown> = {};
    client.send({
      op: 'subscribe',
      topics: [`orderbook:venue_a:${TOKEN_ID}`, 'prices:BTC', 'orders', 'positions'],
    });
    api.touchPrice({
      asset: 'BTC',
      price: assetPriceE8(9_712_345_000_000),
      source: 'oracle',
      sourceAtMs: START_MS,
      receivedAtMs: START_MS,
    });
    while (Object.keys(reported).length < 4) {
      const { topic, data } = await client.next();
      if (typeof topic === 'string') reported[topic] = moments(data);
    }
    expect(reported).toMatchObject({
      [`orderbook:venue_a:${TOKEN_ID}`]: { venueAtMs: THEN_MS },
      orders: { createdAtMs: THEN_MS },
      positions: { openedAtMs: THEN_MS, endsAtMs: ROUND_END_MS },
    });
    client.close();
  });
});
