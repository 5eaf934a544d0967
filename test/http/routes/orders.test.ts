import { describe, expect, it } from 'vitest';
import { routeTable } from '../../../src/app/route-table.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import { aMarketBuy } from '../../support/builders.ts';
import { VENUE_B } from '../../support/venue-ids.ts';
import { anOrderRecord, MARKET_ID } from '../samples.ts';
import { useApi } from '../use-api.ts';

const api = await useApi();
const { token } = await api.signIn();

const MARKET = { marketId: MARKET_ID, side: 'yes', amount: 5, orderType: 'market' };
const LIMIT = { ...MARKET, orderType: 'limit', price: 0.4 };

/**
 * Orders live at first, and filled at 0.48 once their end is waited for. Keeps how long that was.
 */
function filling(): number[] {
  const waits: number[] = [];
  const placed: OrderRecord[] = [];
  api.behaviour.place = async (userId, request) => {
    const record = anOrderRecord(userId, placed.length + 1, request);
    placed.push(record);
    return record;
  };
  api.behaviour.ended = async (_userId, intentId, withinMs) => {
    waits.push(withinMs);
    const record =
      placed.find(({ intent }) => intent.intentId === intentId) ?? expect.unreachable();
    return withinMs === 0
      ? record
      : {
          ...record,
          state: 'filled',
          filledShares: shareMicros(10_000_000),
          filledUsdc: usdcMicros(4_800_000),
        };
  };
  return waits;
}

async function place(body: unknown, prefer?: string, key?: string) {
  const headers = {
    ...(prefer === undefined ? {} : { prefer }),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  };
  const {
    status,
    body: order,
    headers: reported,
  } = await api.request('POST', '/api/venue_a/order/', { token, body, headers });
  return [
    status,
    order.state,
    order.filledShares,
    order.averagePrice,
    reported.get('preference-applied'),
  ];
}

describe('the answer to an order', () => {
  it.each<[string, unknown, string | undefined, number, readonly unknown[]]>([
    [
      'of the market waits for its end and says how it ended',
      MARKET,
      undefined,
      5_000,
      ['filled', '10', '0.48', null],
    ],
    [
      'of the market comes at once where that is preferred',
      MARKET,
      'wait=0',
      0,
      ['live', '0', null, 'wait=0'],
    ],
    [
      'of the market waits as long as is preferred',
      MARKET,
      'respond-async, wait=2',
      2_000,
      ['filled', '10', '0.48', 'wait=2'],
    ],
    [
      'of the market waits for the bound at most',
      MARKET,
      'wait="600"',
      10_000,
      ['filled', '10', '0.48', 'wait=10'],
    ],
    [
      'of the market is not moved by an unreadable preference',
      MARKET,
      'wait=soon',
      5_000,
      ['filled', '10', '0.48', null],
    ],
    ['with a limit comes at once', LIMIT, undefined, 0, ['live', '0', null, null]],
    [
      'with a limit waits where that is preferred',
      LIMIT,
      'Wait=3',
      3_000,
      ['filled', '10', '0.48', 'wait=3'],
    ],
  ])('%s', async (_case, body, prefer, waitMs, answer) => {
    const waits = filling();
    expect(await place(body, prefer)).toEqual([201, ...answer]);
    expect(waits).toEqual([waitMs]);
  });

  it.each([
    ['a market buy', MARKET, { timeInForce: 'FOK' }],
    ['a market sale', { ...MARKET, action: 'sell' }, { timeInForce: 'FAK' }],
    ['a limit order', LIMIT, { timeInForce: 'GTD' }],
    ['an order in dollars', MARKET, { orderMode: 'dollars', action: 'buy' }],
  ])('is the same with a default given or left out: %s', async (what, body, defaults) => {
    const waits = filling();
    const first = await place(body, undefined, `given ${what}`.replaceAll(' ', '-'));
    const again = { ...body, ...defaults };
    expect(await place(again, undefined, `given ${what}`.replaceAll(' ', '-'))).toEqual(first);
    expect([first[0], waits.length]).toEqual([201, 1]);
  });

  it('says how it ended to a repetition as well, without waiting again', async () => {
    const waits = filling();
    const first = await place(MARKET, undefined, 'once');
    expect(await place(MARKET, 'wait=0', 'once')).toEqual(first);
    expect([first, waits]).toEqual([[201, 'filled', '10', '0.48', null], [5_000]]);
  });
});

