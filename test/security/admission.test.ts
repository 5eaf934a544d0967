import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ADMISSION } from '../../config/limits/admission.ts';
import { createAdmission, kindOf, shedReason } from '../../src/http/admission.ts';
import type { CallKind, ApiLoad } from '../../src/http/admission.ts';
import { createLoopTurns } from '../../src/http/loop-turns.ts';
import { routeTable } from '../../src/app/route-table.ts';
import { MARKET_ID } from '../http/samples.ts';
import { INTERNAL_SECRET, startApi } from '../http/api.ts';
import type { SignedInUser, TestApi } from '../http/api.ts';
import { eventually } from '../support/eventually.ts';
import { ask } from './ask.ts';

const IDLE: ApiLoad = { turnMs: 0, turnTrades: 0, running: 0, bodies: 0, bodiesOfAddress: 0 };

describe('what is refused before it is looked at', () => {
  it.each<[string, CallKind, Partial<ApiLoad>, unknown]>([
    ['nothing while the service is idle', 'read', {}, null],
    ['reading in a turn that is full', 'read', { turnMs: ADMISSION.readTurnMs }, 'busy_turn'],
    ['signing in in a turn that is full', 'sign_in', { turnMs: ADMISSION.readTurnMs }, 'busy_turn'],
    ['no order in that turn, however long it is', 'trade', { turnMs: 10_000 }, null],
    [
      'an order in a turn that is a flood of them',
      'trade',
      { turnTrades: ADMISSION.tradesPerTurnMaximum },
      'busy_turn',
    ],
    [
      'never what keeps the service in order',
      'critical',
      { turnMs: 10_000, turnTrades: 10_000, running: 10_000 },
      null,
    ],
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
    const admission = createAdmission({ arrived: () => ({ number: 1, workedMs: 0 }) });
    const ends = Array.from({ length: ADMISSION.readsMaximum }, () => admission.callBegins('read'));
    expect([admission.refusal('read', false, 'a'), admission.refusal('trade', false, 'a')]).toEqual(
      ['too_many_running', null],
    );
    ends[0]?.();
    expect(admission.refusal('read', false, 'a')).toBeNull();
  });

  it('begins so many changes in a turn, and again in the next', () => {
    const turn = { number: 1, workedMs: 0 };
    const admission = createAdmission({ arrived: () => turn });
    const reasons = Array.from({ length: ADMISSION.tradesPerTurnMaximum + 1 }, () =>
      admission.refusal('trade', false, 'a'),
    );
    expect([reasons.filter((reason) => reason !== null), reasons.at(-1)]).toEqual([
      ['busy_turn'],
      'busy_turn',
    ]);
    turn.number = 2;
    expect(admission.refusal('trade', false, 'a')).toBeNull();
  });

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

describe('a turn of the event loop', () => {
  it('begins anew when the loop has come round', async () => {
    const moments = [0, 0.5, 1.25, 100, 100.5, 200];
    const turns = createLoopTurns(() => moments.shift() ?? 0);
    const first = Array.from({ length: 4 }, () => turns.arrived());
    await new Promise((resolve) => setImmediate(resolve));
    // what lay between the third and the fourth was not theirs
    expect(first).toEqual([
      { number: 1, workedMs: 0 },
      { number: 1, workedMs: 0.5 },
      { number: 1, workedMs: 1.25 },
      { number: 1, workedMs: 3.25 },
    ]);
    expect([turns.arrived(), turns.arrived()]).toEqual([
      { number: 2, workedMs: 0 },
      { number: 2, workedMs: 2 },
    ]);
  });
});

describe('the API when too much is under way', () => {
  const busy = { turn: 0, turnMs: 0 };
  const sockets: Socket[] = [];
  let api: TestApi;
  let user: SignedInUser;
  beforeAll(async () => {
    api = await startApi({
      turns: { arrived: () => ({ number: (busy.turn += 1), workedMs: busy.turnMs }) },
    });
    user = await api.signIn();
  });
  afterEach(() => {
    busy.turnMs = 0;
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  afterAll(() => api.close());

  const order = () =>
    api.request('POST', '/api/venue_a/order/', {
      token: user.token,
      body: { marketId: MARKET_ID, side: 'yes', amount: 5, orderType: 'market' },
    });

  it('refuses reads at once and says when to come back, while orders go through', async () => {
    busy.turnMs = ADMISSION.readTurnMs;
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
    busy.turnMs = 10_000;
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
