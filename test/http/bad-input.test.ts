import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { MARKET_ID } from './samples.ts';
import { START_MS, type RequestOptions } from './api.ts';
import { useApi } from './use-api.ts';

const api = await useApi();
const user = await api.signIn();

const ORDER = { marketId: MARKET_ID, side: 'yes', amount: 5, orderType: 'limit', price: '0.47' };

/** Something one part of a test waits for and another says. */
function signal(): { readonly sent: Promise<void>; send(): void } {
  let send: () => void = () => {};
  const sent = new Promise<void>((resolve) => {
    send = resolve;
  });
  return { sent, send: () => send() };
}

async function problem(
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<unknown> {
  const { status, body, headers } = await api.request(method, path, {
    token: user.token,
    ...options,
  });
  const { code, errors, requestId } = body;
  expect([headers.get('content-type'), requestId, body.status]).toEqual([
    'application/problem+json',
    headers.get('x-request-id'),
    status,
  ]);
  return [
    status,
    code,
    Array.isArray(errors) ? errors.map((each: { path: string }) => each.path) : errors,
  ];
}

describe('an order with a fault', () => {
  it.each<[string, unknown, number, string, string[]]>([
    ['a price of five decimals', { ...ORDER, price: 0.47001 }, 422, 'price_off_tick', ['/price']],
    ['a price of 1', { ...ORDER, price: 1 }, 422, 'price_out_of_range', ['/price']],
    ['a price of 0', { ...ORDER, price: '0' }, 422, 'price_out_of_range', ['/price']],
    ['a price of 47', { ...ORDER, price: 47 }, 422, 'price_out_of_range', ['/price']],
    ['a negative price', { ...ORDER, price: -0.5 }, 400, 'invalid_request', ['/price']],
    ['a price as NaN text', { ...ORDER, price: 'NaN' }, 400, 'invalid_request', ['/price']],
    ['a price with an exponent', { ...ORDER, price: '1e-1' }, 400, 'invalid_request', ['/price']],
    [
      'no price on a limit order',
      { ...ORDER, price: undefined },
      400,
      'invalid_request',
      ['/price'],
    ],
    [
      'a price on a market order',
      { ...ORDER, orderType: 'market' },
      400,
      'invalid_request',
      ['/price'],
    ],
    ['an amount of zero', { ...ORDER, amount: 0 }, 400, 'invalid_request', ['/amount']],
    ['a negative amount', { ...ORDER, amount: -5 }, 400, 'invalid_request', ['/amount']],
    [
      'an amount of seven decimals',
      { ...ORDER, amount: '1.0000001' },
      400,
      'invalid_request',
      ['/amount'],
    ],
    [
      'an amount beyond all money',
      { ...ORDER, amount: '99999999999' },
      400,
      'invalid_request',
      ['/amount'],
    ],
    [
      'an amount of the wrong type',
      { ...ORDER, amount: true },
      400,
      'invalid_request',
      ['/amount'],
    ],
    ['no amount', { ...ORDER, amount: undefined }, 400, 'invalid_request', ['/amount']],
    ['an invalid side', { ...ORDER, side: 'maybe' }, 400, 'invalid_request', ['/side']],
    [
      'a market that is no id',
      { ...ORDER, marketId: '../../etc' },
      400,
      'invalid_request',
      ['/marketId'],
    ],
    ['an unknown field', { ...ORDER, leverage: 10 }, 400, 'invalid_request', ['/leverage']],
    [
      'an expiry in the past',
      { ...ORDER, expiresAtMs: START_MS - 1 },
      400,
      'invalid_request',
      ['/expiresAtMs'],
    ],
    [
      'an expiry in seconds',
      { ...ORDER, expiresAtMs: START_MS / 1_000 + 3_600 },
      400,
      'invalid_request',
      ['/expiresAtMs'],
    ],
    [
      'an expiry on a market order',
      { ...ORDER, orderType: 'market', price: undefined, expiresAtMs: START_MS + 60_000 },
      400,
      'invalid_request',
      ['/expiresAtMs'],
    ],
    [
      'an expiry by its former name',
      { ...ORDER, expiresAt: 1_900_000_000 },
      400,
      'invalid_request',
      ['/expiresAt'],
    ],
    [
      'an expiry of an order that rests until cancelled',
      { ...ORDER, timeInForce: 'GTC', expiresAtMs: START_MS + 60_000 },
      400,
      'invalid_request',
      ['/expiresAtMs'],
    ],
    [
      'a market order that rests',
      { ...ORDER, orderType: 'market', price: undefined, timeInForce: 'GTC' },
      400,
      'invalid_request',
      ['/timeInForce'],
    ],
    [
      'a limit order that does not rest',
      { ...ORDER, timeInForce: 'FOK' },
      400,
      'invalid_request',
      ['/timeInForce'],
    ],
    [
      'two faults',
      { ...ORDER, amount: -1, side: 'up' },
      400,
      'invalid_request',
      ['/side', '/amount'],
    ],
    ['a list for a body', [ORDER], 400, 'invalid_request', ['']],
  ])(
    '%s is refused with its path, and nothing is placed',
    async (_what, body, status, code, paths) => {
      const before = api.placed.length;
      expect(await problem('POST', '/api/venue_a/order', { body })).toEqual([status, code, paths]);
      expect(api.placed.length).toBe(before);
    },
  );

  it.each<[string, RequestOptions, number, string, string[]]>([
    ['malformed JSON', { rawBody: '{"marketId": ' }, 400, 'invalid_json', ['/marketId']],
    ['a number beyond floats', { rawBody: '{"amount":1e400}' }, 400, 'invalid_json', ['/amount']],
    ['NaN', { rawBody: '{"amount":NaN}' }, 400, 'invalid_json', ['/amount']],
    ['a name twice', { rawBody: '{"amount":1,"amount":100}' }, 400, 'invalid_json', ['/amount']],
    ['no body', {}, 400, 'invalid_request', ['']],
    [
      'another media type',
      { body: ORDER, headers: { 'content-type': 'text/plain' } },
      415,
      'unsupported_media_type',
      ['/header/content-type'],
    ],
    [
      'a compressed body, before it is read as JSON',
      { rawBody: 'no JSON', headers: { 'content-encoding': 'gzip' } },
      415,
      'unsupported_media_type',
      ['/header/content-encoding'],
    ],
    [
      'a body in two codings',
      { body: ORDER, headers: { 'content-encoding': 'identity, br' } },
      415,
      'unsupported_media_type',
      ['/header/content-encoding'],
    ],
    [
      'a faulty body said to be as it is',
      { rawBody: 'no JSON', headers: { 'content-encoding': 'Identity' } },
      400,
      'invalid_json',
      [''],
    ],
    [
      'an idempotency key with a blank',
      { body: ORDER, headers: { 'idempotency-key': 'a b' } },
      400,
      'invalid_request',
      ['/header/idempotency-key'],
    ],
    [
      'an idempotency key that is too long',
      { body: ORDER, headers: { 'idempotency-key': 'k'.repeat(129) } },
      400,
      'invalid_request',
      ['/header/idempotency-key'],
    ],
    ['an unknown query', { body: ORDER }, 400, 'invalid_request', ['/query/dryRun']],
  ])('%s is refused', async (what, options, status, code, paths) => {
    expect(
      await problem(
        'POST',
        what === 'an unknown query' ? '/api/venue_a/order/?dryRun=1' : '/api/venue_a/order/',
        options,
      ),
    ).toEqual([status, code, paths]);
  });

  it.each<[string, string, string[]]>([
    ['a size of null', '{"avgPositionSize":null}', ['/avgPositionSize']],
    [
      'a size that is neither number nor text',
      '{"avgPositionSize":[5],"stopLossPercent":true}',
      ['/avgPositionSize', '/stopLossPercent'],
    ],
    [
      'the name of an object’s prototype',
      '{"avgPositionSize":5,"__proto__":{"enabled":true}}',
      ['/__proto__'],
    ],
    ['a list', '[]', ['']],
  ])(
    'settings with %s are refused with the path, and none is dropped',
    async (_what, rawBody, paths) => {
      expect(await problem('PUT', '/api/agents/btc_5min/settings', { rawBody })).toEqual([
        400,
        'invalid_request',
        paths,
      ]);
    },
  );

  it('a body that is not UTF-8 is refused', async () => {
    const response = await fetch(`${api.url}/api/venue_a/order`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' },
      body: new Uint8Array([0x7b, 0xff, 0x7d]),
    });
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'invalid_json' }),
    ]);
  });

  it('a body over the limit is refused before it is read', async () => {
    expect(
      await problem('POST', '/api/venue_a/order', { rawBody: `{"a":"${'x'.repeat(70_000)}"}` }),
    ).toEqual([413, 'body_too_large', []]);
  });
});

