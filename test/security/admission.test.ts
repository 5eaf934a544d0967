import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ADMISSION } from '../../config/limits/admission.ts';
import { API } from '../../config/limits/api.ts';
import {
  createAdmission,
  kindOf,
  laneOf,
  shedReason,
  type ApiLoad,
  type BodyClass,
  type CallKind,
} from '../../src/http/admission.ts';
import { processLoop, type Lane } from '../../src/http/call-queue.ts';
import { routeTable } from '../../src/app/route-table.ts';
import { MARKET_ID } from '../http/samples.ts';
import { INTERNAL_SECRET, startApi, type SignedInUser, type TestApi } from '../http/api.ts';
import { eventually } from '../support/eventually.ts';
import { ask } from './ask.ts';

const SIGN_IN = '/api/auth/otp/request';
const ORDERS = '/api/venue_a/order/';
const BODIES = ADMISSION.bodiesMaximum;
const IDLE: ApiLoad = { running: 0, bodies: 0, bodiesOfSender: 0 };

describe('what is refused before it is read', () => {
  it.each<[string, CallKind, BodyClass, Partial<ApiLoad>, unknown]>([
    ['nothing while the service is idle', 'read', 'strangers', {}, null],
    ['never what keeps the service in order', 'critical', 'strangers', { running: 10_000 }, null],
    [
      'one read too many',
      'read',
      'strangers',
      { running: ADMISSION.readsMaximum },
      'too_many_running',
    ],
    [
      'one order too many',
      'trade',
      'users',
      { running: ADMISSION.tradesMaximum },
      'too_many_running',
    ],
    [
      'a body where many are on their way',
      'trade',
      'users',
      { bodies: BODIES.users.all },
      'too_many_bodies',
    ],
    [
      'a body of an address that sends many',
      'critical',
      'strangers',
      { bodiesOfSender: BODIES.strangers.perShare },
      'too_many_bodies_of_address',
    ],
    [
      'a body of a user who sends many',
      'trade',
      'users',
      { bodiesOfSender: BODIES.users.perShare },
      'too_many_bodies_of_user',
    ],
  ])('%s', (_what, kind, of, load, reason) => {
    expect(shedReason(kind, of, { ...IDLE, ...load })).toBe(reason);
  });

  it('no stop of a known user for the bodies of others, however many there are', () => {
    const admission = createAdmission();
    for (let count = 0; count < BODIES.strangers.all; count += 1)
      admission.bodyBegins({ of: 'strangers', share: `10.0.0.${count % 16}` }, 1);
    for (let count = 0; count < BODIES.users.all; count += 1)
      admission.bodyBegins({ of: 'users', share: `usr_${count % 16}` }, 1);
    expect(
      (['strangers', 'users', 'stops'] as const).map((of) =>
        admission.refusal('trade', { of, share: 'usr_0' }),
      ),
    ).toEqual(['too_many_bodies', 'too_many_bodies', null]);
  });

  it('counts what runs, and forgets what has ended', () => {
    const admission = createAdmission();
    const ends = Array.from({ length: ADMISSION.readsMaximum }, () => admission.callBegins('read'));
    expect([admission.refusal('read', null), admission.refusal('trade', null)]).toEqual([
      'too_many_running',
      null,
    ]);
    ends[0]?.();
    expect(admission.refusal('read', null)).toBeNull();
  });

  it.each<[CallKind, boolean, boolean, Lane]>([
    ['trade', true, false, 'trades'],
    ['read', true, false, 'users'],
    ['sign_in', true, false, 'users'],
    ['critical', true, false, 'users'],
    // an order of an unknown caller gets no precedence: anybody can send one
    ['trade', false, false, 'strangers'],
    ['read', false, false, 'strangers'],
    ['critical', false, false, 'strangers'],
    ['trade', true, true, 'suspects'],
    ['read', true, true, 'suspects'],
    ['read', false, true, 'suspects'],
  ])(
    'has a call of kind %s (known: %s, over budget: %s) wait among %s',
    (kind, isKnown, isSpent, lane) => {
      expect(laneOf(kind, { isKnown, isSpent })).toBe(lane);
    },
  );

  it('takes every row for one of four, money and stops for those that go last', () => {
    const kinds = new Map(
      routeTable.map((route) => [`${route.method} ${route.path}`, kindOf(route)]),
    );
    expect(
      routeTable.filter(({ movesMoney }) => movesMoney).map((route) => kindOf(route)),
    ).not.toContain('read');
    expect(
      [
        'GET /healthz',
        'POST /internal/stop',
        'DELETE /api/venue_a/order/:id/',
        'POST /api/agents/stop-all',
        'POST /api/auth/otp/request',
        'POST /api/auth/refresh',
        'GET /api/venue_a/holding/',
        'GET /openapi.json',
      ].map((name) => kinds.get(name)),
    ).toEqual(['critical', 'critical', 'trade', 'trade', 'sign_in', 'sign_in', 'read', 'read']);
    expect(kindOf(null)).toBe('read');
  });
});

