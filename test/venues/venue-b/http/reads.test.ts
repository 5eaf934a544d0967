import { describe, expect, it } from 'vitest';
import { VENUE_B } from '../../../../config/limits/venue-b.ts';
import { START_MS } from '../../../http/api.ts';
import { aBook, MARKET_ID, TOKEN_ID } from '../../../http/samples.ts';
import { useApi } from '../../../http/use-api.ts';

const api = await useApi();
const { token } = await api.signIn();
const get = (path: string) => api.request('GET', `/api/venue_b/${path}`, { token });

describe('looking at venue_b', () => {
  it('shows both books of a market, and none where nothing is on one', async () => {
    api.books.set(TOKEN_ID, aBook());
    const { status, body } = await get(`markets/${MARKET_ID}/orderbook`);
    expect([status, body['marketId'], body['no']]).toEqual([200, MARKET_ID, null]);
    expect(body['yes']).toMatchObject({ tokenId: TOKEN_ID, trusted: true });
    expect((await get('markets/KXNONE/orderbook')).status).toBe(404);
  });

  it('gives periods with their prices, and null for one without trades', async () => {
    const { status, body } = await get(
      `markets/${MARKET_ID}/candlesticks?periodMinutes=60&fromAtMs=${START_MS}&toAtMs=${START_MS + 3_600_000}`,
    );
    const nothing = { price: null, bid: null, ask: null, volume: '0', openInterest: null };
    expect([status, body['periodMinutes'], body['data']]).toEqual([
      200,
      60,
      [
        {
          endsAtMs: START_MS,
          price: { open: '0.94', high: '0.96', low: '0.93', close: '0.95' },
          bid: { open: '0.93', high: '0.94', low: '0.92', close: '0.94' },
          ask: null,
          volume: '12',
          openInterest: '800',
        },
        { endsAtMs: START_MS + 3_600_000, ...nothing },
      ],
    ]);
  });

  it('gives the last periods up to now where no span is named', async () => {
    const { status, body } = await get(`markets/${MARKET_ID}/candlesticks`);
    expect([status, body['periodMinutes'], (body['data'] as unknown[]).length]).toEqual([
      200, 60, 2,
    ]);
  });

  it.each([
    ['periodMinutes=5&fromAtMs=0&toAtMs=1', '/query/periodMinutes'],
    ['periodMinutes=60&fromAtMs=10&toAtMs=9', '/query/toAtMs'],
    [`periodMinutes=1&fromAtMs=0&toAtMs=${60_000 * (VENUE_B.candlesMaximum + 1)}`, '/query/toAtMs'],
    ['toAtMs=0', '/query/toAtMs'],
    ['fromAtMs=0&toAtMs=0', '/query/toAtMs'],
    ['periodMinutes=60&fromMs=0', '/query/fromMs'],
    [`fromAtMs=${START_MS * 2}`, '/query/fromAtMs'],
    ['periodMinutes=1&fromAtMs=0', '/query/fromAtMs'],
  ])('refuses periods it cannot give: %s', async (query, path) => {
    const { status, body } = await get(`markets/${MARKET_ID}/candlesticks?${query}`);
    expect([status, (body['errors'] as readonly { path: string }[])[0]?.path]).toEqual([400, path]);
  });

  it.each([
    ['markets/?eventId=KX-1&series=KX&status=determined', 200],
    ['markets/?status=open', 400],
    ['events/?series=KX&search=rain', 200],
    ['events/?eventId=KX-1', 400],
    ['markets/?state=closed', 400],
  ])('takes the filters it has: %s', async (path, status) => {
    expect((await get(path)).status).toBe(status);
  });
});

describe('what one has at venue_b', () => {
  it('is USDC to trade with, and SOL for fees', async () => {
    const { body } = await get('portfolio/balance');
    expect(body).toMatchObject({
      cash: { settled: '10', provisional: '0', reserved: '1.5', available: '8.5' },
      sol: '2.5',
      solNeeded: '0.003',
      missing: [],
    });
  });

  it('is a link to show who one is, made afresh each time, until the venue knows', async () => {
    const links = [(await get('identity/')).body, (await get('identity/')).body];
    expect(links).toEqual([
      { verified: false, link: 'https://verify.example.com/1' },
      { verified: false, link: 'https://verify.example.com/2' },
    ]);
    api.identity.isVerified = true;
    expect((await get('identity/')).body).toEqual({ verified: true, link: null });
  });
});
