import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TOKENS } from '../../config/limits/identity.ts';
import { SIGN_IN } from '../../config/limits.ts';
import { startApi, type Reply, type TestApi } from './api.ts';

const ANA = { subject: '100000000000000000001', email: 'ana@example.org' };
let api: TestApi;
beforeEach(async () => {
  api = await startApi();
});
afterEach(() => api.close());

const post = (path: string, body?: unknown, token?: string): Promise<Reply> =>
  api.request('POST', path, {
    ...(body === undefined ? {} : { body }),
    ...(token === undefined ? {} : { token }),
  });

async function google(person = ANA): Promise<{ visit: unknown; returnedTo: string }> {
  const { body } = await post('/api/auth/google');
  return { visit: body.visit, returnedTo: api.google.visit(String(body.url), person) };
}

async function social(fid = 77): Promise<Record<string, unknown>> {
  const { body } = await post('/api/auth/social');
  const signed = await api.social.sign(fid, {
    domain: String(body.domain),
    uri: String(body.uri),
    nonce: String(body.nonce),
  });
  return { visit: body.visit, ...signed };
}

describe('signing in by another identity provider over HTTP', () => {
  it('goes from Google to a username to everything else', async () => {
    const begun = await post('/api/auth/google');
    expect([begun.status, begun.body]).toEqual([
      200,
      {
        visit: expect.stringMatching(/^vis_[\w-]{43}$/),
        url: expect.stringMatching(/^https:\/\//),
        state: expect.stringMatching(/^[\w-]{43}$/),
        expiresAtMs: expect.any(Number),
      },
    ]);
    const done = await post('/api/auth/google/finish', {
      visit: begun.body.visit,
      returnedTo: api.google.visit(String(begun.body.url), ANA),
    });
    expect([done.status, done.body]).toMatchObject([
      200,
      {
        tokenType: 'Bearer',
        user: {
          phone: null,
          username: null,
          identities: [{ provider: 'google', shown: 'a•••@example.org' }],
          wallets: { evm: expect.stringMatching(/^0x/) },
        },
      },
    ]);
    const token = String(done.body.accessToken);
    const early = await api.request('GET', '/api/agents/', { token });
    await api.request('PUT', '/api/user/profile', { token, body: { username: 'ana' } });
    expect([early.body.code, (await api.request('GET', '/api/agents/', { token })).status]).toEqual(
      ['username_required', 200],
    );
  });

  it('signs in by the message that was asked for, and by no other', async () => {
    const message = await social();
    const foreign = await api.social.sign(77, {
      domain: 'evil.example',
      uri: 'https://evil.example',
      nonce: 'k3j4h5g6f7d8s9a0q',
    });
    const [right, again] = [
      await post('/api/auth/social/finish', message),
      await post('/api/auth/social/finish', message),
    ];
    const { body } = await post('/api/auth/social');
    const wrong = await post('/api/auth/social/finish', { visit: body.visit, ...foreign });
    expect([
      right.status,
      right.body.user,
      again.status,
      again.body.code,
      wrong.status,
      wrong.body.code,
    ]).toEqual([
      200,
      expect.objectContaining({ identities: [{ provider: 'siwf', shown: 'fid 77' }] }),
      410,
      'code_expired',
      401,
      'sign_in_refused',
    ]);
  });

  it('signs in by what a phone signed over the relay, and says when that is over', async () => {
    const opened = await post('/api/auth/social/channel');
    const { visit, link } = opened.body;
    const status = (): Promise<Reply> => post('/api/auth/social/channel/status', { visit });
    const before = await status();
    await api.social.relay.approve(String(link), 77);
    await api.clock.advance(Number(opened.body.askAfterMs));
    const { body } = await status();
    const done = await post('/api/auth/social/finish', {
      visit,
      message: body.message,
      signature: body.signature,
    });
    const over = await status();
    const malformed = await post('/api/auth/social/channel/status', { visit: 'vis_1' });
    const without = await post('/api/auth/social/channel/status', {
      visit: (await post('/api/auth/social')).body.visit,
    });
    expect([
      before.body,
      body.state,
      done.body.user,
      [over.status, over.body.code],
      [malformed.status, malformed.body.errors],
      [without.status, without.body.errors],
    ]).toEqual([
      { state: 'waiting', message: null, signature: null },
      'signed',
      expect.objectContaining({ identities: [{ provider: 'siwf', shown: 'fid 77' }] }),
      [410, 'code_expired'],
      [400, [{ path: '/visit', message: 'the visit of the start' }]],
      [400, [{ path: '/visit', message: 'was begun without a request to a phone' }]],
    ]);
  });

  it('refuses what is not even of the form', async () => {
    const visit = `vis_${'a'.repeat(43)}`;
    const bodies: readonly [string, unknown][] = [
      ['/api/auth/google/finish', { visit: 'vis_1', returnedTo: 'x' }],
      ['/api/auth/google/finish', { visit, returnedTo: '' }],
      ['/api/auth/google/finish', { visit, returnedTo: 'a'.repeat(5_000) }],
      ['/api/auth/google/finish', { visit, returnedTo: 'x', sub: '1' }],
      ['/api/auth/social/finish', { visit, message: 'm', signature: 'nothing' }],
      ['/api/auth/social/finish', { visit, message: 'm'.repeat(5_000), signature: '0xab' }],
      ['/api/auth/google', { redirect: 'https://evil.example' }],
    ];
    const statuses = await Promise.all(
      bodies.map(async ([path, body]) => (await post(path, body)).status),
    );
    expect([
      statuses,
      (await post('/api/auth/google/finish', { visit, returnedTo: '?code=1' })).body.code,
    ]).toEqual([bodies.map(() => 400), 'code_expired']);
  });

  it('adds ways in to one account, only with its token, a name and a fresh sign-in', async () => {
    const { token } = await api.signIn();
    const stranger = await post('/api/auth/link', { kind: 'google', ...(await google()) });
    const nameless = await api.signIn({ username: null });
    const early = await post(
      '/api/auth/link',
      { kind: 'google', ...(await google()) },
      nameless.token,
    );
    const linked = await post('/api/auth/link', { kind: 'google', ...(await google()) }, token);
    const both = await post('/api/auth/link', { kind: 'siwf', ...(await social()) }, token);
    expect([
      stranger.body.code,
      early.body.code,
      linked.body.identities,
      both.body.identities,
    ]).toEqual([
      'unauthenticated',
      'username_required',
      [{ provider: 'google', shown: 'a•••@example.org' }],
      [
        { provider: 'google', shown: 'a•••@example.org' },
        { provider: 'siwf', shown: 'fid 77' },
      ],
    ]);
    const back = await post('/api/auth/google/finish', await google());
    expect((back.body.user as { userId: string }).userId).toBe(linked.body.userId);
    const other = await api.signIn();
    expect(
      (await post('/api/auth/link', { kind: 'google', ...(await google()) }, other.token)).body
        .code,
    ).toBe('identity_taken');
    await api.clock.advance(TOKENS.freshSignInMs);
    expect(
      (await post('/api/auth/link', { kind: 'siwf', ...(await social(78)) }, other.token)).body
        .code,
    ).toBe('fresh_sign_in_required');
  });

  it('lets no API key add a login method', async () => {
    const { token } = await api.signIn();
    const { body } = await post('/api/user/keys/', { name: 'a program' }, token);
    const minted = await api.request('POST', '/internal/api-keys/exchange', {
      body: { key: body.key },
      headers: { 'x-internal-secret': 'internal-secret-of-the-tests-0001' },
    });
    expect(
      (
        await post(
          '/api/auth/link',
          { kind: 'google', ...(await google()) },
          String(minted.body.accessToken),
        )
      ).body.code,
    ).toBe('forbidden');
  });

  it('limits by address how many are begun', async () => {
    const statuses: number[] = [];
    for (let attempt = 0; attempt <= SIGN_IN.requestsPerAddressPerHour; attempt += 1)
      statuses.push((await post('/api/auth/social')).status);
    expect([new Set(statuses.slice(0, -1)), statuses.at(-1)]).toEqual([new Set([200]), 429]);
  });
});
