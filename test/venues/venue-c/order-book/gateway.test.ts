import { describe, expect, it } from 'vitest';
import type { OrderHandle } from '../../../../src/domain/order.ts';
import { asId, type Address } from '../../../../src/domain/ids.ts';
import { createOrderGateway } from '../../../../src/venues/venue-c/order-book/gateway.ts';
import { ADA, CLIENT_ID, ORDER_ID, SLUG, anOrder } from '../intents.ts';
import { aMatch, aStatedOrder, anExecution } from '../order-answers.ts';
import { aWire, type Answer } from '../wire.ts';

const ACCOUNT = {
  tokenId: 'token',
  secret: 'c2VjcmV0',
  ownerId: 7,
  feeRateBps: 300,
  address: asId<Address>('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'),
};
const ROWS = `/markets/${SLUG}/user-orders`;
const STATUS = '/orders/status/batch';
const refusal = (status: number, message: string) => [status, { message }] as const;

function gatewayOver(answers: Record<string, Answer>) {
  const wire = aWire(answers);
  const refused: string[] = [];
  const forgotten: string[] = [];
  const gateway = createOrderGateway({
    client: wire.client,
    accounts: {
      accountOf: async () => ACCOUNT,
      refused: (userId) => void refused.push(userId),
    },
    allowances: { forget: (userId) => void forgotten.push(userId) },
    earlier: { settled: async (_order, _wallet, fills) => fills },
    watch: () => () => undefined,
  });
  return { ...wire, gateway, refused, forgotten };
}

const submitted = (answer: Answer, order: OrderHandle = anOrder()) =>
  gatewayOver({ '/orders': answer }).gateway.submit(order);

/** An answer to a question about the order by its own id or ours. */
const found = (stated: object, name: object = { clientOrderId: CLIENT_ID }) => ({
  results: [{ index: 0, status: 'found', ...name, data: stated }],
});
const aRow = (change: object = {}) => ({
  id: ORDER_ID,
  status: 'LIVE',
  originalSize: '10000000',
  remainingSize: '10000000',
  ...change,
});
const lookedUp = (status: Answer, rows: object = [aRow()], order = anOrder()) =>
  gatewayOver({ [STATUS]: status, [ROWS]: [200, rows] }).gateway.lookup(order);

describe('an order handed to venue_c', () => {
  const matched = anExecution(
    { matched: true, settlementStatus: 'MATCHED', tradeEventId: 't' },
    { contractsGross: '10000000', usdGross: '5000000' },
  );

  it.each([
    ['rests', aStatedOrder(), 'rests', { kind: 'accepted', orderId: ORDER_ID, status: 'live' }],
    [
      'was matched at once',
      aStatedOrder({ execution: matched }),
      'rests',
      { kind: 'accepted', orderId: ORDER_ID, status: 'matched' },
    ],
    [
      'was matched in part and rests',
      aStatedOrder({
        execution: anExecution({ settlementStatus: 'MATCHED' }, { contractsGross: '4000000' }),
      }),
      'rests',
      { kind: 'accepted', orderId: ORDER_ID, status: 'live' },
    ],
    [
      'is held back',
      aStatedOrder({ execution: anExecution({ settlementStatus: 'DELAYED' }) }),
      'part_now',
      { kind: 'accepted', orderId: ORDER_ID, status: 'delayed' },
    ],
    [
      'found nothing to be had at once',
      aStatedOrder(),
      'part_now',
      { kind: 'unfilled', reason: 'nothing to be had at this price' },
    ],
    [
      'would have met an own one',
      aStatedOrder({
        execution: anExecution({ settlementStatus: 'CANCELED', reason: 'STP_TAKER_REJECTED' }),
      }),
      'rests',
      { kind: 'unfilled', reason: 'STP_TAKER_REJECTED' },
    ],
    [
      'is answered for by another one',
      aStatedOrder({ order: { clientOrderId: 'other' } }),
      'rests',
      { kind: 'unknown', cause: 'the venue names another order: other' },
    ],
    ['is answered in an unknown form', {}, 'rests', { kind: 'unknown', cause: expect.any(String) }],
  ] as const)('that %s is taken as such', async (_what, body, life, outcome) => {
    expect(await submitted([201, body], anOrder({ life }))).toEqual(outcome);
  });

  it.each([
    [refusal(409, 'Order with this clientOrderId already exists'), 'duplicate', {}],
    [refusal(425, 'Matching engine is not ready'), 'deferred', { retryAfterMs: 1_000 }],
    [[429, '<html>error code: 1015</html>'] as const, 'deferred', { reason: 'answered 429' }],
    [refusal(400, 'Insufficient collateral balance'), 'underfunded', { lacksAllowance: false }],
    [refusal(400, 'Market order unmatched: order 1'), 'unfilled', {}],
    [refusal(400, 'Invalid price'), 'rejected', { reason: 'Invalid price' }],
    [refusal(404, 'Market not found'), 'rejected', {}],
    [refusal(403, 'Missing required scope: trading'), 'rejected', {}],
    [refusal(403, 'Not available in your region'), 'restricted', {}],
    [[400, '<html></html>'] as const, 'unknown', {}],
    [refusal(502, 'Bad gateway'), 'unknown', {}],
    [refusal(408, 'Timeout'), 'unknown', {}],
  ] as const)('and refused with %j is %s', async (answer, kind, more) => {
    expect(await submitted(answer)).toMatchObject({ kind, ...more });
  });

  it('is signed once more where the venue knows the account by another number or rate', async () => {
    for (const message of ['ownerId does not match', 'feeRateBps must be 200']) {
      const { gateway, refused } = gatewayOver({ '/orders': refusal(400, message) });
      expect(await gateway.submit(anOrder())).toEqual({ kind: 'reissue', reason: message });
      expect(refused).toEqual([ADA]);
    }
  });

  it('comes again with a token read anew where the one it had is refused', async () => {
    const { gateway, refused } = gatewayOver({ '/orders': refusal(401, 'Invalid API token') });
    expect((await gateway.submit(anOrder())).kind).toBe('deferred');
    expect(refused).toEqual([ADA]);
  });

  it.each([
    ['Insufficient collateral allowance', 'reissue', [ADA]],
    ['Insufficient allowance: conditional tokens', 'reissue', [ADA]],
    ['Insufficient collateral balance', 'underfunded', []],
  ])(
    'that is refused for "%s" is %s, and has the rights of its wallet given before the next, or not',
    async (message, kind, asked) => {
      const { gateway, forgotten, refused } = gatewayOver({ '/orders': refusal(400, message) });
      expect(await gateway.submit(anOrder())).toMatchObject({ kind });
      expect([forgotten, refused]).toEqual([asked, []]);
    },
  );
});