describe('the estimate of an order', () => {
  const estimate = (body: unknown, headers = {}) =>
    api.request('POST', '/api/venue_a/order/estimate', { token, body, headers });

  it('takes the request of an order and says what placing it would do', async () => {
    const asked: unknown[] = [];
    const { estimate: answer } = api.behaviour;
    api.behaviour.estimate = async (userId, request) => {
      asked.push(request);
      return answer(userId, request);
    };
    expect([(await estimate(LIMIT)).status, asked]).toEqual([
      200,
      [
        {
          venue: 'venue_a',
          marketId: MARKET_ID,
          outcome: 0,
          side: 'buy',
          amount: { unit: 'usdc', micros: 5_000_000 },
          type: { kind: 'limit', price: 4_000, expiresAtMs: null },
          origin: { kind: 'manual' },
          fenceWaitMs: 5_000,
        },
      ],
    ]);
    expect((await estimate(LIMIT)).body).toMatchObject({
      orderType: 'limit',
      averagePrice: '0.48',
      worstPrice: '0.4',
      shares: '8',
      restingShares: '2',
      fee: { estimated: '0.1', worst: '0.18' },
      networkCost: '0.0041',
      gas: { symbol: 'ETH', amount: '0.0000012', needed: '0.000025', held: '0.04' },
      setsAside: { usdc: '5.18', shares: '0' },
      left: { usdc: '40', orderSize: '5000', openPositions: 499, dailyLoss: null },
      refusal: {
        code: 'trading_stopped',
        detail: 'buying is stopped for everybody',
        retryable: false,
      },
      book: { ageMs: 120, trusted: true, bestBid: '0.47', bestAsk: null },
    });
  });

  it('places nothing, and takes what is wrong with a request as placing does', async () => {
    const before = api.placed.length;
    const wrong = { ...MARKET, price: 0.4 };
    const placed = await api.request('POST', '/api/venue_a/order/', { token, body: wrong });
    const estimated = await estimate(wrong, { 'idempotency-key': 'of-no-use' });
    expect([estimated.status, estimated.body.errors]).toEqual([placed.status, placed.body.errors]);
    await estimate(LIMIT);
    expect(api.placed.length).toBe(before);
  });

  it('is refused with both prices as fields where the book went beyond the worst one', async () => {
    const { estimate: answer } = api.behaviour;
    api.behaviour.estimate = () => {
      throw new AppError('no_liquidity', 'the book reaches 0.92', {
        retryable: true,
        movedPrice: { price: '0.92', worstPrice: '0.9' },
      });
    };
    const { body } = await estimate(LIMIT);
    api.behaviour.estimate = answer;
    expect(body).toMatchObject({ code: 'no_liquidity', price: '0.92', worstPrice: '0.9' });
  });

  it('gives the average price as it is, though money comes in whole millionths', async () => {
    const { estimate: answer } = api.behaviour;
    api.behaviour.estimate = async (userId, request) => ({
      ...(await answer(userId, request)),
      shares: shareMicros(5_102_040),
      usdc: usdcMicros(4_999_999),
    });
    expect((await estimate(LIMIT)).body.averagePrice).toBe('0.98');
    api.behaviour.estimate = answer;
  });

  it('is for API keys that may read', () => {
    const row = routeTable.find(({ path }) => path === '/api/venue_a/order/estimate');
    expect([row?.scope, row?.budget, row?.movesMoney]).toEqual(['read', 'reads', false]);
  });
});

describe('an order at another venue', () => {
  it('is neither shown nor cancelled here', async () => {
    const other = await useApi();
    const { token: theirs, userId } = await other.signIn();
    const request = { ...aMarketBuy(), marketId: MARKET_ID };
    const { place: placed } = other.behaviour;
    other.behaviour.place = async (user, asked) => {
      const record = await placed(user, asked);
      // the API keeps the record it gives
      Object.assign(record.intent, { venue: VENUE_B });
      return record;
    };
    const { intent } = await other.behaviour.place(userId, request);
    const path = `/api/venue_a/order/${intent.intentId}/`;
    const [shown, cancelled, all] = [
      await other.request('GET', path, { token: theirs }),
      await other.request('DELETE', path, { token: theirs }),
      await other.request('DELETE', '/api/venue_a/order/', { token: theirs }),
    ];
    expect([shown.status, cancelled.status, all.body.data]).toEqual([404, 404, []]);
  });
});

describe('the trace of an order over the interface', () => {
  it('goes on from the traceparent of the call, and a refusal names it', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const sent: (string | undefined)[] = [];
    api.behaviour.place = async (_userId, request) => {
      sent.push(request.traceparent);
      const refusal = new AppError('no_liquidity', 'nothing to be had');
      refusal.traceId = request.traceparent?.slice(3, 35) ?? null;
      throw refusal;
    };
    const call = async (headers: Record<string, string>) =>
      (await api.request('POST', '/api/venue_a/order/', { token, body: MARKET, headers })).body;
    expect(await call({ traceparent })).toMatchObject({
      code: 'no_liquidity',
      traceId: traceparent.slice(3, 35),
    });
    expect('traceId' in (await call({}))).toBe(false);
    expect(sent).toEqual([traceparent, undefined]);
  });
});
