import { describe, expect, it } from 'vitest';
import { routeTable } from '../../src/app/route-table.ts';
import { RESTORES } from '../../src/services/books/tables.ts';
import { MARKET_ID } from './samples.ts';
import { INTERNAL_SECRET, START_MS } from './api.ts';
import { useApi } from './use-api.ts';

const api = await useApi();
const user = await api.signIn();

const inside = { headers: { 'x-internal-secret': INTERNAL_SECRET } };

describe('stops of the operator', () => {
  it('L6: are set and lifted by services that know the secret alone', async () => {
    expect((await api.request('GET', '/internal/stop', inside)).body).toEqual({
      scope: 'all',
      stopped: false,
      reason: '',
      changedAtMs: null,
      policy: 'keep',
      cancelling: false,
    });
    expect(
      (await api.request('POST', '/internal/stop', { ...inside, body: { reason: ' alarm ' } }))
        .body,
    ).toEqual({
      scope: 'all',
      stopped: true,
      reason: 'alarm',
      changedAtMs: START_MS,
      policy: 'cancel_only',
      cancelling: false,
    });
    expect(
      (
        await api.request('POST', '/internal/stop', {
          ...inside,
          body: { reason: 'alarm', policy: 'keep' },
        })
      ).body,
    ).toMatchObject({ policy: 'keep' });
    expect(
      (
        await api.request('POST', '/internal/stop', {
          ...inside,
          body: { reason: 'alarm', policy: 'close' },
        })
      ).body,
    ).toMatchObject({ code: 'invalid_request', errors: [{ path: '/policy' }] });
    expect((await api.request('GET', '/internal/stop', inside)).body).toMatchObject({
      stopped: true,
      reason: 'alarm',
    });
    expect(
      (await api.request('POST', '/internal/resume', { ...inside, body: { reason: 'over' } })).body,
    ).toMatchObject({ stopped: false, reason: 'over' });
    for (const path of ['/internal/stop', '/internal/resume']) {
      expect(
        (await api.request('POST', path, { token: user.token, body: { reason: 'mine' } })).body,
      ).toMatchObject({ code: 'unauthenticated' });
    }
  });

  it('L6: stay after a restore until it is adopted, and the refusal says what to do', async () => {
    const put = (adoptedAtMs: number | null) =>
      api.store.write((tx) =>
        tx.put(RESTORES, ['newest'], { upToMs: 1, madeAtMs: 1, adoptedAtMs }),
      );
    const resume = (userId?: string) =>
      api.request('POST', '/internal/resume', { ...inside, body: { reason: 'over', userId } });
    const stop = { ...inside, body: { reason: 'restored' } };
    await api.request('POST', '/internal/stop', stop);
    await put(null);
    for (const { status, body } of [await resume(), await resume(user.userId)]) {
      expect([status, body.code]).toEqual([409, 'conflict']);
      expect(body.detail).toMatch(/run predictd adopt .* POST \/internal\/stop/);
    }
    expect((await api.request('GET', '/internal/stop', inside)).body.stopped).toBe(true);
    await put(2);
    expect((await resume()).body.stopped).toBe(false);
  });

  it('take no reason with control characters, nor does a user’s own stop', async () => {
    const body = { reason: 'al\u0000arm' };
    const { token } = user;
    const refused = { code: 'invalid_request', errors: [{ path: '/reason' }] };
    expect((await api.request('POST', '/internal/stop', { ...inside, body })).body).toMatchObject(
      refused,
    );
    expect((await api.request('POST', '/api/user/stop', { token, body })).body).toMatchObject(
      refused,
    );
  });

  it('L6: cover one user by id; another id is refused', async () => {
    expect(
      (
        await api.request('POST', '/internal/stop', {
          ...inside,
          body: { reason: 'lost phone', userId: user.userId },
        })
      ).body,
    ).toMatchObject({ scope: 'user', stopped: true });
    expect(
      (
        await api.request('POST', '/internal/stop', {
          ...inside,
          body: { reason: 'who', userId: `usr_${'Z'.repeat(26)}` },
        })
      ).body,
    ).toMatchObject({ code: 'not_found' });
    expect(
      (await api.request('POST', '/internal/stop', { ...inside, body: { userId: '' } })).body,
    ).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: '/reason' }, { path: '/userId' }],
    });
  });
});

describe('stops of a user', () => {
  it('L6: stop-all says of each agent what becomes of its orders and positions', async () => {
    await api.request('POST', '/api/agents/btc_5min/enable', { token: user.token });
    const answer = {
      data: [
        {
          agent: 'btc_5min',
          wasEnabled: true,
          onStop: 'close',
          orders: { open: 1, handling: 'cancelled' },
          positions: { open: 2, handling: 'sold' },
        },
      ],
      nextCursor: null,
    };
    expect((await api.request('POST', '/api/agents/stop-all', { token: user.token })).body).toEqual(
      answer,
    );
    expect(
      (await api.request('POST', '/api/agents/stop-all/', { token: user.token })).body,
    ).toMatchObject({ data: [{ wasEnabled: false }] });
  });

  it('a policy that does not exist, or another field, is refused with its path', async () => {
    const refused = async (body: unknown) =>
      (await api.request('POST', '/api/agents/btc_5min/enable', { token: user.token, body })).body;
    expect(await refused({ onStop: 'panic' })).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: '/onStop' }],
    });
    expect(await refused({ policy: 'close' })).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: '/policy' }],
    });
    expect(
      (
        await api.request('POST', '/api/agents/btc_5min/enable', {
          token: user.token,
          body: { onStop: 'keep' },
        })
      ).status,
    ).toBe(200);
  });

  it('an agent is enabled and stopped only by a user with a username', async () => {
    const stranger = await api.signIn({ username: null });
    for (const path of ['btc_5min/enable', 'stop-all'])
      expect(
        (await api.request('POST', `/api/agents/${path}`, { token: stranger.token })).body,
      ).toMatchObject({ status: 403, code: 'username_required' });
  });
});