describe('an order asked about at venue_c', () => {
  it('is asked for by our id until its own is known', async () => {
    for (const [order, item] of [
      [anOrder(), { clientOrderId: CLIENT_ID }],
      [anOrder({}, ORDER_ID), { orderId: ORDER_ID }],
    ] as const) {
      const { gateway, asked } = gatewayOver({
        [STATUS]: found(aStatedOrder(), item),
        [ROWS]: [200, [aRow()]],
      });
      expect(await gateway.lookup(order)).toMatchObject({
        kind: 'found',
        order: { orderId: ORDER_ID, status: 'live', matchedShares: 0 },
      });
      expect(JSON.parse(String(asked[0]?.body))).toEqual({ items: [item] });
    }
  });

  it('takes nothing of the rate of orders by being asked about', async () => {
    const { gateway, metrics } = gatewayOver({ [STATUS]: found(aStatedOrder()) });
    await gateway.lookup(anOrder());
    const counted = (await metrics.renderMetrics()).match(/^predictd_venue_calls_total\{.*/gm);
    expect(new Set(counted?.map((line) => /family="(\w+)"/.exec(line)?.[1]))).toEqual(
      new Set(['reads']),
    );
  });

  it('is absent without a proof where it is not known', async () => {
    const unknown = { results: [{ index: 0, status: 'not_found', clientOrderId: CLIENT_ID }] };
    expect(await lookedUp(unknown)).toEqual({ kind: 'absent', proof: null });
  });

  it('concludes nothing from an answer about another order, of unknown form, or none', async () => {
    const other = aStatedOrder({ order: { clientOrderId: 'other' } });
    for (const answer of [
      found(other, { clientOrderId: 'other' }),
      found({}),
      found(aStatedOrder({ execution: anExecution({ settlementStatus: 'REVERTED' }) })),
      { results: [] },
      refusal(500, 'down'),
    ])
      expect(await lookedUp(answer)).toEqual({ kind: 'unreachable', cause: expect.any(String) });
  });

  it('rests, was matched or was cancelled as the list of its market says', async () => {
    const stated = found(aStatedOrder());
    for (const [rows, order] of [
      [[aRow({ remainingSize: '4000000' })], { status: 'live', matchedShares: 6_000_000 }],
      [
        { orders: [aRow({ status: 'MATCHED', remainingSize: '0' })] },
        { status: 'matched', matchedShares: 10_000_000 },
      ],
      [[aRow({ id: 'other' })], { status: 'cancelled', matchedShares: 0 }],
    ] as const)
      expect(await lookedUp(stated, rows)).toMatchObject({ kind: 'found', order });
  });

  it('has not ended for a list that may have been cut', async () => {
    const many = Array.from({ length: 500 }, (_, number) => aRow({ id: String(number) }));
    expect(await lookedUp(found(aStatedOrder()), many)).toEqual({
      kind: 'unreachable',
      cause: 'the list of the market may have been cut',
    });
  });

  it('is read in both of the forms that are seen', async () => {
    const { order, makerMatches, execution } = aStatedOrder({ order: { orderType: 'FAK' } });
    expect(await lookedUp(found({ order: { order, execution }, makerMatches }))).toMatchObject({
      kind: 'found',
      order: { status: 'cancelled', matchedShares: 0, reason: 'nothing to be had at once' },
    });
  });

  it('at once says what it got, and that the rest was not to be had', async () => {
    const execution = anExecution(
      {
        matched: true,
        settlementStatus: 'MINED',
        tradeEventId: 'trade',
        txHash: '0xaa',
      },
      {
        contractsGross: '4000000',
        contractsFee: '90000',
        usdGross: '1960000',
      },
    );
    const stated = aStatedOrder({
      order: { orderType: 'FAK' },
      execution,
      makerMatches: [aMatch('m1', 3, 'one'), aMatch('m2', 1, 'two')],
    });
    expect(await lookedUp(found(stated), [], anOrder({ life: 'part_now' }))).toEqual({
      kind: 'found',
      order: {
        orderId: ORDER_ID,
        status: 'cancelled',
        matchedShares: 4_000_000,
        reason: 'the rest was not to be had',
      },
      fills: [
        expect.objectContaining({
          tradeId: 'trade',
          orderId: ORDER_ID,
          role: 'taker',
          legs: [{ shares: 4_000_000, price: 4_900, usdc: 1_960_000 }],
          fee: { unit: 'shares', micros: 90_000 },
          word: 'mined',
          transactionHash: '0xaa',
        }),
      ],
    });
  });
});

describe('a cancel at venue_c', () => {
  const cancelled = (answer: Answer, order = anOrder({}, ORDER_ID)) => {
    const wire = gatewayOver({
      [`/orders/${ORDER_ID}`]: answer,
      [STATUS]: found(aStatedOrder()),
    });
    return { ...wire, outcome: wire.gateway.cancel(order) };
  };

  it.each([
    [{ message: 'Order canceled successfully' }, 'cancelled'],
    [refusal(404, 'Order not found'), 'unclear'],
    [refusal(400, 'Order is already canceled'), 'unclear'],
    [refusal(400, 'Order is delayed'), 'refused'],
    [refusal(425, 'Matching engine is not ready'), 'unknown'],
    [[429, '<html></html>'] as const, 'unknown'],
    [refusal(500, 'down'), 'unknown'],
  ] as const)('answered with %j is %s', async (answer, kind) => {
    expect((await cancelled(answer).outcome).kind).toBe(kind);
  });

  it('has neither body nor content type, and finds the id of an order whose answer was lost', async () => {
    const { outcome, asked } = cancelled({ message: 'Order canceled successfully' }, anOrder());
    expect(await outcome).toEqual({ kind: 'cancelled' });
    expect(asked.map(({ method, path, body }) => [method, path, body === undefined])).toEqual([
      ['POST', STATUS, false],
      ['DELETE', `/orders/${ORDER_ID}`, true],
    ]);
  });
});

describe('resting orders at venue_c', () => {
  it('are those of all markets, with a count of what cannot be read', async () => {
    const row = aRow({ remainingSize: '7000000' });
    const { gateway } = gatewayOver({
      '/portfolio/positions': {
        clob: [{ orders: { liveOrders: [row, { id: 1 }] } }, { orders: { liveOrders: [] } }],
      },
    });
    expect(await gateway.openOrders(ADA)).toEqual({
      read: [{ orderId: ORDER_ID, status: 'live', matchedShares: 3_000_000, reason: null }],
      unread: 1,
    });
  });

  it('list one for what is to be had at once as held back, which it is', async () => {
    const { gateway } = gatewayOver({
      '/portfolio/positions': { clob: [{ orders: { liveOrders: [aRow({ type: 'FAK' })] } }] },
    });
    const { read } = await gateway.openOrders(ADA);
    expect(read.map(({ status }) => status)).toEqual(['delayed']);
  });
});
