import { expect, it } from 'vitest';
import { asId, type Address } from '../../../../src/domain/ids.ts';
import { createOrderRecords } from '../../../../src/venues/venue-c/order-book/records.ts';
import { T0, aMarket } from '../../../support/builders.ts';
import { ADA, CLIENT_ID, ORDER_ID, SLUG, YES } from '../intents.ts';
import { aMatch, aStatedOrder, anExecution } from '../order-answers.ts';
import { aWire } from '../wire.ts';

const OTHER_ID = '3f0c8c1e-0f27-4b8a-9d0d-5d1c5a3c7e10';
const SINCE_MS = T0 - 3_600_000;
const MARKET = aMarket(1, {
  marketId: asId(SLUG),
  outcomes: [
    { tokenId: asId(YES), label: 'Yes' },
    { tokenId: asId('2'), label: 'No' },
  ],
});
const row = (id: string, status = 'LIVE') => ({
  id,
  status,
  originalSize: '10000000',
  remainingSize: '10000000',
});
const traded = (id: string, order: object = {}) =>
  aStatedOrder({
    order: { id, clientOrderId: null, ...order },
    execution: anExecution(
      { settlementStatus: 'CONFIRMED', tradeEventId: 't' },
      { contractsGross: '10000000', usdGross: '4900000' },
    ),
    makerMatches: [aMatch('m1', 10, 'other')],
  });

/** What is on record beside what is known: `orders` as the venue states them. */
function strangers(
  orders: readonly ReturnType<typeof aStatedOrder>[],
  {
    live = [],
    ended = orders.map(({ order }) => order.id),
    known = [],
    token = YES,
  }: {
    readonly live?: readonly string[];
    readonly ended?: readonly string[];
    readonly known?: readonly string[];
    readonly token?: string;
  } = {},
) {
  const wire = aWire({
    '/portfolio/positions': { clob: [{ orders: { liveOrders: live.map((id) => row(id)) } }] },
    '/portfolio/history': (query) =>
      query.get('cursor') === ''
        ? { data: [{ blockTimestamp: T0 / 1_000, market: { slug: SLUG } }], nextCursor: '1' }
        : { data: [{ blockTimestamp: 1, market: { slug: SLUG } }], nextCursor: '2' },
    [`/markets/${SLUG}/user-orders`]: [200, ended.map((id) => row(id, 'MATCHED'))],
  });
  wire.answers['/orders/status/batch'] = () => ({
    results: JSON.parse(String(wire.asked.at(-1)?.body)).items.map(
      ({ orderId }: { orderId: string }, index: number) => {
        const data = orders.find(({ order }) => order.id === orderId);
        return data === undefined
          ? { index, status: 'not_found', orderId }
          : { index, status: 'found', orderId, data };
      },
    ),
  });
  const records = createOrderRecords({
    client: wire.client,
    accounts: {
      accountOf: async () => ({
        tokenId: 'token',
        secret: 'c2VjcmV0',
        ownerId: 7,
        feeRateBps: 300,
        address: asId<Address>('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'),
      }),
    },
    catalogue: { marketOfToken: async (tokenId) => (tokenId === token ? MARKET : null) },
  });
  return records.strangers(ADA, SINCE_MS, { has: (id) => known.includes(id), tokens: [] });
}

it('finds an order that rests by its terms, and one that was traded, each by both its ids', async () => {
  const resting = aStatedOrder();
  const market = traded(OTHER_ID, { orderType: 'FOK', price: null, takerAmount: 1 });
  expect(await strangers([resting, market], { live: [ORDER_ID], ended: [OTHER_ID] })).toEqual({
    unread: 0,
    read: [
      expect.objectContaining({
        market: MARKET,
        outcome: 0,
        side: 'buy',
        life: 'rests',
        price: 5_000,
        spendMicros: 5_000_000,
        receiveMicros: 10_000_000,
        createdAtMs: T0,
        attempt: { attemptId: CLIENT_ID, orderId: ORDER_ID, body: '', extra: null },
      }),
      expect.objectContaining({
        life: 'part_now',
        price: 4_900,
        spendMicros: 4_900_000,
        receiveMicros: 10_000_000,
        attempt: { attemptId: OTHER_ID, orderId: OTHER_ID, body: '', extra: null },
      }),
    ],
  });
});

it('leaves out what is known, what is older, and what has come to nothing', async () => {
  const old = { createdAt: new Date(SINCE_MS - 1).toISOString() };
  const nothing = aStatedOrder({ order: { id: 'nothing' } });
  const orders = [traded('known'), traded('old', old), nothing];
  expect(await strangers(orders, { known: ['known'] })).toEqual({ read: [], unread: 0 });
});

it('counts what the venue does not state, or whose market is not known', async () => {
  expect(await strangers([], { ended: [ORDER_ID] })).toEqual({ read: [], unread: 1 });
  expect(await strangers([traded(ORDER_ID)], { token: '3' })).toEqual({ read: [], unread: 1 });
});
