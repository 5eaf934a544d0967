import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { VIEWED } from '../../config/limits/portfolio.ts';
import { eventRow, foldedEvents } from '../../src/mcp/rows/account.ts';
import { RESTORES } from '../../src/services/books/tables.ts';
import { startApi, TICKER } from '../http/api.ts';
import { MARKET_ID, TOKEN_ID } from '../http/samples.ts';
import { aViewedPosition, viewedPositions } from '../support/fakes/fake-view.ts';
import { callTool, connect, FIVE_DOLLARS, makeKey } from './mcp-client.ts';

const api = await startApi();
afterAll(() => api.close());
beforeEach(() => api.clock.advance(60_000));
const user = await api.signIn();
const { key } = await makeKey(api, user.token, { scopes: ['read', 'trade', 'swap', 'launch'] });
const client = await connect(api.url, key);

describe('an account by its tools', () => {
  it('is given in one answer: cash, positions of every venue, the day, what is under way', async () => {
    const { value: placed } = await callTool(client, 'orders_create', FIVE_DOLLARS(TICKER));
    const { orderId } = Object(placed['result']);
    const { value } = await callTool(client, 'account_summary');
    expect(value).toMatchObject({
      totalUsdc: expect.any(String),
      today: { realizedPnl: '-0.25', feesUsdc: expect.any(String) },
      cash: { 'usdc:safe': { settled: '10', available: '8.5', reserved: '1.5' } },
      positionCount: 3,
      positions: [
        { venue: 'venue_a', marketId: MARKET_ID, costUsdc: '4.7' },
        { venue: 'venue_b', marketId: MARKET_ID },
        { venue: 'venue_c', marketId: MARKET_ID },
      ],
      pending: expect.arrayContaining([{ kind: 'order', id: orderId, state: 'live' }]),
    });
    await callTool(client, 'order_cancel', { orderId });
    const { value: later } = await callTool(client, 'account_summary');
    expect(JSON.stringify(later['pending'])).not.toContain(orderId);
  });

  it('has beside it what the wallet holds at view-only venues, in no total, and nothing where that is nothing', async () => {
    const summary = async () => {
      await api.clock.advance(VIEWED.emptyKeptMs);
      await callTool(client, 'account_summary');
      return (await callTool(client, 'account_summary')).value;
    };
    const without = await summary();
    expect(without['viewOnly']).toBeUndefined();
    const points = { symbol: 'PTS', token: `0x${'0b'.repeat(20)}`, isDollar: false };
    api.view.answer = async () =>
      viewedPositions([
        aViewedPosition({ state: 'won', isClaimable: true }),
        aViewedPosition({ marketId: '2741:6003', currency: points }),
      ]);
    const { viewOnly, untrustedText, ...rest } = await summary();
    expect(without).toMatchObject(rest);
    const words = ['outcome', 'question'].map((name) => `/viewOnly/positions/*/${name}`);
    expect(untrustedText).toEqual(expect.arrayContaining(words));
    const sums = { valueUsd: '6', profitUsd: '2', claimableUsd: '6', positionCount: 2 };
    const held = {
      question: expect.any(String),
      outcome: 'Yes',
      shares: '10',
      value: '6',
      profit: '2',
    };
    expect(viewOnly).toEqual({
      venues: [{ venue: 'venue_d', ...sums }],
      positions: [
        { ...held, state: 'won', isClaimable: true },
        { ...held, currency: 'PTS' },
      ],
    });
    api.view.answer = async () => viewedPositions([]);
  });

  it('names the venues whose figures may lack something after a restore', async () => {
    const put = (adoptedAtMs: number | null) =>
      api.store.write((tx) =>
        tx.put(RESTORES, ['newest'], { upToMs: 1, madeAtMs: 1, adoptedAtMs }),
      );
    const named = async () => (await callTool(client, 'account_summary')).value['unreconciled'];
    await put(null);
    expect(await named()).toEqual(['venue_a', 'venue_b', 'venue_c']);
    const { value } = await callTool(client, 'positions_list', { venue: 'venue_a' });
    expect(value['books']).toBe('unreconciled');
    await put(2);
    expect(await named()).toBeUndefined();
  });

  it('has orders that are followed, cancelled and listed at the venue they name', async () => {
    const order = { ...FIVE_DOLLARS(MARKET_ID), venue: 'venue_a' };
    const { value } = await callTool(client, 'orders_create', order);
    expect(value).toMatchObject({ outcome: 'done', result: { venue: 'venue_a', state: 'live' } });
    const { orderId } = Object(value['result']);
    const there = { venue: 'venue_a', orderId };
    expect((await callTool(client, 'order_get', there)).value).toMatchObject({ orderId });
    expect((await callTool(client, 'order_get', { orderId })).text).toContain('`venue`');
    expect((await callTool(client, 'order_cancel', there)).value).toMatchObject({
      orderId,
      state: 'cancelled',
    });
    expect((await callTool(client, 'order_cancel', there)).text).toMatch(/order_get shows/);
    expect((await callTool(client, 'positions_list', { venue: 'venue_a' })).value).toMatchObject({
      items: [{ venue: 'venue_a', side: 'yes', agent: 'btc_5min' }],
    });
    expect(
      (await callTool(client, 'position_close', { marketId: MARKET_ID, venue: 'venue_a' })).value,
    ).toMatchObject({ outcome: 'done', result: { action: 'sell' } });
  });

  it('has orders that go on in the trace of their client, where that is one', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const place = api.behaviour.place;
    const sent: unknown[] = [];
    api.behaviour.place = (userId, request) => {
      sent.push(request.traceparent);
      return place(userId, request);
    };
    for (const given of [traceparent, 'ff-1', 7])
      await client.callTool({
        name: 'orders_create',
        arguments: FIVE_DOLLARS(TICKER),
        _meta: { traceparent: given },
      });
    api.behaviour.place = place;
    expect(sent).toEqual([traceparent, undefined, undefined]);
  });

  it('has a repeated call show the present state of what it made, and make nothing', async () => {
    const order = { ...FIVE_DOLLARS(TICKER), clientRequestId: 'made-once' };
    const first = (await callTool(client, 'orders_create', order)).value;
    const { orderId } = Object(first['result']);
    await callTool(client, 'order_cancel', { orderId });
    const before = api.placed.length;
    const again = (await callTool(client, 'orders_create', order)).value;
    expect(first).toMatchObject({ result: { state: 'live' } });
    expect(first).not.toHaveProperty('replay');
    expect(again).toMatchObject({ replay: true, result: { orderId, state: 'cancelled' } });
    expect(api.placed.length).toBe(before);
  });

  it('has its trades at every venue in one list, and what closed positions made', async () => {
    const fills = (await callTool(client, 'trades_list')).value;
    expect(fills).toMatchObject({ items: [{ orderId: 'int_1', usdc: '5', fee: '0.175' }] });
    const closed = await callTool(client, 'trades_list', { kind: 'closed' });
    expect(closed.isError).toBe(false);
  });

  it('says of an id of another venue whose it is, before anything is asked', async () => {
    const answers = [
      await callTool(client, 'market_get', { marketId: MARKET_ID }),
      await callTool(client, 'orders_create', FIVE_DOLLARS(MARKET_ID)),
      await callTool(client, 'market_orderbook', { marketId: MARKET_ID }),
      await callTool(client, 'orders_create', { ...FIVE_DOLLARS(TICKER), venue: 'venue_a' }),
      await callTool(client, 'market_get', { ticker: TICKER }),
    ].map(({ text }) => text.split('\n').slice(1, -1).join('; '));
    expect(answers).toEqual([
      '/marketId: is an id of venue_a: call it with venue "venue_a"',
      '/marketId: is an id of venue_a: call it with venue "venue_a"',
      '/marketId: is an id of venue_a: use a tool of venue_a',
      expect.stringMatching(
        /^\/marketId: .*; \/marketId: looks like an id of venue_b: call it with venue "venue_b"$/,
      ),
      '/marketId: `marketId` is missing; you sent `ticker`; /ticker: there is no such argument; known: marketId, venue, fields',
    ]);
  });

  it('says in words of tools what HTTP would say in its own', async () => {
    const order = { ...FIVE_DOLLARS(TICKER), clientRequestId: 'one-of-mine' };
    await callTool(client, 'orders_create', order);
    const { text } = await callTool(client, 'orders_create', { ...order, amount: '6' });
    expect(text.split('\n')).toEqual([
      'idempotency_mismatch: this clientRequestId was used with another request; take a new one',
      '/clientRequestId: belongs to another request',
      'What to do: Use a new clientRequestId for a new request. The same call fails again unless something is changed.',
    ]);
  });

  it('does not use up the calls that move money by wrong arguments', async () => {
    for (let wrong = 0; wrong < 24; wrong += 1)
      await callTool(client, 'orders_create', {
        ...FIVE_DOLLARS(TICKER),
        ...(wrong % 2 === 0 ? { amount: '-1' } : { clientRequestId: '' }),
      });
    const { isError } = await callTool(client, 'orders_create', FIVE_DOLLARS(TICKER));
    expect(isError).toBe(false);
  });

  it.each(['market_get', 'order_get', 'venue_a_price_history'])(
    'refuses half a character as an argument of %s, by name',
    async (name) => {
      const id = { market_get: 'marketId', order_get: 'orderId' }[name] ?? 'tokenId';
      const { text } = await callTool(client, name, { [id]: 'a\ud800' });
      expect(text).toMatch(/^invalid_request: /);
      expect(text).toContain(`/${id}: must hold whole characters`);
    },
  );

  it('takes moments as days, and gives all fields where they are asked for', async () => {
    const days = { endsAfterAtMs: '2020-01-01', endsBeforeAtMs: '2100-01-01T00:00:00Z' };
    const { value } = await callTool(client, 'venue_a_markets', { ...days, fields: 'all' });
    expect(value).toMatchObject({ items: [{ outcomes: [{ tokenId: TOKEN_ID }, {}] }] });
    const short = await callTool(client, 'venue_a_markets', days);
    expect(JSON.stringify(short.value)).not.toContain(TOKEN_ID);
    const wrong = await callTool(client, 'venue_a_markets', { endsAfterAtMs: 'tomorrow' });
    expect(wrong.text).toContain('/endsAfterAtMs: epoch milliseconds');
  });
});

describe('what happened since', () => {
  it('begins with a cursor and what there is, and goes on from it', async () => {
    const { value } = await callTool(client, 'events_since');
    expect(value).toMatchObject({
      items: [],
      cursor: expect.any(String),
      openOrders: expect.any(Number),
      openPositions: 1,
    });
    const next = await callTool(client, 'events_since', { since: value['cursor'] });
    expect(next.value).toMatchObject({ items: [], cursor: expect.any(String) });
  });

  it('tells an order once, with all that happened to it and its present state', () => {
    const order = (event: string, state: string) =>
      eventRow({ topic: 'orders', data: { event, order: { id: 'int_1', state } } }, null);
    const rows = [
      order('order.intended', 'filled'),
      eventRow(
        {
          topic: 'notifications',
          data: { event: 'notification.made', notification: { title: 'Bought' } },
        },
        null,
      ),
      order('fill.recorded', 'filled'),
    ];
    expect(foldedEvents(rows)).toEqual([
      expect.objectContaining({ events: ['notification.made'], title: 'Bought' }),
      expect.objectContaining({
        orderId: 'int_1',
        state: 'filled',
        events: ['order.intended', 'fill.recorded'],
      }),
    ]);
  });
});
