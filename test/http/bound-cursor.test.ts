import { describe, expect, it } from 'vitest';
import { bindCursor } from '../../src/http/bound-cursor.ts';
import { useApi } from './use-api.ts';

const api = await useApi();
const user = await api.signIn();
const get = (path: string) => api.request('GET', path, { token: user.token });
const MARKETS = '/api/venue_a/markets/';

describe('a cursor', () => {
  it('goes on in the list it came from, with the same filters and whatever limit', async () => {
    const first = await get(`${MARKETS}?search=btc`);
    const cursor = encodeURIComponent(String(first.body['nextCursor']));
    expect([
      (await get(`${MARKETS}?search=btc&cursor=${cursor}`)).status,
      (await get(`${MARKETS}?limit=3&cursor=${cursor}&search=btc`)).status,
    ]).toEqual([200, 200]);
  });

  it('is refused by another list, and by the same one with other filters', async () => {
    const cursor = encodeURIComponent(
      String((await get(`${MARKETS}?search=btc`)).body['nextCursor']),
    );
    const answers = [];
    for (const path of [
      `${MARKETS}?`,
      `${MARKETS}?search=eth&`,
      `${MARKETS}?search=btc&closed=true&`,
      `${MARKETS}events?search=btc&`,
      '/api/agents/btc_5min/decisions?',
      '/api/venue_a/order/?',
    ]) {
      const { body } = await get(`${path}cursor=${cursor}`);
      answers.push([body['code'], (body['errors'] as { path: string }[]).map((each) => each.path)]);
    }
    expect(answers).toEqual(answers.map(() => ['invalid_request', ['/query/cursor']]));
  });

  it('of one agent is no place in the list of another', async () => {
    const cursor = encodeURIComponent(
      String((await get('/api/agents/btc_5min/decisions')).body['nextCursor']),
    );
    expect([
      (await get(`/api/agents/btc_5min/decisions?cursor=${cursor}`)).status,
      (await get(`/api/agents/eth_15min/decisions?cursor=${cursor}`)).status,
    ]).toEqual([200, 400]);
  });

  it('comes to the list as the list gave it out', () => {
    const input = { params: {}, query: { limit: '2' }, body: undefined };
    const { nextCursor } = bindCursor('listOrders', input).mark({ nextCursor: 'a.b=' }) as {
      nextCursor: string;
    };
    expect(
      bindCursor('listOrders', { ...input, query: { cursor: nextCursor } }).input.query,
    ).toEqual({ cursor: 'a.b=' });
    expect(bindCursor('listOrders', input).mark({ nextCursor: null })).toEqual({
      nextCursor: null,
    });
  });
});
