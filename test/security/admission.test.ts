import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ADMISSION } from '../../config/limits/admission.ts';
import {
  createAdmission,
  kindOf,
  laneOf,
  shedReason,
  type CallKind,
  type ApiLoad,
} from '../../src/http/admission.ts';
import { processLoop, type Lane } from '../../src/http/call-queue.ts';
import { routeTable } from '../../src/app/route-table.ts';
import { MARKET_ID } from '../http/samples.ts';
import { INTERNAL_SECRET, startApi, type SignedInUser, type TestApi } from '../http/api.ts';
import { eventually } from '../support/eventually.ts';
import { ask } from './ask.ts';

const IDLE: ApiLoad = { running: 0, bodies: 0, bodiesOfAddress: 0 };

describe('what is refused before it is looked at', () => {
  it.each<[string, CallKind, Partial<ApiLoad>, unknown]>([
    ['nothing while the service is idle', 'read', {}, null],
    ['never what keeps the service in order', 'critical', { running: 10_000 }, null],
    ['one read too many', 'read', { running: ADMISSION.readsMaximum }, 'too_many_running'],
    ['one order too many', 'trade', { running: ADMISSION.tradesMaximum }, 'too_many_running'],
    [
      'a body where many are on their way',
      'trade',
      { bodies: ADMISSION.bodiesMaximum },
      'too_many_bodies',
    ],
    [
      'a body of an address that sends many',
      'critical',
      { bodiesOfAddress: ADMISSION.bodiesPerAddressMaximum },
      'too_many_bodies_of_address',
    ],
  ])('%s', (_what, kind, load, reason) => {
    expect(shedReason(kind, true, { ...IDLE, ...load })).toBe(reason);
  });

  it('counts what runs, and forgets what has ended', () => {
    const admission = createAdmission();
    const ends = Array.from({ length: ADMISSION.readsMaximum }, () => admission.callBegins('read'));
    expect([admission.refusal('read', false, 'a'), admission.refusal('trade', false, 'a')]).toEqual(
      ['too_many_running', null],
    );
    ends[0]?.();
    expect(admission.refusal('read', false, 'a')).toBeNull();
  });

  it.each<[CallKind, boolean, boolean, Lane]>([
    ['trade', true, false, 'trades'],
    ['read', true, false, 'users'],
    ['sign_in', true, false, 'users'],
    ['critical', true, false, 'users'],
    // an order of somebody unknown gets no precedence: anybody can send one
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

  it('refuses further bodies of an address that begins many and ends none; another address is served', async () => {
    for (let count = 0; count < ADMISSION.bodiesPerAddressMaximum; count += 1) {
      const socket = connect(api.server.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(
        'POST /api/auth/otp/request HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\nContent-Type: application/json\r\n\r\n{"phone"',
      );
      sockets.push(socket);
    }
    const from = (address: string) =>
      ask({
        port: api.server.port,
        method: 'POST',
        path: '/api/venue_a/order/',
        headers: { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' },
        body: '{}',
        from: address,
      });
    await eventually(async () => expect((await from('127.0.0.1')).status).toBe(503));
    const stop = await api.request('POST', '/internal/resume', {
      headers: { 'x-internal-secret': INTERNAL_SECRET },
      body: { reason: 'over' },
    });
    const stranger = await api.request('POST', '/internal/resume', {
      headers: { 'x-internal-secret': 'wrong' },
      body: { reason: 'over' },
    });
    expect([stop.status, stranger.status]).toEqual([200, 503]);
    const [own, other] = [await from('127.0.0.1'), await from('127.0.0.2')];
    expect([
      own.status,
      JSON.parse(own.text).code,
      own.headers['retry-after'],
      other.status,
    ]).toEqual([503, 'overloaded', '1', 400]);
    sockets.pop()?.destroy();
    await eventually(async () => expect((await from('127.0.0.1')).status).toBe(400));
  });
});
