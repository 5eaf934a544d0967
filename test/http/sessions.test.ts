import { describe, expect, it } from 'vitest';
import { useApi } from './use-api.ts';

const api = await useApi();
const PHONE = '+12025550188';

/** Waits for the next code of a phone to be allowed, and signs in with it. */
async function signIn() {
  await api.clock.advance(4 * 60_000);
  return api.signIn({ phone: PHONE, username: null });
}

describe('sessions', () => {
  it('are listed for their user without a token, and end one by one or all but one', async () => {
    const [first, second, third] = [await signIn(), await signIn(), await signIn()];
    const stranger = await api.signIn();
    const list = async (token: string) =>
      (await api.request('GET', '/api/auth/sessions/', { token })).body.data as {
        readonly sessionId: string;
        readonly isCurrent: boolean;
        readonly beganAtMs: number;
      }[];
    const profile = async (token: string) =>
      (await api.request('GET', '/api/user/profile', { token })).status;
    const listed = await list(third.token);
    expect(listed.map(({ isCurrent }) => isCurrent)).toEqual([true, false, false]);
    expect(Object.keys(listed[0] ?? {}).sort()).toEqual([
      'beganAtMs',
      'expiresAtMs',
      'isCurrent',
      'method',
      'program',
      'sessionId',
      'usedAtMs',
    ]);
    const oldest = listed[2]?.sessionId ?? '';
    const end = (token: string) =>
      api.request('DELETE', `/api/auth/sessions/${oldest}/`, { token });
    expect([
      (await end(stranger.token)).status,
      (await end(third.token)).status,
      (await end(third.token)).status,
      await profile(second.token),
    ]).toEqual([404, 204, 404, 200]);
    const others = await api.request('DELETE', '/api/auth/sessions/', { token: third.token });
    expect([
      others.body,
      await profile(first.token),
      await profile(second.token),
      await profile(third.token),
      await profile(stranger.token),
      (await list(third.token)).length,
    ]).toEqual([{ ended: 1 }, 401, 401, 200, 200, 1]);
  });
});

describe('refused transfers', () => {
  it('use up no codes: a code for another purpose is sent after 30 of them', async () => {
    const user = await api.signIn();
    const refusals: unknown[] = [];
    for (let count = 0; count < 30; count += 1)
      refusals.push(
        (
          await api.request('POST', '/api/web3/transfer/code', {
            token: user.token,
            body: { chain: 'solana', token: 'USDC', amount: '25', to: 'not an address' },
          })
        ).body.code,
      );
    await api.clock.advance(10 * 60_000);
    const code = await api.request('POST', '/api/web3/export-private-key/code', {
      token: user.token,
    });
    expect([new Set(refusals).has('rate_limited'), code.status]).toEqual([false, 200]);
  });
});

describe('a username', () => {
  it.each(['__proto__', 'constructor', '__PROTO__', 'prototype'])(
    'is never %s, which every object of JavaScript has',
    async (username) => {
      const { token } = await api.signIn();
      const { status, body } = await api.request('PUT', '/api/user/profile', {
        token,
        body: { username },
      });
      expect([status, body.code]).toEqual([409, 'username_taken']);
    },
  );
});