describe('other calls with a fault', () => {
  it.each<[string, string, RequestOptions, number, string, string[]]>([
    ['GET', '/api/venue_a/order/0xabc', {}, 400, 'invalid_request', ['/path/id']],
    ['GET', '/api/venue_a/order/int_doesnotexist', {}, 404, 'not_found', []],
    ['DELETE', `/api/venue_a/order/0x${'0'.repeat(64)}/`, {}, 404, 'not_found', []],
    ['GET', '/api/venue_a/order/?limit=0', {}, 400, 'invalid_request', ['/query/limit']],
    ['GET', '/api/venue_a/order/?limit=05', {}, 400, 'invalid_request', ['/query/limit']],
    [
      'GET',
      '/api/venue_a/markets/?endsAfterAtMs=01&limit=+5',
      {},
      400,
      'invalid_request',
      ['/query/limit', '/query/endsAfterAtMs'],
    ],
    [
      'GET',
      '/api/venue_a/whale-txs/?minimumUsd=007',
      {},
      400,
      'invalid_request',
      ['/query/minimumUsd'],
    ],
    ['GET', '/api/venue_a/order/?limit=201', {}, 400, 'invalid_request', ['/query/limit']],
    ['GET', '/api/venue_a/order/?limit=1&limit=2', {}, 400, 'invalid_request', ['/query/limit']],
    ['GET', '/api/venue_a/order/?limit=%zz', {}, 400, 'invalid_request', ['/query']],
    ['GET', '/api/venue_a/order/?cursor=zzzz', {}, 400, 'invalid_request', ['/query/cursor']],
    ['GET', '/api/venue_a/order/?cursor=', {}, 400, 'invalid_request', ['/query/cursor']],
    ['GET', '/api/venue_a/holding/?cursor=zzzz', {}, 400, 'invalid_request', ['/query/cursor']],
    ['GET', '/api/venue_a/whale-txs/?cursor=zzzz', {}, 400, 'invalid_request', ['/query/cursor']],
    ['GET', '/api/agents/?cursor=zzzz', {}, 400, 'invalid_request', ['/query/cursor']],
    [
      'GET',
      '/api/venue_a/markets/series?search=eth&closed=true',
      {},
      400,
      'invalid_request',
      ['/query/search', '/query/closed'],
    ],
    [
      'GET',
      '/api/venue_a/holding/?isRedeemable=true',
      {},
      400,
      'invalid_request',
      ['/query/isRedeemable'],
    ],
    [
      'GET',
      '/api/venue_a/holding/?isReedemable=yes',
      {},
      400,
      'invalid_request',
      ['/query/isReedemable'],
    ],
    ['GET', '/api/venue_a/token/abc/orderbook', {}, 400, 'invalid_request', ['/path/id']],
    ['GET', '/api/venue_a/token/42/orderbook', {}, 404, 'not_found', []],
    ['GET', '/api/venue_a/markets/events/404', {}, 404, 'not_found', []],
    ['GET', '/api/venue_a/markets/no-such-market', {}, 404, 'not_found', []],
    ['GET', '/api/venue_a/markets/no.such', {}, 400, 'invalid_request', ['/path/id']],
    [
      'GET',
      '/api/venue_a/markets/?sort=best&state=open&tag=a%20b',
      {},
      400,
      'invalid_request',
      ['/query/sort', '/query/state', '/query/tag'],
    ],
    ['GET', '/api/markets/?search=rain%00', {}, 400, 'invalid_request', ['/query/search']],
    ['GET', '/api/markets/?venue=venue_z', {}, 400, 'invalid_request', ['/query/venue']],
    ['GET', '/api/venue_a/markets/?search=%0Arain', {}, 400, 'invalid_request', ['/query/search']],
    [
      'GET',
      '/api/venue_b/events/?search=rain%1B%5B31m',
      {},
      400,
      'invalid_request',
      ['/query/search'],
    ],
    ['GET', '/api/web3/search/?query=ra%00in', {}, 400, 'invalid_request', ['/query/query']],
    [
      'GET',
      '/api/venue_a/markets/?eventId=x&seriesId=-1&endsAfterAtMs=soon',
      {},
      400,
      'invalid_request',
      ['/query/endsAfterAtMs', '/query/seriesId', '/query/eventId'],
    ],
    [
      'GET',
      '/api/venue_a/markets/?endsAfterAtMs=2000&endsBeforeAtMs=1000&series=a&seriesId=1',
      {},
      400,
      'invalid_request',
      ['/query/series', '/query/endsBeforeAtMs'],
    ],
    [
      'GET',
      '/api/venue_a/markets/?endsBeforeAtMs=999999999999999',
      {},
      400,
      'invalid_request',
      ['/query/endsBeforeAtMs'],
    ],
    [
      'GET',
      '/api/venue_a/markets/events?eventId=77',
      {},
      400,
      'invalid_request',
      ['/query/eventId'],
    ],
    ['GET', '/api/venue_a/markets/?tag=unknown', {}, 400, 'invalid_request', ['/query/tag']],
    [
      'PUT',
      '/api/agents/btc_5min/settings',
      { body: { leverage: 3 } },
      422,
      'unknown_setting',
      ['/leverage'],
    ],
    ['PUT', '/api/agents/btc_9min/settings', { body: {} }, 404, 'not_found', []],
    ['POST', '/api/agents/sol_15min/enable', {}, 409, 'agent_not_ready', ['/strategy']],
    [
      'PUT',
      '/api/user/profile',
      { body: { username: 'a' } },
      400,
      'invalid_request',
      ['/username'],
    ],
    [
      'PUT',
      '/api/user/profile',
      { body: { username: 'аdmin_x' } },
      400,
      'invalid_request',
      ['/username'],
    ],
    [
      'PUT',
      '/api/user/profile',
      { body: { username: 'ADM1N' } },
      409,
      'username_taken',
      ['/username'],
    ],
    [
      'POST',
      '/api/auth/otp/request',
      { body: { phone: '12345' } },
      400,
      'invalid_request',
      ['/phone'],
    ],
    ['GET', '/nowhere', {}, 404, 'not_found', []],
    ['PUT', '/api/venue_a/order/', { body: {} }, 405, 'method_not_allowed', []],
    ['GET', '/api/auth/refresh', {}, 405, 'method_not_allowed', []],
    ['PATCH', '/api/user/profile', { body: { username: 'ada' } }, 405, 'method_not_allowed', []],
    ['PATCH', '/nowhere', { body: {} }, 404, 'not_found', []],
  ])('%s %s is refused', async (method, path, options, status, code, paths) => {
    expect(await problem(method, path, options)).toEqual([status, code, paths]);
  });

  it.each([
    ['PATCH', '/api/user/profile', 'GET, PUT, DELETE, HEAD, OPTIONS'],
    ['PUT', '/api/venue_a/order/', 'POST, GET, DELETE, HEAD, OPTIONS'],
    ['HEAD', '/api/auth/refresh', 'POST, OPTIONS'],
  ])('%s %s names the methods that are taken, and is counted', async (method, path, allow) => {
    const { status, headers } = await api.request(method, path);
    expect([status, headers.get('allow'), headers.get('ratelimit-remaining')]).toEqual([
      405,
      allow,
      expect.any(String),
    ]);
  });

  it('an expiry in the past is refused with the time it is here, which in a sandbox is not the clock on the wall', async () => {
    const { body } = await api.request('POST', '/api/venue_a/order', {
      token: user.token,
      body: { ...ORDER, orderType: 'limit', price: '0.47', expiresAtMs: 1_700_000_000_000 },
    });
    expect(body.errors).toEqual([
      {
        path: '/expiresAtMs',
        message: `lies in the past: it is ${START_MS} now, in epoch milliseconds`,
      },
    ]);
  });

  it('a batch of too many questions to Solana is refused with how many it may hold', async () => {
    const body = Array.from({ length: 11 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'getSlot' }));
    const { status, body: answer } = await api.request('POST', '/api/web3/solana-rpc/', {
      token: user.token,
      body,
    });
    expect([status, answer.errors]).toEqual([
      400,
      [
        {
          path: '',
          message: 'a call of JSON-RPC 2.0 (jsonrpc, id, method, params), or 1 to 10 of them',
        },
      ],
    ]);
  });

  it("someone else's order is not found, and stays", async () => {
    const placed = await api.request('POST', '/api/venue_a/order', {
      token: user.token,
      body: ORDER,
    });
    const stranger = await api.signIn();
    const path = `/api/venue_a/order/${String(placed.body.id)}/`;
    expect([
      await problem('GET', path, { token: stranger.token }),
      await problem('DELETE', path, { token: stranger.token }),
    ]).toEqual([
      [404, 'not_found', []],
      [404, 'not_found', []],
    ]);
    expect((await api.request('GET', path, { token: user.token })).body.state).toBe('live');
  });

  it('a failure of our own says nothing of itself', async () => {
    const original = api.behaviour.place;
    api.behaviour.place = async () => {
      throw new Error('secret path /var/keys');
    };
    const reply = await api.request('POST', '/api/venue_a/order', {
      token: user.token,
      body: ORDER,
    });
    api.behaviour.place = original;
    expect([reply.status, reply.body.code, reply.text.includes('secret')]).toEqual([
      500,
      'internal',
      false,
    ]);
  });
});

