import { describe, expect, it } from 'vitest';
import { bindCursor } from '../../src/http/bound-cursor.ts';
import { aUserId } from '../support/builders.ts';
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

  it('of one user is no place in the same list of another', () => {
    const input = { params: {}, query: { kind: 'fill' }, body: undefined };
    const [one, other] = [aUserId(1), aUserId(2)];
    const { nextCursor } = bindCursor('listPortfolioTrades', input, one).mark({
      nextCursor: 'a',
    }) as { nextCursor: string };
    const from = (user: typeof one | null) =>
      bindCursor(
        'listPortfolioTrades',
        { ...input, query: { ...input.query, cursor: nextCursor } },
        user,
      ).input.query['cursor'];
    expect(from(one)).toBe('a');
    for (const user of [other, null])
      expect(() => from(user)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('comes to the list as the list gave it out', () => {
    const input = { params: {}, query: { limit: '2' }, body: undefined };
    const { nextCursor } = bindCursor('listOrders', input, null).mark({ nextCursor: 'a.b=' }) as {
      nextCursor: string;
    };
    expect(
      bindCursor('listOrders', { ...input, query: { cursor: nextCursor } }, null).input.query,
    ).toEqual({ cursor: 'a.b=' });
    expect(bindCursor('listOrders', input, null).mark({ nextCursor: null })).toEqual({
      nextCursor: null,
    });
  });
});
