import { describe, expect, it } from 'vitest';
import { TOKENS } from '../../config/limits/identity.ts';
import { SIGN_IN } from '../../config/limits.ts';
import { rawExchange } from './api.ts';
import { useApi } from './use-api.ts';

const api = await useApi();
const OWN = { origin: api.url };
const LIFE_SECONDS = SIGN_IN.refreshTokenLifeMs / 1_000;

interface Kept {
  readonly cookie: string;
  readonly accessToken: string;
}

type Headers = Readonly<Record<string, string>>;

/** The cookie an answer sets, as a browser sends it back, and what else it says of it. */
function cookieOf(headers: Awaited<ReturnType<typeof api.request>>['headers']) {
  const [cookie = '', ...rest] = (headers.get('set-cookie') ?? '').split('; ');
  return { cookie, rest };
}

let phones = 0;
async function verify(body: Readonly<Record<string, unknown>>, headers: Headers = {}) {
  phones += 1;
  const sent = await api.request('POST', '/api/auth/otp/request', {
    body: { phone: `+1415555${3_000 + phones}` },
  });
  return api.request('POST', '/api/auth/otp/verify', {
    body: { challengeId: sent.body.challengeId, code: api.codes.at(-1)?.code, ...body },
    headers,
  });
}

/** A signed-in user whose page has the token in its cookie. */
async function aBrowser(): Promise<Kept> {
  const { refreshToken } = await api.signIn({ username: null });
  const { headers, body } = await refresh(OWN, { refreshToken, tokenIn: 'cookie' });
  return { cookie: cookieOf(headers).cookie, accessToken: String(body.accessToken) };
}

const refresh = (headers: Headers, body?: unknown) =>
  api.request('POST', '/api/auth/refresh', { headers, ...(body === undefined ? {} : { body }) });