describe('the HTTP manners', () => {
  it('gives HEAD the headers of GET without its body, and OPTIONS the methods without any CORS', async () => {
    const head = await api.request('HEAD', '/healthz');
    const get = await api.request('GET', '/healthz');
    const options = await api.request('OPTIONS', '/api/venue_a/order/', {
      headers: { origin: 'https://evil.example' },
    });
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([
      200,
      '',
      String(get.text.length),
    ]);
    expect([
      options.status,
      options.headers.get('allow'),
      options.headers.get('access-control-allow-origin'),
    ]).toEqual([204, 'POST, GET, DELETE, HEAD, OPTIONS', null]);
  });

  it('sends the security headers and a fresh request id with every answer', async () => {
    const [one, two] = [await api.request('GET', '/healthz'), await api.request('GET', '/nowhere')];
    for (const { headers } of [one, two]) {
      expect(
        [
          'x-content-type-options',
          'referrer-policy',
          'content-security-policy',
          'cache-control',
        ].map((name) => headers.get(name)),
      ).toEqual([
        'nosniff',
        'no-referrer',
        "default-src 'none'; frame-ancestors 'none'",
        'no-store',
      ]);
    }
    expect(one.headers.get('x-request-id')).not.toBe(two.headers.get('x-request-id'));
  });

  it('outlives a caller who leaves while the call runs', async () => {
    const original = api.behaviour.place;
    const started = signal();
    const finish = signal();
    api.behaviour.place = async (userId, request) => {
      started.send();
      await finish.sent;
      return original(userId, request);
    };
    const socket = connect(api.server.port, '127.0.0.1');
    const body = JSON.stringify(ORDER);
    socket.write(
      `POST /api/venue_a/order HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${user.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await started.sent;
    const before = api.placed.length;
    const gone = new Promise((resolve) => socket.on('close', resolve));
    socket.resetAndDestroy();
    await gone;
    expect((await api.request('GET', '/healthz')).status).toBe(200);
    finish.send();
    api.behaviour.place = original;
    expect([
      (await api.request('GET', '/healthz')).status,
      api.placed.length,
      api.errors.filter((event) => event === 'http.answer_failed'),
    ]).toEqual([200, before + 1, []]);
  });

  it('outlives a caller who leaves in the middle of a body', async () => {
    const socket = connect(api.server.port, '127.0.0.1');
    await new Promise<void>(
      (resolve) =>
        void socket.write(
          'POST /api/venue_a/order HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"a":',
          () => resolve(),
        ),
    );
    socket.resetAndDestroy();
    expect((await api.request('GET', '/healthz')).status).toBe(200);
  });
});
