import { describe, expect, it } from 'vitest';
import { SIGN_IN } from '../../config/limits.ts';
import { openSocket } from './live/socket-client.ts';
import { INTERNAL_SECRET, START_MS } from './api.ts';
import { useApi } from './use-api.ts';

const PATH = '/api/web3/export-private-key';
const api = await useApi();
const user = await api.signIn();

describe('exporting a private key over HTTP', () => {
  it("gives it once for the code on the phone, uncached, and announces both steps to the user's sockets", async () => {
    const socket = await openSocket(api.url, { authorization: `Bearer ${user.token}` });
    expect(await socket.next()).toEqual({
      op: 'authenticated',
      userId: user.userId,
      expiresAtMs: START_MS + SIGN_IN.accessTokenLifeMs,
    });
    socket.send({ op: 'subscribe', topics: ['notifications'] });
    expect([await socket.next(), await socket.next()]).toEqual([
      expect.anything(),
      expect.objectContaining({ topic: 'notifications', kind: 'snapshot' }),
    ]);

    const asked = await api.request('POST', `${PATH}/code/`, { token: user.token });
    expect(asked).toMatchObject({
      status: 200,
      body: { challengeId: expect.stringMatching(/^otp_/) },
    });
    const headers = {
      'x-challenge-id': String(asked.body['challengeId']),
      'x-one-time-code': api.codes.at(-1)?.code ?? '',
    };
    const given = await api.request('GET', PATH, { token: user.token, headers });
    const { evm } = api.services.accounts.profile(user.userId).wallets;
    expect([given.status, given.headers.get('cache-control'), given.body]).toEqual([
      200,
      'no-store',
      { wallet: 'evm', address: evm, privateKey: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    ]);
    const again = await api.request('GET', `${PATH}/`, { token: user.token, headers });
    expect([again.status, again.body['code']]).toEqual([410, 'code_expired']);

    expect([await socket.next(), await socket.next()]).toEqual([
      expect.objectContaining({
        topic: 'notifications',
        seq: 1,
        data: {
          event: 'notification.made',
          unread: 1,
          notification: expect.objectContaining({
            id: 'ntf_1',
            kind: 'key_export_asked',
            about: { phone: expect.stringContaining('••••') },
          }),
        },
      }),
      expect.objectContaining({
        topic: 'notifications',
        seq: 2,
        data: {
          event: 'notification.made',
          unread: 2,
          notification: expect.objectContaining({
            id: 'ntf_2',
            kind: 'key_exported',
            about: { wallet: 'evm', address: evm },
          }),
        },
      }),
    ]);
    socket.close();
  });

  it.each([
    ['no sign-in', {}, 401, 'unauthenticated'],
    ['no code', { headers: {} }, 403, 'code_required'],
    [
      'a code in another form',
      { headers: { 'x-challenge-id': `otp_${'a'.repeat(26)}`, 'x-one-time-code': '12 456' } },
      403,
      'code_required',
    ],
    [
      'a challenge that never was',
      { headers: { 'x-challenge-id': `otp_${'a'.repeat(26)}`, 'x-one-time-code': '123456' } },
      410,
      'code_expired',
    ],
  ])('refuses %s', async (_what, options, status, code) => {
    const answer = await api.request(
      'GET',
      PATH,
      code === 'unauthenticated' ? options : { token: user.token, ...options },
    );
    expect([answer.status, answer.body['code']]).toEqual([status, code]);
  });

  it('points at the header that holds a wrong code', async () => {
    const other = await api.signIn();
    const { body } = await api.request('POST', `${PATH}/code`, { token: other.token });
    const wrong = api.codes.at(-1)?.code === '000000' ? '000001' : '000000';
    const refused = await api.request('GET', PATH, {
      token: other.token,
      headers: { 'x-challenge-id': String(body['challengeId']), 'x-one-time-code': wrong },
    });
    expect(refused.body).toMatchObject({
      code: 'code_invalid',
      errors: [{ path: '/header/x-one-time-code' }],
    });
  });

  it('takes no code in the address', async () => {
    expect(await api.request('GET', `${PATH}?code=123456`, { token: user.token })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  });

  it('is closed to API keys that may do everything', async () => {
    const made = await api.request('POST', '/api/user/keys/', {
      token: user.token,
      body: { name: 'all of it', scopes: ['read', 'trade'] },
    });
    const traded = await api.request('POST', '/internal/api-keys/exchange', {
      headers: { 'x-internal-secret': INTERNAL_SECRET },
      body: { key: made.body['key'] },
    });
    const token = String(traded.body['accessToken']);
    const answers = [
      await api.request('GET', PATH, { token }),
      await api.request('POST', `${PATH}/code`, { token }),
    ];
    expect(answers.map(({ status, body }) => [status, body['code']])).toEqual([
      [403, 'forbidden'],
      [403, 'forbidden'],
    ]);
  });
});