describe('a stop that users set for themselves', () => {
  it('L6: is set, seen and lifted by them; a stop of the operator is shown beside it and is not theirs to lift', async () => {
    const { token, userId } = await api.signIn();
    const call = async (method: string, path: string, body?: unknown) =>
      (await api.request(method, path, { token, ...(body === undefined ? {} : { body }) })).body;
    expect(await call('GET', '/api/user/stop')).toEqual({
      stopped: false,
      policy: null,
      reason: null,
      changedAtMs: null,
      cancelling: false,
      openBuys: 0,
      operator: null,
    });
    expect(await call('POST', '/api/user/stop')).toEqual({
      stopped: true,
      policy: 'cancel_only',
      reason: null,
      changedAtMs: START_MS,
      cancelling: false,
      openBuys: 0,
      operator: null,
    });
    expect(
      await call('POST', '/api/user/stop', { policy: 'keep', reason: 'a break' }),
    ).toMatchObject({ policy: 'keep', reason: 'a break' });
    expect(await call('POST', '/api/user/stop', { policy: 'close' })).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: '/policy' }],
    });
    await api.request('POST', '/internal/stop', {
      ...inside,
      body: { reason: 'lost phone', userId },
    });
    const resumed = {
      stopped: false,
      policy: null,
      reason: null,
      changedAtMs: START_MS,
      cancelling: false,
      openBuys: 0,
      operator: { scope: 'user', reason: 'lost phone', changedAtMs: START_MS },
    };
    expect(await call('POST', '/api/user/resume')).toEqual(resumed);
    expect(await call('GET', '/api/user/stop')).toEqual(resumed);
  });

  it('says how many buys it found open', async () => {
    const { token } = await api.signIn();
    const order = { marketId: MARKET_ID, side: 'yes', amount: 5, orderType: 'limit', price: 0.4 };
    for (let made = 0; made < 2; made += 1)
      await api.request('POST', '/api/venue_a/order/', { token, body: order });
    expect((await api.request('POST', '/api/user/stop', { token })).body).toMatchObject({
      openBuys: 2,
    });
    await api.request('POST', '/api/user/resume', { token });
  });

  it('L6: may be set by a key that trades, and lifted only by a person', () => {
    const scopes = ['/api/user/stop', '/api/user/resume']
      .map((path) => routeTable.find((route) => route.method === 'POST' && route.path === path))
      .map((route) => [route?.scope, route?.budget]);
    expect(scopes).toEqual([
      ['trade', 'stops'],
      ['session', 'writes'],
    ]);
  });

  it('cancels all open orders of theirs, and of no other user, in one call', async () => {
    const [ada, bob] = [await api.signIn(), await api.signIn()];
    const order = { marketId: MARKET_ID, side: 'yes', amount: 5, orderType: 'limit', price: 0.4 };
    for (const { token } of [ada, ada, bob])
      await api.request('POST', '/api/venue_a/order/', { token, body: order });
    const outcomes = async (token: string) =>
      (
        (await api.request('DELETE', '/api/venue_a/order/', { token })).body['data'] as {
          outcome: string;
        }[]
      ).map(({ outcome }) => outcome);
    expect([
      await outcomes(ada.token),
      await outcomes(ada.token),
      await outcomes(bob.token),
    ]).toEqual([['cancelled', 'cancelled'], [], ['cancelled']]);
  });
});

describe('a user who is out of writes', () => {
  it('L6: can still cancel, disable, stop all agents and revoke a key, until out of stops as well', async () => {
    const { token } = await api.signIn();
    const call = (method: string, path: string, body?: unknown) =>
      api.request(method, path, { token, ...(body === undefined ? {} : { body }) });
    const { body: placed } = await call('POST', '/api/venue_a/order/', {
      marketId: MARKET_ID,
      side: 'yes',
      amount: 5,
      orderType: 'limit',
      price: 0.4,
    });
    const { body: key } = await call('POST', '/api/user/keys/', { name: 'a program' });
    for (let write = 0; write < 118; write += 1) await call('PUT', '/api/user/limits', {});
    expect((await call('PUT', '/api/user/limits', {})).body).toMatchObject({
      code: 'rate_limited',
      detail: '120 changes a minute, cancels and stops not counted, are allowed; wait 1 s',
    });
    const stops = [
      await call('DELETE', `/api/venue_a/order/${String(placed.id)}/`),
      await call('POST', '/api/agents/btc_5min/disable'),
      await call('POST', '/api/agents/stop-all'),
      await call('POST', `/api/user/keys/${String(key.keyId)}/revoke/`),
    ];
    expect(
      stops.map(({ status, headers }) => [
        status,
        headers.get('ratelimit-limit'),
        headers.get('ratelimit-remaining'),
      ]),
    ).toEqual([
      [200, '120', '119'],
      [200, '120', '118'],
      [200, '120', '117'],
      [200, '120', '116'],
    ]);
    for (let stop = 0; stop < 116; stop += 1) await call('POST', '/api/agents/stop-all');
    expect((await call('POST', '/api/agents/stop-all')).body).toMatchObject({
      code: 'rate_limited',
      detail: '120 cancels and stops a minute are allowed; wait 1 s',
    });
  });
});
