import { describe, expect, it } from 'vitest';
import { EQUITY } from '../../../config/limits/portfolio.ts';
import { putSample } from '../../../src/services/portfolio/equity-history.ts';
import { RESTORES } from '../../../src/services/books/tables.ts';
import { START_MS } from '../api.ts';
import { MARKET_ID } from '../samples.ts';
import { useApi } from '../use-api.ts';

const api = await useApi();
const user = await api.signIn();
const get = (path: string) => api.request('GET', path, { token: user.token });

describe('the portfolio', () => {
  it('says what positions came to, in all and by venue', async () => {
    const { body } = await get('/api/portfolio/');
    const result = { realizedPnl: '3', wins: 2, losses: 1, winRate: '0.666666' };
    const none = { realizedPnl: '0', wins: 0, losses: 0, winRate: null };
    expect(body).toMatchObject(result);
    expect(body.venues).toEqual([
      expect.objectContaining({ venue: 'venue_a', ...result }),
      expect.objectContaining({ venue: 'venue_b', ...none }),
      expect.objectContaining({ venue: 'venue_c', ...none }),
    ]);
  });

  it('says of every figure that the books may lack something after a restore, until it was adopted', async () => {
    const venueB = '/api/venue_b/portfolio';
    const states = async () => {
      const paths = ['/api/portfolio/', '/api/portfolio/history', '/api/portfolio/trades'];
      const lists = ['/api/venue_a/holding/', `${venueB}/positions`, `${venueB}/balance`];
      const agents = ['/api/agents/performance', '/api/agents/btc_5min/performance'];
      const answers = await Promise.all([...paths, ...lists, ...agents].map(get));
      return [
        ...new Set(answers.map(({ body }) => body.books)),
        ...answers.flatMap(({ body }) => (body.venues ?? []) as readonly object[]).map(stateOf),
      ];
    };
    const stateOf = (venue: object) => 'state' in venue && venue.state;
    const put = (adoptedAtMs: number | null) =>
      api.store.write((tx) => {
        const upToMs = START_MS - 60_000;
        tx.put(RESTORES, ['newest'], { upToMs, madeAtMs: upToMs, adoptedAtMs });
      });
    await put(null);
    expect(await states()).toEqual([
      'unreconciled',
      'unreconciled',
      'unreconciled',
      'unreconciled',
    ]);
    await put(START_MS);
    expect(await states()).toEqual(['reconciled', 'partial', 'partial', 'partial']);
  });

  it('refuses a history that would begin after it ends', async () => {
    const ahead = await get(`/api/portfolio/history?fromAtMs=${START_MS + 1_000_000}`);
    expect([ahead.status, ahead.body.errors]).toEqual([
      400,
      [{ path: '/query/fromAtMs', message: 'at most now, where toAtMs is absent' }],
    ]);
  });

  it('lists closed positions and fills with their venue and account, page by page', async () => {
    const order = { marketId: MARKET_ID, side: 'yes', amount: 5, orderType: 'market' };
    await api.request('POST', '/api/venue_a/order/', { token: user.token, body: order });
    const { body } = await get('/api/portfolio/trades');
    expect(body).toMatchObject({
      data: [{ kind: 'fill', venue: 'venue_a', account: 'usdc:safe', fill: { action: 'buy' } }],
      nextCursor: null,
    });
    const closed = await get('/api/portfolio/trades?kind=closed');
    expect(closed.status).toBe(200);
    expect((await get('/api/portfolio/trades?cursor=abc')).body).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: '/query/cursor' }],
    });
    expect((await get('/api/portfolio/trades?kind=open')).body).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: '/query/kind', message: 'one of fill, closed' }],
    });
  });
});

describe('equity by time', () => {
  it('is given as points of a day, with what had no price', async () => {
    expect((await get('/api/portfolio/history')).body).toEqual({
      stepMs: EQUITY.sampleMs,
      books: 'reconciled',
      before: null,
      data: [],
    });
    const sample = {
      atMs: START_MS - 600_000,
      cashUsdc: 10_000_000,
      positionsUsdc: 2_500_000,
      openPositions: 2,
      unvalued: [{ venue: null, positions: 1, costUsdc: 700_000 }],
    };
    await api.store.write((tx) => putSample(tx, user.userId, sample));
    const point = {
      sampledAtMs: START_MS - 600_000,
      equityUsdc: '12.5',
      cashUsdc: '10',
      positionsUsdc: '2.5',
      openPositions: 2,
      unvalued: [{ venue: null, positions: 1, costUsdc: '0.7' }],
      broughtInUsdc: null,
    };
    expect((await get('/api/portfolio/history')).body.data).toEqual([point]);
    const later = await get(`/api/portfolio/history?fromAtMs=${START_MS - 60_000}`);
    expect(later.body).toMatchObject({ before: point, data: [] });
  });

  it.each([
    ['points=0', '/query/points'],
    ['points=1001', '/query/points'],
    ['fromAtMs=x', '/query/fromAtMs'],
    ['fromAtMs=2&toAtMs=1', '/query/toAtMs'],
  ])('refuses %s', async (query, path) => {
    const { status, body } = await get(`/api/portfolio/history?${query}`);
    expect([status, (body.errors as readonly { readonly path: string }[])[0]?.path]).toEqual([
      400,
      path,
    ]);
  });
});
