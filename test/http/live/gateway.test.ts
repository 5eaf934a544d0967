import { get, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { SIGN_IN } from '../../../config/limits.ts';
import { API } from '../../../config/limits/api.ts';
import { asId, type OrderId, type TradeId } from '../../../src/domain/ids.ts';
import { assetPriceE8, priceTicks, shareMicros, usdcMicros } from '../../../src/domain/units.ts';
import { agentView, aBook, HOLDING, TOKEN_ID } from '../samples.ts';
import { START_MS, startApi, type SignedInUser } from '../api.ts';
import { openListener } from '../../../src/http/listener/open-listener.ts';
import { serverUnderTest } from '../server-under-test.ts';
import { useApi } from '../use-api.ts';
import { openSocket, type SocketClient } from './socket-client.ts';
import { ONE_TIME } from '../../../src/ports/market-time.ts';
import { createCountedNumbers } from '../../support/counted-numbers.ts';

const api = await useApi();
const user = await api.signIn();

async function signedInSocket(who: SignedInUser = user): Promise<SocketClient> {
  const client = await openSocket(api.url, { authorization: `Bearer ${who.token}` });
  expect(await client.next()).toEqual({
    op: 'authenticated',
    userId: who.userId,
    expiresAtMs: START_MS + SIGN_IN.accessTokenLifeMs,
  });
  return client;
}

interface RefusedUpgrade {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly code: string; readonly requestId: string };
}

