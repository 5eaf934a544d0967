import { beforeEach, describe, expect, it } from 'vitest';
import { routeTable } from '../../../../src/app/route-table.ts';
import { openApiDocument } from '../../../../src/http/openapi.ts';
import { MARKET_ID } from '../../../http/samples.ts';
import { useApi } from '../../../http/use-api.ts';

const api = await useApi();
const ORDER = { marketId: MARKET_ID, side: 'yes', amount: 10 } as const;
const LIMIT = { ...ORDER, price: '0.145', orderMode: 'shares' } as const;
let token: string;

beforeEach(async () => {
  ({ token } = await api.signIn());
});

const post = (query: string, body: unknown, headers = {}) =>
  api.request('POST', `/api/venue_c/order/${query}`, { token, body, headers });
const get = (path: string) => api.request('GET', `/api/venue_c/${path}`, { token });
const ids = async (path: string) =>
  ((await get(path)).body['data'] as readonly { readonly id: string }[]).map(({ id }) => id);

describe('an order at venue_c', () => {
  it('is of the type that its query names, or its body', async () => {
    for (const [query, body] of [
      ['?orderType=limit', LIMIT],
      ['', { ...LIMIT, orderType: 'limit' }],
      ['?orderType=limit', { ...LIMIT, orderType: 'limit' }],
    ] as const) {
      const { status, body: order } = await post(query, body, { prefer: 'wait=0' });
      expect([status, order['venue'], order['price']]).toEqual([201, 'venue_c', '0.145']);
      expect(api.placed.at(-1)?.request).toMatchObject({
        venue: 'venue_c',
        marketId: MARKET_ID,
        amount: { unit: 'shares', micros: 10_000_000 },
        type: { kind: 'limit', price: 1_450 },
      });
    }
  });

  it('is described with how near its expiry may be at a book and at a pool, which differ', () => {
    const { components } = openApiDocument({ routes: routeTable, venues: [], version: '0.1.0' });
    expect(components).toHaveProperty('schemas.OrderRequestVenueC.properties', {
      ...Object(components)['schemas'].OrderRequestVenueC.properties,
      expiresAtMs: expect.objectContaining({
        description: expect.stringContaining('5 seconds (in markets of pools 20) to 30 days'),
      }),
      timeInForce: expect.objectContaining({
        description: expect.stringContaining('in markets of pools FOK too'),
      }),
    });
  });

  it('of the market takes what is to be had at once, bought or sold', async () => {
    for (const action of ['buy', 'sell']) {
      await post('?orderType=market', { ...ORDER, action });
      expect(api.placed.at(-1)?.request.type).toEqual({ kind: 'market', life: 'part_now' });
    }
  });

  it.each([
    ['of no type', '', ORDER, '/orderType'],
    ['of two types', '?orderType=market', { ...ORDER, orderType: 'limit' }, '/query/orderType'],
    ['of an unknown type', '?orderType=stop', ORDER, '/query/orderType'],
    ['of a limit without a price', '?orderType=limit', ORDER, '/price'],
    ['of the market with a price', '?orderType=market', LIMIT, '/price'],
    ['with an unknown parameter', '?type=market', ORDER, '/query/type'],
  ])('%s is refused, and says where', async (_what, query, body, path) => {
    const { status, body: problem } = await post(query, body);
    const errors = problem['errors'] as readonly { readonly path: string }[];
    expect([status, problem['code'], errors.map((error) => error.path)]).toEqual([
      400,
      'invalid_request',
      expect.arrayContaining([path]),
    ]);
  });

  it('names the range of its market where a price is out of it', async () => {
    for (const [field, query, body] of [
      ['price', '?orderType=limit', { ...LIMIT, price: '1' }],
      ['price', '?orderType=limit', { ...LIMIT, price: '0.0005' }],
      ['worstPrice', '?orderType=market', { ...ORDER, worstPrice: '0.9995' }],
    ] as const) {
      const { body: problem } = await post(query, body);
      expect([problem['code'], problem['errors']]).toEqual([
        'price_out_of_range',
        [{ path: `/${field}`, message: 'must be between 0.001 and 0.999 dollars a share' }],
      ]);
    }
  });

  it('is the same one when it comes again, its type in the query or the body', async () => {
    const key = { 'idempotency-key': 'twice' };
    const first = await post('?orderType=limit', LIMIT, key);
    const again = await post('?orderType=limit', { ...LIMIT, orderType: 'limit' }, key);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    expect(again.body['id']).toBe(first.body['id']);
  });

  it('is shown, listed in its market and among all, and cancelled', async () => {
    const { body } = await post('?orderType=limit', LIMIT);
    const id = String(body['id']);
    expect((await get(`portfolio/orders/${id}`)).body['id']).toBe(id);
    expect([
      await ids(`order/${MARKET_ID}`),
      await ids('order/another-market'),
      await ids('portfolio/orders'),
      await ids('portfolio/orders?state=ended'),
    ]).toEqual([[id], [], [id], []]);
    const cancelled = await api.request('DELETE', `/api/venue_c/order/${id}`, { token });
    expect([cancelled.status, cancelled.body['state']]).toEqual([200, 'cancelled']);
    expect(await ids('portfolio/orders?state=ended')).toEqual([id]);
  });
});

it('lists positions with the state of the books', async () => {
  expect(await get('portfolio/positions')).toMatchObject({
    status: 200,
    body: { books: 'reconciled' },
  });
});

it.each([
  'POST /api/venue_c/order/?orderType=market',
  'DELETE /api/venue_c/order/int_1',
  `GET /api/venue_c/order/${MARKET_ID}`,
  'GET /api/venue_c/portfolio/orders',
  'GET /api/venue_c/portfolio/positions',
])('%s needs a token', async (call) => {
  const [method = '', path = ''] = call.split(' ');
  expect((await api.request(method, path)).status).toBe(401);
});
