import { describe, expect, it } from 'vitest';
import { routeTable } from '../../src/app/route-table.ts';
import { MARKET_ID } from './samples.ts';
import { INTERNAL_SECRET, NEXT_INTERNAL_SECRET } from './api.ts';
import { useApi } from './use-api.ts';

const api = await useApi();
const user = await api.signIn();

const EXCHANGE = '/internal/api-keys/exchange';
const create = (body: unknown, token = user.token) =>
  api.request('POST', '/api/user/keys/', { token, body });
async function tokenOf(scopes: readonly string[]): Promise<string> {
  const { key } = (await create({ name: scopes.join(), scopes })).body;
  const { accessToken } = (
    await api.request('POST', EXCHANGE, {
      headers: { 'x-internal-secret': INTERNAL_SECRET },
      body: { key },
    })
  ).body;
  return String(accessToken);
}

describe('API keys over HTTP', () => {
  it('live from making to deletion', async () => {
    const made = await create({ name: ' my bot ' });
    const { keyId, key } = made.body;
    const listed = await api.request('GET', '/api/user/keys/', { token: user.token });
    const steps = [];
    for (const [method, path] of [
      ['DELETE', `/api/user/keys/${String(keyId)}/`],
      ['POST', `/api/user/keys/${String(keyId)}/revoke/`],
      ['DELETE', `/api/user/keys/${String(keyId)}`],
      ['DELETE', `/api/user/keys/${String(keyId)}`],
    ] as const) {
      const reply = await api.request(method, path, { token: user.token });
      steps.push([reply.status, reply.body.code ?? reply.body.state]);
    }
    expect([
      made.status,
      made.body.name,
      made.headers.get('cache-control'),
      listed.text.includes(String(key)),
      listed.text.includes(String(keyId)),
    ]).toEqual([201, 'my bot', 'no-store', false, true]);
    expect(steps).toEqual([
      [409, 'key_not_revoked'],
      [200, 'revoked'],
      [204, undefined],
      [404, 'not_found'],
    ]);
  });

  it('may read alone unless more is asked for', async () => {
    const { keyId } = (await create({ name: 'plain' })).body;
    const { data } = (await api.request('GET', '/api/user/keys/', { token: user.token })).body;
    expect(
      (data as { keyId: string; scopes: string[] }[]).find((each) => each.keyId === keyId)?.scopes,
    ).toEqual(['read']);
  });

  it('are no tokens, and who sends one as a token hears what to do with it', async () => {
    const { key } = (await create({ name: 'sent by itself' })).body;
    const { status, body, text } = await api.request('GET', '/api/venue_a/order/', {
      token: String(key),
    });
    expect([status, body.code, body.detail]).toEqual([
      401,
      'token_invalid',
      expect.stringContaining('/internal/api-keys/exchange'),
    ]);
    expect(text).not.toContain(String(key));
  });

  it('are refused with unknown, doubled or no scopes and without a name', async () => {
    const bodies = [
      {},
      { name: '' },
      { name: ' ' },
      { name: 'x'.repeat(65) },
      { name: 'x', scopes: [] },
      { name: 'x', scopes: ['export'] },
      { name: 'x', scopes: ['read', 'read'] },
      { name: 'x', extra: 1 },
    ];
    const replies = [];
    for (const body of bodies) replies.push((await create(body)).body.code);
    expect(replies).toEqual(bodies.map(() => 'invalid_request'));
  });

  it('reach what their scopes say: reading, trading, never accounts, keys or exports', async () => {
    const [reader, trader] = [await tokenOf(['read']), await tokenOf(['trade'])];
    const order = { marketId: MARKET_ID, side: 'yes', amount: 5, orderType: 'market' };
    const call = async (token: string, method: string, path: string, body?: unknown) =>
      (await api.request(method, path, { token, ...(body === undefined ? {} : { body }) })).status;
    expect([
      await call(reader, 'GET', '/api/venue_a/order/'),
      await call(reader, 'POST', '/api/venue_a/order/', order),
      await call(reader, 'POST', '/api/agents/btc_5min/disable'),
      await call(trader, 'GET', '/api/venue_a/order/'),
      await call(trader, 'POST', '/api/venue_a/order/', order),
    ]).toEqual([200, 403, 403, 403, 201]);
    const closed = routeTable
      .filter(({ scope }) => scope === 'session')
      .filter(({ auth }) => auth.startsWith('user'));
    expect(closed.map(({ method, path }) => `${method} ${path}`)).toEqual(
      expect.arrayContaining([
        'POST /api/auth/logout',
        'PUT /api/user/profile',
        'POST /api/user/keys/',
        'GET /api/user/keys/',
      ]),
    );
    for (const token of [reader, trader]) {
      for (const { method, path } of closed)
        expect([path, await call(token, method, path)]).toEqual([path, 403]);
    }
    expect(
      routeTable.filter(
        ({ path, scope }) =>
          /export|keys/.test(path) && !path.startsWith('/internal') && scope !== 'session',
      ),
    ).toEqual([]);
  });
});

describe('internal calls', () => {
  const call = (headers: Record<string, string>, body: unknown = { key: 'pk_no' }) =>
    api.request('POST', EXCHANGE, { headers, body });

  it('take either of two secrets, and nothing else', async () => {
    const outcomes = [];
    for (const secret of [
      INTERNAL_SECRET,
      NEXT_INTERNAL_SECRET,
      '',
      'wrong',
      `${INTERNAL_SECRET} `,
      INTERNAL_SECRET.slice(0, -1),
      `${INTERNAL_SECRET},${NEXT_INTERNAL_SECRET}`,
    ]) {
      outcomes.push((await call({ 'x-internal-secret': secret })).body.code);
    }
    // blanks around a header's value are not part of it (RFC 9110, section 5.5)
    expect(outcomes).toEqual([
      'api_key_invalid',
      'api_key_invalid',
      'unauthenticated',
      'unauthenticated',
      'api_key_invalid',
      'unauthenticated',
      'unauthenticated',
    ]);
    expect([
      (await call({ authorization: `Bearer ${user.token}` })).body.code,
      (await call({ authorization: `Bearer ${INTERNAL_SECRET}` })).body.code,
    ]).toEqual(['unauthenticated', 'unauthenticated']);
  });

  it('are slowed down for whoever guesses', async () => {
    let last = 401;
    for (let attempt = 0; attempt < 61; attempt += 1)
      last = (await call({ 'x-internal-secret': `guess ${attempt}` })).status;
    expect([last, (await call({ 'x-internal-secret': INTERNAL_SECRET })).status]).toEqual([
      429, 401,
    ]);
  });
});