describe('the refresh token of a browser', () => {
  it('comes as a cookie that no script reads, and not in the answer', async () => {
    const { status, headers, body } = await verify({ tokenIn: 'cookie' }, OWN);
    const { cookie, rest } = cookieOf(headers);
    expect([status, 'refreshToken' in body, Object.keys(body).sort()]).toEqual([
      200,
      false,
      ['accessExpiresAtMs', 'accessToken', 'refreshExpiresAtMs', 'tokenType', 'user'],
    ]);
    expect(cookie).toMatch(/^predictd_refresh=ses_\w+\.0\.[\w-]+$/);
    expect(rest).toEqual([
      'Path=/api/auth',
      `Max-Age=${LIFE_SECONDS}`,
      'HttpOnly',
      'SameSite=Strict',
    ]);
  });

  it('is for secure connections alone where the page came by one', async () => {
    const { cookie } = await aBrowser();
    const headers = { cookie, origin: 'https://app.example.com', 'sec-fetch-site': 'same-origin' };
    expect(cookieOf((await refresh(headers)).headers).rest.at(-1)).toBe('Secure');
    const alone = { cookie: (await aBrowser()).cookie, 'sec-fetch-site': 'same-origin' };
    expect(cookieOf((await refresh(alone)).headers).rest.at(-1)).toBe('Secure');
  });

  it('is forgotten over any connection, whatever the call says of where it comes from', async () => {
    for (const headers of [{}, OWN]) {
      const { cookie, accessToken } = await aBrowser();
      const reply = await api.request('POST', '/api/auth/logout', {
        token: accessToken,
        headers: { ...headers, cookie },
      });
      expect([reply.status, cookieOf(reply.headers)]).toEqual([
        204,
        {
          cookie: 'predictd_refresh=',
          rest: ['Path=/api/auth', 'Max-Age=0', 'HttpOnly', 'SameSite=Strict'],
        },
      ]);
    }
  });

  it('stays in the body unless a page asks for a cookie', async () => {
    const { headers, body } = await verify({});
    expect([headers.get('set-cookie'), typeof body.refreshToken]).toEqual([null, 'string']);
    const again = await refresh({}, { refreshToken: body.refreshToken });
    expect([again.headers.get('set-cookie'), typeof again.body.refreshToken]).toEqual([
      null,
      'string',
    ]);
  });

  it.each([undefined, {}])('is traded in when the body %j does not hold it', async (body) => {
    const first = await aBrowser();
    const second = await refresh({ ...OWN, cookie: `theme=dark; ${first.cookie}` }, body);
    const { cookie } = cookieOf(second.headers);
    expect([second.status, 'refreshToken' in second.body, cookie === first.cookie]).toEqual([
      200,
      false,
      false,
    ]);
    const token = String(second.body.accessToken);
    expect((await api.request('GET', '/api/user/profile', { token })).status).toBe(200);
    expect((await refresh({ ...OWN, cookie })).status).toBe(200);
  });

  it('is not given to a script that asks for it in the body', async () => {
    const { cookie } = await aBrowser();
    const { body } = await refresh({ ...OWN, cookie }, { tokenIn: 'body' });
    expect('refreshToken' in body).toBe(false);
  });

  it('moves into the cookie from where a page kept it', async () => {
    const { refreshToken } = await api.signIn({ username: null });
    const given = { refreshToken, tokenIn: 'cookie' };
    const moved = await refresh(OWN, given);
    const { cookie } = cookieOf(moved.headers);
    expect(['refreshToken' in moved.body, (await refresh({ ...OWN, cookie })).status]).toEqual([
      false,
      200,
    ]);
  });

  it.each<[string, Headers]>([
    ['another origin', { origin: 'https://evil.example.com' }],
    ['another port of this host', { origin: 'http://127.0.0.1:1' }],
    ['no origin at all', {}],
    ['an origin that is hidden', { origin: 'null' }],
    ['another site, as its browser says', { ...OWN, 'sec-fetch-site': 'cross-site' }],
    ['another origin of the site', { ...OWN, 'sec-fetch-site': 'same-site' }],
    ['no page', { ...OWN, 'sec-fetch-site': 'none' }],
  ])('is neither taken from nor given to %s', async (_, headers) => {
    const { cookie } = await aBrowser();
    const taken = await refresh({ ...headers, cookie });
    const { refreshToken } = await api.signIn({ username: null });
    const moved = await refresh(headers, { refreshToken, tokenIn: 'cookie' });
    for (const refused of [taken, moved])
      expect([refused.status, refused.body.code, refused.headers.get('set-cookie')]).toEqual([
        403,
        'forbidden',
        null,
      ]);
    // nothing was used up
    expect((await refresh({ ...OWN, cookie })).status).toBe(200);
    expect((await refresh({}, { refreshToken })).status).toBe(200);
  });

  it('refuses a sign-in whose browser would not keep it, and uses no code up', async () => {
    const sent = await api.request('POST', '/api/auth/otp/request', {
      body: { phone: '+14155553900' },
    });
    const proof = { challengeId: sent.body.challengeId, code: api.codes.at(-1)?.code };
    const check = (headers: Headers) =>
      api.request('POST', '/api/auth/otp/verify', {
        body: { ...proof, tokenIn: 'cookie' },
        headers,
      });
    const foreign = await check({ origin: 'https://evil.example.com' });
    expect([foreign.status, foreign.body.code]).toEqual([403, 'forbidden']);
    expect((await check(OWN)).status).toBe(200);
  });

  it('is refused where the browser sent none, or something else under the name', async () => {
    for (const cookie of ['', 'theme=dark', 'predictd_refresh=', 'xpredictd_refresh=a']) {
      const { status, body } = await refresh({ ...OWN, ...(cookie === '' ? {} : { cookie }) });
      expect([status, body.code]).toEqual([401, 'token_invalid']);
    }
    const bad = await refresh({ ...OWN, cookie: 'predictd_refresh=nonsense' });
    expect([bad.status, cookieOf(bad.headers)]).toEqual([
      401,
      {
        cookie: 'predictd_refresh=',
        rest: ['Path=/api/auth', 'Max-Age=0', 'HttpOnly', 'SameSite=Strict'],
      },
    ]);
  });

  it('ends its session when it comes a second time, and is forgotten', async () => {
    const { cookie } = await aBrowser();
    const second = cookieOf((await refresh({ ...OWN, cookie })).headers).cookie;
    await api.clock.advance(TOKENS.refreshGraceMs);
    const stolen = await refresh({ ...OWN, cookie });
    const newest = await refresh({ ...OWN, cookie: second });
    expect(
      [stolen, newest].map(({ body, headers }) => [body.code, cookieOf(headers).rest[1]]),
    ).toEqual([
      ['token_invalid', 'Max-Age=0'],
      ['token_invalid', 'Max-Age=0'],
    ]);
  });

  it('is the same in two tabs that trade it in at one moment', async () => {
    const { cookie } = await aBrowser();
    const tabs = await Promise.all([refresh({ ...OWN, cookie }), refresh({ ...OWN, cookie })]);
    const [one, two] = tabs.map(({ headers }) => cookieOf(headers).cookie);
    expect([one, tabs.map(({ status }) => status)]).toEqual([two, [200, 200]]);
    expect((await refresh({ ...OWN, cookie: one ?? '' })).status).toBe(200);
  });

  it('is forgotten at logout, with its session', async () => {
    const { cookie, accessToken } = await aBrowser();
    const out = await api.request('POST', '/api/auth/logout', {
      token: accessToken,
      headers: { ...OWN, cookie },
    });
    expect([out.status, cookieOf(out.headers).rest[1]]).toEqual([204, 'Max-Age=0']);
    expect((await refresh({ ...OWN, cookie })).body.code).toBe('token_invalid');
    const app = await api.signIn({ username: null });
    const left = await api.request('POST', '/api/auth/logout', { token: app.token });
    expect(left.headers.get('set-cookie')).toBeNull();
  });

  it('may not come in two headers', async () => {
    const { cookie } = await aBrowser();
    const host = api.url.slice('http://'.length);
    const { text } = await rawExchange(Number(host.split(':')[1]), [
      `POST /api/auth/refresh HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${api.url}\r\nCookie: ${cookie}\r\nCookie: ${cookie}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    ]);
    expect(text).toContain(' 400 ');
  });
});