describe('the API when too much is under way', () => {
  /** The time between two looks at the loop's clock. */
  const busy = { nowMs: 0, lateMs: 0 };
  const sockets: Socket[] = [];
  let api: TestApi;
  let user: SignedInUser;
  beforeAll(async () => {
    api = await startApi({
      loop: { ...processLoop, nowMs: () => (busy.nowMs += busy.lateMs) },
    });
    user = await api.signIn();
  });
  afterEach(() => {
    busy.lateMs = 0;
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  afterAll(() => api.close());

  const order = () =>
    api.request('POST', '/api/venue_a/order/', {
      token: user.token,
      body: { marketId: MARKET_ID, side: 'yes', amount: 5, orderType: 'market' },
    });

  it('refuses reads that waited too long and says when to come back, while orders go through', async () => {
    busy.lateMs = ADMISSION.waitMaximumMs + 1;
    const [read, stranger, nowhere, placed, cancelled] = [
      await api.request('GET', '/api/venue_a/holding/', { token: user.token }),
      await api.request('GET', '/openapi.json'),
      await api.request('GET', '/nowhere'),
      await order(),
      await api.request('DELETE', '/api/venue_a/order/int_00000000000000000000000009/', {
        token: user.token,
      }),
    ];
    expect(
      [read, stranger, nowhere].map(({ status, body, headers }) => [
        status,
        body.code,
        headers.get('retry-after'),
        headers.get('ratelimit-remaining'),
      ]),
    ).toEqual(Array.from({ length: 3 }, () => [503, 'overloaded', '1', null]));
    expect([
      placed.status,
      cancelled.status,
      (await api.request('GET', '/healthz')).status,
    ]).toEqual([201, 404, 200]);
  });

  it('writes no line for what anybody can have refused without end', async () => {
    api.readiness.value = {
      ready: false,
      checks: [{ name: 'store', ok: false, detail: 'stopped' }],
    };
    expect([(await api.request('GET', '/readyz')).status, api.errors]).toEqual([503, []]);
    api.readiness.value = { ready: true, checks: [] };
  });

  it('L6: takes a stop of the operator however busy it is', async () => {
    busy.lateMs = 10_000;
    const stop = await api.request('POST', '/internal/stop', {
      headers: { 'x-internal-secret': INTERNAL_SECRET },
      body: { reason: 'flood' },
    });
    expect([stop.status, stop.body.stopped]).toEqual([200, true]);
  });

  describe('where one address begins as many bodies as it may and ends none', () => {
    /** Sends to a path from an address, with a token where one is given. */
    const post = (path: string, { token, from }: { token?: string; from?: string } = {}) =>
      ask({
        port: api.server.port,
        method: 'POST',
        path,
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: '{}',
        from: from ?? '127.0.0.1',
      });
    const statusOf = async (...asked: Parameters<typeof post>) => (await post(...asked)).status;
    const fill = async () => {
      for (let count = 0; count < BODIES.strangers.perShare; count += 1) {
        const socket = connect(api.server.port, '127.0.0.1');
        socket.on('error', () => undefined);
        socket.write(
          'POST /api/auth/otp/request HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\nContent-Type: application/json\r\n\r\n{"phone"',
        );
        sockets.push(socket);
      }
      await eventually(async () => expect(await statusOf(SIGN_IN)).toBe(503));
    };

    it('refuses more of it; other addresses, and the operator, are served', async () => {
      await fill();
      const own = await post(SIGN_IN);
      const resume = (secret: string) =>
        api.request('POST', '/internal/resume', {
          headers: { 'x-internal-secret': secret },
          body: { reason: 'over' },
        });
      expect([
        own.status,
        JSON.parse(own.text).code,
        own.headers['retry-after'],
        await statusOf(SIGN_IN, { from: '127.0.0.2' }),
        (await resume(INTERNAL_SECRET)).status,
        (await resume('wrong')).status,
      ]).toEqual([503, 'overloaded', '1', 400, 200, 503]);
      sockets.pop()?.destroy();
      await eventually(async () => expect(await statusOf(SIGN_IN)).toBe(400));
    });

    it('L6: takes the orders and stops of known users behind it; no forged token is one', async () => {
      await fill();
      const { token } = user;
      const forged = `${token.slice(0, -8)}AAAAAAAA`;
      expect([
        await statusOf(ORDERS, { token }),
        await statusOf('/api/user/stop', { token }),
        await statusOf('/api/agents/stop-all', { token }),
        await statusOf(ORDERS, { token: forged }),
        await statusOf('/api/user/stop', { token: forged }),
        await statusOf('/api/user/stop'),
      ]).toEqual([400, 200, 200, 503, 401, 401]);
    });

    it('L6: takes the stop of a user whose token has not been seen since the start', async () => {
      await fill();
      // the last character of a signature has bits that say nothing: another text, as good
      const last = user.token.slice(-1);
      const unseen = `${user.token.slice(0, -1)}${String.fromCodePoint((last.codePointAt(0) ?? 0) + 1)}`;
      expect([
        await statusOf(ORDERS, { token: unseen }),
        await statusOf('/api/user/stop', { token: unseen }),
        await statusOf(ORDERS, { token: unseen }),
      ]).toEqual([503, 200, 400]);
    });

    it('cuts them when they are not whole in time, however steadily they come, and has room again', async () => {
      await fill();
      const closed = sockets.map((socket) => once(socket, 'close'));
      for (let asked = 0; asked < 3; asked += 1) {
        await api.clock.advance(API.bodyMs / 4);
        for (const socket of sockets) socket.write('a');
        expect(await statusOf(SIGN_IN)).toBe(503);
      }
      await api.clock.advance(API.bodyMs / 4);
      await Promise.all(closed);
      expect(await statusOf(SIGN_IN)).toBe(400);
    });
  });
});