/** Asks for a socket and gives the answer of the HTTP side. */
function refusedUpgrade(
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<RefusedUpgrade> {
  return new Promise((resolve, reject) => {
    const wanted = {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      ...headers,
    };
    get(`${api.url}${path}`, { headers: wanted }, (response) => {
      text(response).then(
        (body) =>
          resolve({
            status: response.statusCode,
            headers: response.headers,
            body: JSON.parse(body) as RefusedUpgrade['body'],
          }),
        reject,
      );
    }).on('error', reject);
  });
}

describe('signing in to a socket', () => {
  it('works by a first message too, with and without the trailing slash', async () => {
    const client = await openSocket(api.url, {}, '/ws/');
    client.send({ op: 'auth', token: user.token });
    expect(await client.next()).toMatchObject({ op: 'authenticated', userId: user.userId });
    client.close();
  });

  it('is needed before anything but a ping', async () => {
    const client = await openSocket(api.url);
    client.send({ op: 'ping', id: 7 });
    client.send({ op: 'subscribe', topics: ['orders'] });
    expect([await client.next(), await client.next()]).toEqual([
      { op: 'pong', id: 7, sentAtMs: api.clock.nowMs() },
      expect.objectContaining({ op: 'error', code: 'unauthenticated' }),
    ]);
    client.close();
  });

  it('fails with a clear code for a forged token and for a user without a name', async () => {
    const forged = await openSocket(api.url);
    forged.send({ op: 'auth', token: 'a.b.c' });
    const nameless = await openSocket(api.url);
    nameless.send({ op: 'auth', token: (await api.signIn({ username: null })).token });
    expect([
      await forged.next(),
      (await forged.closed).code,
      await nameless.next(),
      (await nameless.closed).code,
    ]).toEqual([
      expect.objectContaining({ code: 'token_invalid' }),
      4401,
      expect.objectContaining({ code: 'username_required' }),
      4403,
    ]);
  });

  it('may be followed by a subscribe at once, whether the token is in the header or in a message before', async () => {
    const { token } = await api.signIn();
    const byHeader = await openSocket(api.url, { authorization: `Bearer ${token}` });
    byHeader.send({ op: 'subscribe', id: 1, topics: ['orders'] });
    const byMessage = await openSocket(api.url);
    byMessage.send({ op: 'auth', id: 'a', token });
    byMessage.send({ op: 'subscribe', id: 'b', topics: ['orders'] });
    for (const [client, auth, subscribe] of [
      [byHeader, undefined, 1],
      [byMessage, 'a', 'b'],
    ] as const) {
      expect(
        [await client.next(), await client.next(), await client.next()].map(({ op, topic, id }) => [
          op ?? topic,
          id,
        ]),
      ).toEqual([
        ['authenticated', auth],
        ['subscribed', subscribe],
        ['orders', subscribe],
      ]);
      client.close();
    }
  });

  it('takes so many sockets of one address behind a trusted proxy, and of others still', async () => {
    const from = (address: string) => openSocket(api.url, { 'x-forwarded-for': address });
    const clients = await Promise.all(
      Array.from({ length: API.socketsPerAddressMaximum }, () => from('198.51.100.1')),
    );
    await expect(from('198.51.100.1')).rejects.toThrow('status 409');
    (await from('198.51.100.2')).close();
    clients[0]?.close();
    await eventually(async () => (await from('198.51.100.1')).close());
    for (const client of clients) client.close();
  });

  it('is not taken from the URL', async () => {
    await expect(openSocket(api.url, {}, `/ws?token=${user.token}`)).rejects.toThrow('status 400');
  });

  it.each(['/ws', '/ws/'])(
    'of %s needs an upgrade, which the answer to a plain call says',
    async (path) => {
      const plain = await api.request('GET', path, { token: user.token });
      const posted = await api.request('POST', path, { body: { op: 'ping' } });
      expect([
        plain.status,
        plain.headers.get('upgrade'),
        plain.body.code,
        plain.body.detail,
        posted.status,
      ]).toEqual([
        426,
        'websocket',
        'upgrade_required',
        expect.stringContaining('open a WebSocket'),
        426,
      ]);
    },
  );

  it('is refused with a numbered problem, and with how to sign in where that was missing', async () => {
    const faulty = await refusedUpgrade('/ws?token=a', {});
    const strange = await refusedUpgrade('/ws', { Authorization: 'Basic YTpi' });
    expect(
      [faulty, strange].map(({ status, headers, body }) => [
        status,
        headers['x-request-id'],
        headers['www-authenticate'],
        body.code,
      ]),
    ).toEqual([
      [400, faulty.body.requestId, undefined, 'invalid_request'],
      [401, strange.body.requestId, 'Bearer', 'token_invalid'],
    ]);
    expect(faulty.body.requestId).not.toBe(strange.body.requestId);
  });

  it('cannot be changed to another user', async () => {
    const client = await signedInSocket();
    client.send({ op: 'auth', token: (await api.signIn()).token });
    expect([await client.next(), (await client.closed).code]).toEqual([
      expect.objectContaining({ code: 'forbidden' }),
      4403,
    ]);
  });
});

describe('topics', () => {
  it('tell no age and no time of a book that has not come yet', async () => {
    const unseen = { epoch: 0, seq: 0, bids: [], asks: [], venueAtMs: 0, receivedAtMs: 0 };
    api.books.set(TOKEN_ID, aBook({ ...unseen, distrust: 'no_snapshot' }));
    const client = await signedInSocket();
    client.send({ op: 'subscribe', topics: [`orderbook:venue_a:${TOKEN_ID}`] });
    expect([await client.next(), await client.next()]).toEqual([
      expect.objectContaining({ op: 'subscribed' }),
      expect.objectContaining({
        ageMs: null,
        trusted: false,
        data: expect.objectContaining({ venueAtMs: null, distrust: 'no_snapshot' }),
      }),
    ]);
    client.close();
    const { token } = await api.signIn();
    expect(
      (await api.request('GET', `/api/venue_a/token/${TOKEN_ID}/orderbook/`, { token })).body,
    ).toMatchObject({ ageMs: null, venueAtMs: null, trusted: false });
  });

  it('give a book as a snapshot, then its changes without a hole', async () => {
    api.books.set(TOKEN_ID, aBook());
    const client = await signedInSocket();
    client.send({ op: 'subscribe', topics: [`orderbook:venue_a:${TOKEN_ID}`] });
    const [subscribed, first] = [await client.next(), await client.next()];
    const epoch = Number(first.epoch);
    expect([subscribed, first]).toEqual([
      { op: 'subscribed', topics: [`orderbook:venue_a:${TOKEN_ID}`], refused: [] },
      {
        topic: `orderbook:venue_a:${TOKEN_ID}`,
        kind: 'snapshot',
        epoch,
        seq: 1,
        ageMs: 0,
        trusted: true,
        data: expect.objectContaining({
          bids: [{ price: '0.47', size: '100' }],
          asks: [{ price: '0.48', size: '50' }],
          distrust: null,
        }),
      },
    ]);
    api.books.set(
      TOKEN_ID,
      aBook({ seq: 2, bids: [{ price: priceTicks(4_750), size: shareMicros(1_500_000) }] }),
    );
    api.touchBook(TOKEN_ID);
    api.books.set(
      TOKEN_ID,
      aBook({
        seq: 3,
        bids: [{ price: priceTicks(4_760), size: shareMicros(2_000_000) }],
        distrust: 'stale',
      }),
    );
    api.touchBook(TOKEN_ID);
    await api.clock.advance(API.socketFlushMs);
    expect(await client.next()).toEqual({
      topic: `orderbook:venue_a:${TOKEN_ID}`,
      kind: 'change',
      epoch,
      seq: 2,
      ageMs: API.socketGatherMs,
      trusted: false,
      data: {
        venueAtMs: START_MS,
        distrust: 'stale',
        bids: [
          { price: '0.476', size: '2' },
          { price: '0.47', size: '0' },
        ],
        asks: [],
      },
    });
    api.books.set(TOKEN_ID, aBook({ epoch: 2, seq: 1 }));
    api.touchBook(TOKEN_ID);
    await api.clock.advance(API.socketFlushMs);
    expect(await client.next()).toMatchObject({
      kind: 'snapshot',
      epoch: epoch + 1,
      seq: 1,
      trusted: true,
    });
    client.close();
  });

  it('end with the market: a last message, and whoever subscribes later hears why, without a fault of theirs', async () => {
    const topic = 'orderbook:venue_a:5551';
    api.books.set('5551', aBook());
    const client = await signedInSocket();
    client.send({ op: 'subscribe', topics: [topic] });
    const [, first] = [await client.next(), await client.next()];
    api.ends.set('5551', 'resolved');
    api.touchBook('5551');
    await api.clock.advance(API.socketFlushMs);
    expect(await client.next()).toEqual({
      topic,
      kind: 'ended',
      epoch: first.epoch,
      seq: 2,
      ageMs: null,
      trusted: false,
      data: { reason: 'resolved' },
    });
    const later = { topic, code: 'market_closed', detail: expect.stringContaining('resolved') };
    for (let turn = 0; turn <= API.socketFaultsMaximum; turn += 1) {
      client.send({ op: 'subscribe', topics: [topic] });
      expect(await client.next()).toMatchObject({ op: 'error', refused: [later] });
    }
    client.send({ op: 'ping' });
    expect(await client.next()).toMatchObject({ op: 'pong' });
    client.close();
  });

  it('give a late reader what the others got last, and all of them the next change', async () => {
    api.books.set(TOKEN_ID, aBook({ epoch: 5 }));
    const [early, late] = [await signedInSocket(), await signedInSocket()];
    early.send({ op: 'subscribe', topics: [`orderbook:venue_a:${TOKEN_ID}`] });
    await early.next();
    const first = await early.next();
    api.books.set(TOKEN_ID, aBook({ epoch: 5, seq: 2, asks: [] }));
    api.touchBook(TOKEN_ID);
    late.send({ op: 'subscribe', topics: [`orderbook:venue_a:${TOKEN_ID}`] });
    await late.next();
    const snapshot = await late.next();
    api.books.set(TOKEN_ID, aBook({ epoch: 5, seq: 3, asks: [], bids: [] }));
    api.touchBook(TOKEN_ID);
    await api.clock.advance(API.socketFlushMs);
    const [earlyNext, lateNext] = [await early.next(), await late.next()];
    expect(snapshot).toEqual(first);
    expect([snapshot.seq, earlyNext]).toEqual([
      1,
      expect.objectContaining({
        kind: 'change',
        seq: 2,
        data: expect.objectContaining({
          asks: [{ price: '0.48', size: '0' }],
          bids: [{ price: '0.47', size: '0' }],
        }),
      }),
    ]);
    expect(lateNext).toEqual(earlyNext);
    early.close();
    late.close();
  });

  it('go on after a book that was asked for over HTTP: it carries the number of the message it is the state of', async () => {
    const topic = `orderbook:venue_a:${TOKEN_ID}`;
    const client = await signedInSocket();
    api.books.set(TOKEN_ID, aBook());
    client.send({ op: 'subscribe', topics: [topic] });
    const [, first] = [await client.next(), await client.next()];
    const change = async (seq: number, bid: number) => {
      const bids = [{ price: priceTicks(bid), size: shareMicros(1_000_000) }];
      api.books.set(TOKEN_ID, aBook({ seq, bids }));
      api.touchBook(TOKEN_ID);
      await api.clock.advance(API.socketFlushMs);
    };
    await change(2, 4_600);
    const path = `/api/venue_a/token/${TOKEN_ID}/orderbook/`;
    const { body: asked } = await api.request('GET', path, { token: user.token });
    await change(3, 4_500);
    const [before, after] = [await client.next(), await client.next()];
    expect([before, asked, after].map(({ epoch, seq }) => [epoch, seq])).toEqual([
      [first.epoch, 2],
      [first.epoch, 2],
      [first.epoch, 3],
    ]);
    expect([asked.bids, after.data]).toMatchObject([
      [{ price: '0.46', size: '1' }],
      {
        bids: [
          { price: '0.46', size: '0' },
          { price: '0.45', size: '1' },
        ],
      },
    ]);
    client.close();
    await client.closed;
  });

  it.each(['orders', 'prices:BTC', `orderbook:venue_a:${TOKEN_ID}`])(
    'begin a new epoch of %s when the last reader has left and one comes back',
    async (topic) => {
      const client = await signedInSocket();
      const epochs: unknown[] = [];
      for (let turn = 0; turn < 3; turn += 1) {
        client.send({ op: 'subscribe', topics: [topic] });
        await client.next();
        epochs.push((await client.next()).epoch);
        client.send({ op: 'unsubscribe', topics: [topic] });
        await client.next();
      }
      expect(new Set(epochs).size).toBe(3);
      client.close();
    },
  );

  it('give prices, null without one', async () => {
    const client = await signedInSocket();
    client.send({ op: 'subscribe', topics: ['prices:BTC'] });
    await client.next();
    const first = await client.next();
    const { epoch } = first;
    expect(first).toEqual({
      topic: 'prices:BTC',
      kind: 'snapshot',
      epoch,
      seq: 0,
      ageMs: null,
      trusted: false,
      data: null,
    });
    api.touchPrice({
      asset: 'BTC',
      price: assetPriceE8(9_712_345_000_000),
      source: 'oracle',
      sourceAtMs: START_MS,
      receivedAtMs: api.clock.nowMs(),
    });
    await api.clock.advance(API.socketFlushMs);
    expect(await client.next()).toEqual({
      topic: 'prices:BTC',
      kind: 'change',
      epoch,
      seq: 1,
      ageMs: API.socketGatherMs,
      trusted: true,
      data: { price: '97123.45', source: 'oracle', sourceAtMs: START_MS },
    });
    client.close();
  });

  it("tell a user their own facts and no other user's", async () => {
    const stranger = await api.signIn();
    const [mine, theirs] = [await signedInSocket(), await signedInSocket(stranger)];
    for (const client of [mine, theirs]) {
      client.send({ op: 'subscribe', topics: ['orders', 'positions', 'agents', 'notifications'] });
      const first = [
        await client.next(),
        await client.next(),
        await client.next(),
        await client.next(),
        await client.next(),
      ];
      expect(first.slice(1).map(({ topic, kind, seq }) => [topic, kind, seq])).toEqual([
        ['orders', 'snapshot', 0],
        ['positions', 'snapshot', 0],
        ['agents', 'snapshot', 0],
        ['notifications', 'snapshot', 0],
      ]);
    }
    const { profile } = agentView('btc_5min', true);
    const about = { userId: user.userId, atMs: api.clock.nowMs() - 5 };
    api.publish([
      {
        seq: 1,
        event: {
          type: 'fill.settled',
          ...about,
          tradeId: asId<TradeId>('t'),
          orderId: asId<OrderId>('0x1'),
          transactionHash: null,
        },
      },
      {
        seq: 2,
        event: {
          type: 'position.changed',
          ...about,
          position: { ...HOLDING(user.userId).position, state: 'redeemed' },
        },
      },
      {
        seq: 3,
        event: {
          type: 'notification.made',
          ...about,
          unread: 1,
          notification: {
            userId: user.userId,
            number: 1,
            atMs: about.atMs,
            facts: {
              kind: 'deposit_booked',
              cashAccount: 'usdc:safe',
              usdc: usdcMicros(5_000_000),
            },
            push: { waiting: 0, sent: 0, dropped: 0 },
          },
        },
      },
      {
        seq: 4,
        event: { type: 'agent.changed', ...about, agent: { agentId: profile.agentId } as never },
      },
    ]);
    const reported = [await mine.next(), await mine.next(), await mine.next(), await mine.next()];
    expect(
      reported.map(({ topic, seq, ageMs, data }) => [
        topic,
        seq,
        ageMs,
        (data as { event: string }).event,
      ]),
    ).toEqual([
      ['orders', 1, 5, 'fill.settled'],
      ['positions', 1, 5, 'position.changed'],
      ['notifications', 1, 5, 'notification.made'],
      ['agents', 1, 5, 'agent.changed'],
    ]);
    theirs.send({ op: 'ping' });
    expect(await theirs.next()).toMatchObject({ op: 'pong' });
    mine.close();
    theirs.close();
  });

  it('tell the health of an agent to those whose agent it is and who have it enabled, and what concerns the service to all', async () => {
    const [first, second] = [await api.signIn(), await api.signIn()];
    await api.request('POST', '/api/agents/btc_5min/enable', { token: first.token });
    const [enabled, without] = [await signedInSocket(first), await signedInSocket(second)];
    for (const client of [enabled, without]) {
      client.send({ op: 'subscribe', topics: ['agents'] });
      await client.next();
      await client.next();
    }
    api.touchHealth({ kind: 'agent', agentId: 'btc_5min' });
    expect(await enabled.next()).toMatchObject({
      topic: 'agents',
      seq: 1,
      data: { event: 'agent.health', agent: { agent: 'btc_5min', degraded: [] } },
    });
    api.touchHealth({ kind: 'user', userId: second.userId });
    api.publish([
      {
        seq: 1,
        event: { type: 'all_trading.stopped', atMs: api.clock.nowMs(), reason: 'alarm' },
      },
    ]);
    expect(await enabled.next()).toMatchObject({
      topic: 'agents',
      seq: 2,
      data: { event: 'all_trading.stopped', reason: 'alarm' },
    });
    expect(await without.next()).toMatchObject({
      topic: 'agents',
      seq: 1,
      data: { event: 'all_trading.stopped', reason: 'alarm' },
    });
    enabled.close();
    without.close();
  });

  it('stop when unsubscribed, upstream too once there is no reader', async () => {
    api.books.set('777', aBook());
    const client = await signedInSocket();
    client.send({ op: 'subscribe', topics: ['orderbook:venue_a:777'] });
    await client.next();
    await client.next();
    client.send({ op: 'unsubscribe', topics: ['orderbook:venue_a:777', 'orders'] });
    expect(await client.next()).toEqual({
      op: 'unsubscribed',
      topics: ['orderbook:venue_a:777', 'orders'],
      refused: [],
    });
    api.books.set('777', aBook({ seq: 2, bids: [] }));
    api.touchBook('777');
    await api.clock.advance(API.socketFlushMs);
    client.send({ op: 'ping' });
    expect(await client.next()).toMatchObject({ op: 'pong' });
    client.close();
  });
});

describe('one user among others', () => {
  it('H2: reads so many books and prices over all sockets together, and leaves the rest of the topics to others', async () => {
    const [greedy, modest] = [await api.signIn(), await api.signIn()];
    const clients = [await signedInSocket(greedy), await signedInSocket(greedy)];
    const refused = [];
    for (const [index, client] of clients.entries()) {
      client.send({
        op: 'subscribe',
        topics: Array.from(
          { length: API.subscriptionsMaximum },
          (_unused, number) => `orderbook:venue_a:${index + 1}${1_000 + number}`,
        ),
      });
      const answer = await client.next();
      refused.push(answer.refused as { code: string; retryable: boolean }[]);
    }
    expect(
      refused.map((all) => [
        all.length,
        new Set(all.map(({ code, retryable }) => `${code} ${retryable}`)),
      ]),
    ).toEqual([
      [API.subscriptionsMaximum - API.topicsPerUserMaximum, new Set(['limit_reached false'])],
      [API.subscriptionsMaximum, new Set(['limit_reached false'])],
    ]);
    const other = await signedInSocket(modest);
    other.send({ op: 'subscribe', topics: ['orderbook:venue_a:42'] });
    expect(await other.next()).toMatchObject({
      op: 'subscribed',
      topics: ['orderbook:venue_a:42'],
      refused: [],
    });
    for (const client of [...clients, other]) client.close();
  });

  it('gets limit_reached, retryable, when all topics are taken, and is not thrown out for it', async () => {
    const own = await startApi();
    for (let index = 0; index < API.topicsMaximum / API.topicsPerUserMaximum; index += 1) {
      const who = await own.signIn({
        username: `many_${'abcdefghjkmnpqrstuvwxyz'[index % 23]}${'abcdefghjkmnpqrstuvwxyz'[Math.floor(index / 23)]}`,
      });
      const client = await openSocket(own.url, { authorization: `Bearer ${who.token}` });
      client.send({
        op: 'subscribe',
        topics: Array.from(
          { length: API.topicsPerUserMaximum },
          (_unused, number) => `orderbook:venue_a:1${1_000 + index}${100 + number}`,
        ),
      });
      await client.next();
      await client.next();
    }
    const late = await openSocket(own.url, {
      authorization: `Bearer ${(await own.signIn({ username: 'late_comer' })).token}`,
    });
    await late.next();
    for (let turn = 0; turn < 2 * API.socketFaultsMaximum; turn += 1) {
      late.send({ op: 'subscribe', topics: ['orderbook:venue_a:42'] });
      expect(await late.next()).toMatchObject({
        op: 'error',
        code: 'limit_reached',
        retryable: true,
        refused: [{ topic: 'orderbook:venue_a:42', code: 'limit_reached', retryable: true }],
      });
    }
    late.send({ op: 'ping', id: 'alive' });
    expect(await late.next()).toMatchObject({ op: 'pong', id: 'alive' });
    await own.close();
  });
});

describe('hostile sockets', () => {
  it.each([
    ['not JSON', '{"op":', 'invalid_json'],
    ['an unknown op', '{"op":"dance"}', 'invalid_request'],
    ['an unknown field', '{"op":"ping","x":1}', 'invalid_request'],
    ['an unknown topic', '{"op":"subscribe","topics":["weather"]}', 'not_found'],
    ["another user's channel", '{"op":"subscribe","topics":["orders usr_1"]}', 'not_found'],
    [
      'a token that may not be followed',
      '{"op":"subscribe","topics":["orderbook:venue_a:99"]}',
      'not_found',
    ],
    ['no topics', '{"op":"subscribe","topics":[]}', 'invalid_request'],
  ])('hear %s refused, and go on', async (_what, text, code) => {
    const client = await signedInSocket();
    client.sendRaw(text);
    const answers = [await client.next()];
    if (answers[0]?.op === 'subscribed') answers.push(await client.next());
    client.send({ op: 'ping' });
    expect([answers.at(-1), await client.next()]).toEqual([
      expect.objectContaining({ op: 'error', code }),
      expect.objectContaining({ op: 'pong' }),
    ]);
    client.close();
  });

  it('are closed after ten faults', async () => {
    const client = await signedInSocket();
    for (let fault = 0; fault < 10; fault += 1) client.sendRaw('nonsense');
    expect([
      (await client.closed).code,
      client.heard.filter(({ op }) => op === 'error').length,
    ]).toEqual([4400, 10]);
  });

  it('are closed for a message over the limit', async () => {
    const client = await signedInSocket();
    client.sendRaw(JSON.stringify({ op: 'ping', id: 'x'.repeat(API.socketPayloadMaximumBytes) }));
    expect((await client.closed).code).toBe(1009);
    const huge = await signedInSocket();
    huge.sendRaw('x'.repeat(1_000_000));
    // uWebSockets.js cuts it off, ws says why
    expect([1006, 1009]).toContain((await huge.closed).code);
  });

  it('cannot send text in binary frames', async () => {
    const client = await signedInSocket();
    client.sendRaw(Buffer.from('{"op":"ping"}'));
    expect(await client.next()).toMatchObject({ op: 'error', code: 'invalid_json' });
    client.close();
  });

  it('may ask for ten thousand subscriptions and get 64, then a close', async () => {
    const client = await signedInSocket(await api.signIn());
    for (let batch = 0; batch < 100; batch += 1)
      client.send({
        op: 'subscribe',
        topics: Array.from(
          { length: 100 },
          (_unused, index) => `orderbook:venue_a:1${batch * 100 + index}`,
        ),
      });
    const { code } = await client.closed;
    const errors = client.heard.filter(({ op }) => op === 'error').map((message) => message.code);
    // the first message is answered in part, which is a fault as well
    expect([
      code,
      errors.length,
      new Set(errors),
      client.heard.filter(({ kind }) => kind === 'snapshot').length,
    ]).toEqual([4400, 9, new Set(['limit_reached']), API.topicsPerUserMaximum]);
    const other = await signedInSocket();
    other.send({ op: 'ping' });
    expect(await other.next()).toMatchObject({ op: 'pong' });
    other.close();
  });

  it('are closed for flooding', async () => {
    const client = await signedInSocket();
    for (let message = 0; message < 600; message += 1) client.send({ op: 'ping' });
    expect((await client.closed).code).toBe(4429);
  });

  it('are at most 32 a user', async () => {
    const who = await api.signIn();
    const clients = [];
    for (let count = 0; count < API.socketsPerUserMaximum; count += 1)
      clients.push(await signedInSocket(who));
    const surplus = await openSocket(api.url, { authorization: `Bearer ${who.token}` });
    expect([await surplus.next(), (await surplus.closed).code]).toEqual([
      expect.objectContaining({ code: 'limit_reached' }),
      4429,
    ]);
    clients[0]?.close();
    await clients[0]?.closed;
    const again = await signedInSocket(who);
    again.close();
    for (const client of clients) client.close();
  });

  it('are closed when they read too slowly, and begin again with a snapshot', async () => {
    const wide = (seq: number) =>
      aBook({
        seq,
        bids: Array.from({ length: 4_000 }, (_unused, index) => ({
          price: priceTicks(9_000 - index),
          size: shareMicros(seq * 1_000_000 + index),
        })),
      });
    api.books.set('555', wide(1));
    const slow = connect(api.server.port, '127.0.0.1');
    const key = 'dGhlIHNhbXBsZSBub25jZQ==';
    const frame = (text: string) =>
      Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
    slow.write(
      `GET /ws HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${user.token}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    );
    await new Promise((resolve) => slow.once('data', resolve));
    slow.write(frame('{"op":"subscribe","topics":["orderbook:venue_a:555"]}'));
    await new Promise((resolve) => slow.once('data', resolve));
    slow.pause();
    const gone = new Promise((resolve) => slow.on('close', resolve));
    slow.on('error', () => {});
    const quick = await signedInSocket();
    quick.send({ op: 'subscribe', topics: ['orderbook:venue_a:555'] });
    await quick.next();
    await quick.next();
    for (let seq = 2; seq < 300; seq += 1) {
      api.books.set('555', wide(seq));
      api.touchBook('555');
      await api.clock.advance(API.socketFlushMs);
      await quick.next();
    }
    slow.resume();
    await gone;
    const again = await signedInSocket();
    again.send({ op: 'subscribe', topics: ['orderbook:venue_a:555'] });
    await again.next();
    expect(await again.next()).toMatchObject({ kind: 'snapshot', trusted: true });
    quick.close();
    again.close();
  });
});

describe('time and the end', () => {
  it('closes a socket that says nothing of itself, one whose token ends, and all of them at the end', async () => {
    const own = await startApi();
    const silent = await openSocket(own.url);
    const { token } = await own.signIn();
    await own.clock.advance(API.socketAuthMs);
    expect((await silent.closed).code).toBe(4408);
    const ending = await openSocket(own.url, { authorization: `Bearer ${token}` });
    await ending.next();
    await own.clock.advance(SIGN_IN.accessTokenLifeMs);
    expect(await ending.closed).toEqual({
      code: 4401,
      reason: 'The token has expired; refresh it.',
    });
    const { token: fresh } = await own.signIn();
    const last = await openSocket(own.url, { authorization: `Bearer ${fresh}` });
    await last.next();
    await own.close();
    expect((await last.closed).code).toBe(1001);
  });

  it('closes the sockets of a session that was ended', async () => {
    const own = await startApi();
    const { token } = await own.signIn();
    const client = await openSocket(own.url, { authorization: `Bearer ${token}` });
    await client.next();
    await own.request('POST', '/api/auth/logout', { token });
    await own.clock.advance(API.socketRecheckMs);
    expect((await client.closed).code).toBe(4401);
    await own.close();
  });

  it('keeps a socket open that renews its token', async () => {
    const own = await startApi();
    const { refreshToken, token } = await own.signIn();
    const client = await openSocket(own.url, { authorization: `Bearer ${token}` });
    await client.next();
    await own.clock.advance(600_000);
    const renewed = await own.services.sessions.refresh(refreshToken);
    client.send({ op: 'auth', token: renewed.accessToken });
    expect(await client.next()).toMatchObject({ op: 'authenticated' });
    await own.clock.advance(400_000);
    client.send({ op: 'ping' });
    expect(await client.next()).toMatchObject({ op: 'pong' });
    client.close();
    await own.close();
  });
});

describe('binding', () => {
  it('says in one sentence that the port is taken', async () => {
    const { startHttpServer } = await import('../../../src/http/server.ts');
    const { routeTable, VENUE_APIS } = await import('../../../src/app/route-table.ts');
    const metrics = {
      count: () => {},
      gauge: () => {},
      observe: () => {},
      startTimer: () => () => {},
      beforeRead: () => {},
    };
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const again = startHttpServer({
      lease: { isHeld: () => true },
      listener: await openListener(serverUnderTest()),
      host: '127.0.0.1',
      port: api.server.port,
      routes: routeTable,
      venues: VENUE_APIS,
      services: api.services,
      clock: api.clock,
      metrics,
      log,
      live: {
        nowMs: () => 0,
        marketTime: ONE_TIME,
        numbers: createCountedNumbers(),
        bus: { subscribe: () => () => {} },
        knowsBook: () => false,
        endOf: () => null,
        findBook: async () => false,
        watchMarketPrice: () => null,
        watchBook: () => null,
        watchPrice: () => ({ current: () => null, stop: () => {} }),
      },
      random: { integer: () => 0, bytes: (count) => new Uint8Array(count) },
      rateLimits: {
        spend: () => ({ allowed: true, limit: 1, remaining: 1, resetMs: 0, retryAfterMs: 0 }),
        isSpent: () => false,
        giveBack: () => undefined,
      },
      isMetricsOpen: false,
      corsOrigins: [],
      idempotency: {
        run: () => Promise.reject(new Error('unused')),
        hasMade: () => false,
      },
    });
    await expect(again).rejects.toMatchObject({
      code: 'port_in_use',
      message: expect.stringContaining('PREDICTD_PORT'),
    });
  });
});
