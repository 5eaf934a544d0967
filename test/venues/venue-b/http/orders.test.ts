import { beforeEach, describe, expect, it } from 'vitest';
import { useApi } from '../../../http/use-api.ts';

const api = await useApi();
const TICKER = 'KXTEST-26DEC-A';
const ORDER = { marketId: TICKER, side: 'yes', amount: 10, orderType: 'market' } as const;
const LIMIT = { ...ORDER, orderType: 'limit', price: 97, orderMode: 'contracts' } as const;
let token: string;

beforeEach(async () => {
  ({ token } = await api.signIn());
});

const post = (body: unknown, headers = {}) =>
  api.request('POST', '/api/venue_b/order/', { token, body, headers });

describe('an order at venue_b', () => {
  it('is asked for in whole cents and contracts, and answered in decimal dollars beside the cents as they were sent', async () => {
    const { status, body } = await post(LIMIT, { prefer: 'wait=0' });
    expect([status, body['venue'], body['price'], body['priceCents'], body['orderMode']]).toEqual([
      201,
      'venue_b',
      '0.97',
      97,
      'shares',
    ]);
    expect(api.placed.at(-1)?.request).toMatchObject({
      venue: 'venue_b',
      marketId: TICKER,
      amount: { unit: 'shares', micros: 10_000_000 },
      type: { kind: 'limit', price: 9_700, cents: 97 },
    });
  });

  it.each([
    ['0.97', 'price_off_tick', 'whole cents: 97, not 0.97'],
    [0.5, 'price_off_tick', 'whole cents: 50, not 0.5'],
    ['0.975', 'price_off_tick', 'whole cents from 1 to 99, not 0.975'],
    ['97.5', 'price_off_tick', 'whole cents from 1 to 99, not 97.5'],
    [0, 'price_out_of_range', 'whole cents from 1 to 99, not 0'],
    [100, 'price_out_of_range', 'whole cents from 1 to 99, not 100'],
  ])('is refused at %s', async (price, code, message) => {
    const { status, body } = await post({ ...LIMIT, price });
    expect([status, body['code'], body['errors']]).toEqual([
      422,
      code,
      [{ path: '/price', message }],
    ]);
  });

  it('of the market takes what is to be had at once, bought or sold', async () => {
    for (const action of ['buy', 'sell']) {
      await post({ ...ORDER, action });
      expect(api.placed.at(-1)?.request.type).toEqual({ kind: 'market', life: 'part_now' });
    }
  });

  it('is the same with contracts called shares', async () => {
    const key = { 'idempotency-key': 'twice' };
    const first = await post({ ...LIMIT, orderMode: 'contracts' }, key);
    const again = await post({ ...LIMIT, orderMode: 'shares', action: 'buy' }, key);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(again.body['id']).toBe(first.body['id']);
  });

  it('is listed among all of the user unless a state is named', async () => {
    const { body } = await post(LIMIT);
    await api.request('DELETE', `/api/venue_b/order/${String(body['id'])}`, { token });
    const states = async (query: string) => {
      const { body: list } = await api.request('GET', `/api/venue_b/order/${query}`, { token });
      return (list['data'] as readonly { readonly state: string }[]).map(({ state }) => state);
    };
    expect([await states(''), await states('?state=open'), await states('?state=ended')]).toEqual([
      ['cancelled'],
      [],
      ['cancelled'],
    ]);
  });

  it.each([
    ['marketId', '../secret', 'a ticker: letters, digits, and - . _ within'],
    ['orderMode', 'lots', 'must be dollars, shares or contracts'],
  ])('is refused with an invalid %s', async (field, value, message) => {
    const { status, body } = await post({ ...ORDER, [field]: value });
    expect([status, body['errors']]).toEqual([400, [{ path: `/${field}`, message }]]);
  });
});

it.each([
  'GET /api/venue_b/order/',
  'GET /api/venue_b/markets/',
  `GET /api/venue_b/markets/${TICKER}/orderbook`,
  'GET /api/venue_b/portfolio/balance',
])('%s needs a token', async (call) => {
  const [method = '', path = ''] = call.split(' ');
  expect((await api.request(method, path)).status).toBe(401);
});
