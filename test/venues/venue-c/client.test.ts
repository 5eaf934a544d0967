import { describe, expect, it } from 'vitest';
import { VENUE_C } from '../../../config/limits/venue-c.ts';
import { aWire } from './wire.ts';

const ACCOUNT = { tokenId: 'token-1', secret: Buffer.from('a secret').toString('base64') };

describe('calls of an account', () => {
  it('carry a signature over time, method, path with query and body', async () => {
    const { client, asked } = aWire({ '/orders': {} });
    await client.send({
      method: 'POST',
      path: '/orders',
      query: { a: '1' },
      body: '{"b":2}',
      account: ACCOUNT,
    });
    // openssl dgst -sha256 -hmac 'a secret' -binary over the five lines, as base64
    expect(asked[0]).toMatchObject({
      path: '/orders?a=1',
      body: '{"b":2}',
      headers: {
        'lmts-api-key': 'token-1',
        'lmts-timestamp': '2026-01-01T12:00:00.000Z',
        'lmts-signature': 'BJNUPwQpPAmVQyi21CGTJyZkluAzGUq9Jy7DN9btwto=',
      },
    });
  });

  it('are signed at the moment they leave, by the wall clock', async () => {
    const { client, asked, wallClock } = aWire({ '/a': {} });
    await client.read({ path: '/a', account: ACCOUNT });
    await wallClock.advance(1_000);
    await client.read({ path: '/a', account: ACCOUNT });
    const times = asked.map(({ headers }) => Date.parse(headers?.['lmts-timestamp'] ?? ''));
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBe(1_000);
  });

  it('of others carry no proof, and a deletion no body', async () => {
    const { client, asked } = aWire({ '/a': {} });
    await client.read({ path: '/a', account: null });
    await client.send({ method: 'DELETE', path: '/a' });
    expect(asked.map(({ headers, body }) => [headers, body])).toEqual([
      [{}, undefined],
      [{}, undefined],
    ]);
  });
});

describe('what the venue answers', () => {
  it.each([
    [404, { message: 'Market not found' }, null],
    [200, { a: 1 }, { a: 1 }],
  ])('with %i is an answer', async (status, body, value) => {
    const { client } = aWire({ '/a': [status, body] });
    await expect(client.read({ path: '/a' })).resolves.toEqual(value);
  });

  it.each([
    [429, '<html>error code: 1015</html>', { code: 'rate_limited', retryable: true }],
    [425, { message: 'not ready' }, { code: 'venue_unavailable', retryable: true }],
    [502, '<html>Bad gateway</html>', { code: 'venue_unavailable', retryable: true }],
    [404, '<html>Not found</html>', { code: 'venue_protocol' }],
    [403, { message: 'Forbidden' }, { code: 'venue_restricted' }],
    [400, { message: [{ field: 'limit' }] }, { code: 'venue_protocol' }],
    [200, '<html></html>', { code: 'venue_protocol' }],
  ])('with %i and %j is refused by its code', async (status, body, error) => {
    const { client } = aWire({ '/a': [status, body] });
    await expect(client.read({ path: '/a' })).rejects.toMatchObject(error);
  });

  it('is counted where it refuses whatever is asked', async () => {
    const { client, answers, metrics } = aWire({ '/a': [425, {}] });
    await client.read({ path: '/a' }).catch(() => undefined);
    answers['/a'] = [429, 'error code: 1015'];
    await client.read({ path: '/a' }).catch(() => undefined);
    const text = await metrics.renderMetrics();
    expect(text).toContain('venue_refusals_total{venue="venue_c",reason="restarting"} 1');
    expect(text).toContain('venue_refusals_total{venue="venue_c",reason="throttled"} 1');
  });
});

describe('rates', () => {
  it('of browsing are never those of orders, nor their connections', async () => {
    const { client, asked, pools, clock } = aWire({ '/a': {} });
    const browsing = client.inLane('browsing');
    const reads = Array.from({ length: 50 }, () => browsing.read({ path: '/a' }));
    await client.read({ path: '/a' });
    await client.send({ method: 'POST', path: '/a', body: '{}' });
    expect(pools.map(({ connectionsMaximum }) => connectionsMaximum)).toEqual([
      VENUE_C.tradingConnections,
      VENUE_C.browsingConnections,
    ]);
    expect(asked.slice(-2).map(({ method, pool }) => [method, pool])).toEqual([
      ['GET', 0],
      ['POST', 0],
    ]);
    expect(asked.filter(({ pool }) => pool === 1).length).toBeLessThan(50);
    await clock.advance(20_000);
    await Promise.all(reads);
    expect(asked.filter(({ pool }) => pool === 1)).toHaveLength(50);
  });

  it('refuse beyond their queue with a time to come back, and nothing leaves', async () => {
    const { client } = aWire({ '/a': {} });
    const browsing = client.inLane('browsing');
    const reads = Array.from({ length: 80 }, () => browsing.read({ path: '/a' }));
    await expect(reads.at(-1)).rejects.toMatchObject({ code: 'overloaded', retryable: true });
    for (const read of reads) read.catch(() => undefined);
  });
});
