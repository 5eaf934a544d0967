import { describe, expect, it } from 'vitest';
import { SIGN_IN } from '../../config/limits.ts';
import { createFakePush } from '../support/fakes/fake-push.ts';
import { openSocket } from './live/socket-client.ts';
import { START_MS, type SignedInUser } from './api.ts';
import { useApi } from './use-api.ts';

const api = await useApi();
const user = await api.signIn();

const LIST = '/api/user/notifications/';
const SUBSCRIPTIONS = '/api/user/push/subscriptions';

/** Has a user notified twice: of a code asked for, and of another. */
async function notifyTwice(who: SignedInUser): Promise<void> {
  for (let each = 0; each < 2; each += 1) {
    await api.request('POST', '/api/web3/export-private-key/code', { token: who.token });
    await api.clock.advance(120_000);
  }
}

describe('the list of notifications', () => {
  it('begins empty, grows from the newest, is read page by page, and counts what is unread', async () => {
    const empty = await api.request('GET', LIST, { token: user.token });
    await notifyTwice(user);
    const first = await api.request('GET', `${LIST}?limit=1`, { token: user.token });
    const second = await api.request(
      'GET',
      `${LIST}?limit=1&cursor=${String(first.body['nextCursor'])}`,
      { token: user.token },
    );
    expect([empty.body, first.body, second.body]).toEqual([
      { data: [], nextCursor: null, unread: 0 },
      {
        data: [expect.objectContaining({ id: 'ntf_2', kind: 'key_export_asked', isRead: false })],
        nextCursor: expect.stringMatching(/\.2$/),
        unread: 2,
      },
      { data: [expect.objectContaining({ id: 'ntf_1' })], nextCursor: null, unread: 2 },
    ]);
  });

  it('is marked as read up to one, then all, never back, and the sockets of the user hear of it once', async () => {
    const socket = await openSocket(api.url, { authorization: `Bearer ${user.token}` });
    expect(await socket.next()).toEqual({
      op: 'authenticated',
      userId: user.userId,
      expiresAtMs: START_MS + SIGN_IN.accessTokenLifeMs,
    });
    socket.send({ op: 'subscribe', topics: ['notifications'] });
    expect([await socket.next(), await socket.next()]).toEqual([
      expect.anything(),
      expect.objectContaining({
        kind: 'snapshot',
        data: {
          unread: 2,
          notifications: [
            expect.objectContaining({ id: 'ntf_2' }),
            expect.objectContaining({ id: 'ntf_1' }),
          ],
        },
      }),
    ]);
    const read = async (body: unknown) =>
      (await api.request('POST', `${LIST}read`, { token: user.token, body })).body;
    expect([
      await read({ upTo: 'ntf_1' }),
      await read({ upTo: 'ntf_1' }),
      await read({}),
      await read({ upTo: 'ntf_1' }),
      await read({ upTo: 'ntf_99' }),
    ]).toEqual([{ unread: 1 }, { unread: 1 }, { unread: 0 }, { unread: 0 }, { unread: 0 }]);
    expect([await socket.next(), await socket.next()]).toEqual([
      expect.objectContaining({
        kind: 'change',
        seq: 1,
        data: { event: 'notifications.read', upTo: 'ntf_1', unread: 1 },
      }),
      expect.objectContaining({
        kind: 'change',
        seq: 2,
        data: { event: 'notifications.read', upTo: 'ntf_2', unread: 0 },
      }),
    ]);
    socket.send({ op: 'ping' });
    expect(await socket.next()).toMatchObject({ op: 'pong' });
    socket.close();
  });

  it.each([
    ['?cursor=0'],
    ['?cursor=-1'],
    ['?cursor=1e3'],
    ['?cursor=99999999999999999999'],
    ['?limit=0'],
    ['?limit=201'],
    ['?unread=true'],
  ])('refuses %s', async (query) => {
    expect(await api.request('GET', `${LIST}${query}`, { token: user.token })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  });

  it.each([
    [{ upTo: 'ntf_0' }],
    [{ upTo: '1' }],
    [{ upTo: 1 }],
    [{ upTo: 'ntf_1', all: true }],
    [[]],
  ])('refuses to mark %j as read', async (body) => {
    expect(await api.request('POST', `${LIST}read`, { token: user.token, body })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  });
});

describe("a user's browsers", () => {
  it('are subscribed with the key of the service, listed without their endpoint, and let go', async () => {
    const key = await api.request('GET', '/api/user/push/vapid-key', { token: user.token });
    const browser = createFakePush().subscribe();
    const made = await api.request('POST', SUBSCRIPTIONS, {
      token: user.token,
      body: { ...browser, expirationTime: null },
    });
    const listed = await api.request('GET', SUBSCRIPTIONS, { token: user.token });
    const id = String(made.body['id']);
    const stranger = await api.signIn();
    const foreign = await api.request('DELETE', `${SUBSCRIPTIONS}/${id}`, {
      token: stranger.token,
    });
    const gone = await api.request('DELETE', `${SUBSCRIPTIONS}/${id}/`, { token: user.token });
    const left = await api.request('GET', SUBSCRIPTIONS, { token: user.token });
    expect([
      key.body,
      made.status,
      made.body,
      listed.body,
      foreign.status,
      gone.status,
      left.body,
    ]).toEqual([
      { publicKey: expect.stringMatching(/^[\w-]{87}$/) },
      201,
      { id: expect.stringMatching(/^sub_/), host: 'push.example', createdAtMs: expect.any(Number) },
      { data: [made.body], nextCursor: null },
      404,
      204,
      { data: [], nextCursor: null },
    ]);
    expect(listed.text).not.toContain(browser.endpoint);
  });

  it.each<
    [
      string,
      (browser: { endpoint: string; keys: { p256dh: string; auth: string } }) => unknown,
      string,
    ]
  >([
    [
      'an endpoint that is no push service',
      (browser) => ({ ...browser, endpoint: 'https://169.254.169.254/latest' }),
      '/endpoint',
    ],
    [
      'an endpoint of a megabyte',
      (browser) => ({ ...browser, endpoint: `https://push.example/${'x'.repeat(2_000)}` }),
      '/endpoint',
    ],
    [
      'a short secret',
      ({ endpoint, keys }) => ({ endpoint, keys: { ...keys, auth: 'AA' } }),
      '/keys/auth',
    ],
    [
      'a key that is missing',
      ({ endpoint, keys }) => ({ endpoint, keys: { auth: keys.auth } }),
      '/keys/p256dh',
    ],
    ['a field too many', (browser) => ({ ...browser, userId: 'usr_other' }), '/userId'],
  ])('with %s are refused with its path', async (_what, change, path) => {
    const { status, body } = await api.request('POST', SUBSCRIPTIONS, {
      token: user.token,
      body: change(createFakePush().subscribe()),
    });
    expect([status, (body['errors'] as { path: string }[]).map((error) => error.path)]).toEqual([
      400,
      [path],
    ]);
  });

  it('of orders placed manually are on, and turned off and on', async () => {
    const call = async (method: string, body?: unknown) =>
      (
        await api.request(method, '/api/user/notifications/settings', {
          token: user.token,
          ...(body === undefined ? {} : { body }),
        })
      ).body;
    expect([
      await call('GET'),
      await call('PUT', { notifyOnManualTrade: false }),
      await call('GET'),
      await call('PUT', { notifyOnManualTrade: true }),
    ]).toEqual([true, false, false, true].map((notifyOnManualTrade) => ({ notifyOnManualTrade })));
    expect(await call('PUT', {})).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: '/notifyOnManualTrade' }],
    });
  });
});
