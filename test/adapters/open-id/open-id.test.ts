import type { JWTPayload } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOpenId } from '../../../src/adapters/open-id/open-id.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { startHostileOpenId, type HostileOpenId } from '../../support/fakes/hostile-open-id.ts';

const VISIT = { state: 's'.repeat(43), nonce: 'n'.repeat(43), verifier: 'v'.repeat(43) };
const nowSeconds = (): number => Math.floor(Date.now() / 1_000);
let server: HostileOpenId;
beforeEach(async () => {
  server = await startHostileOpenId(nowSeconds);
  server.nonce = VISIT.nonce;
});
afterEach(() => server.close());

const open = (timeoutMs = 60_000) =>
  createOpenId(
    {
      issuer: server.url,
      clientId: server.clientId,
      clientSecret: server.clientSecret,
      returnTo: server.returnTo,
    },
    timeoutMs,
  );
const finish = (query = `?code=abc&state=${VISIT.state}`, timeoutMs?: number): Promise<unknown> =>
  open(timeoutMs)
    .finish(`${server.returnTo}${query}`, VISIT)
    .catch((error: unknown) => (error instanceof AppError ? [error.code, error.retryable] : error));

describe('sign-in at an OpenID provider', () => {
  it('asks for a code with state, nonce and the challenge of the verifier, and for no more than the address', async () => {
    const url = new URL(await open().begin(VISIT));
    expect([`${url.origin}${url.pathname}`, Object.fromEntries(url.searchParams)]).toEqual([
      `${server.url}/auth`,
      {
        response_type: 'code',
        client_id: 'predictd',
        redirect_uri: server.returnTo,
        scope: 'openid email',
        state: VISIT.state,
        nonce: VISIT.nonce,
        prompt: 'select_account',
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: 'S256',
      },
    ]);
  });

  it('accepts the token of an honest provider', async () => {
    expect(await finish()).toEqual({
      subject: '10769150350006150715113082367',
      email: 'ana@example.org',
    });
  });

  it('counts for nothing where the caller says that the browser came back to', async () => {
    const person = await open().finish(
      `https://elsewhere.example/?code=abc&state=${VISIT.state}#part`,
      VISIT,
    );
    expect(person.subject).toBe('10769150350006150715113082367');
  });

  it.each<[string, (honest: JWTPayload) => JWTPayload]>([
    ['another audience', (honest) => ({ ...honest, aud: 'another-service' })],
    [
      'a further audience and no party',
      ({ azp: _azp, ...honest }) => ({ ...honest, aud: ['predictd', 'another-service'] }),
    ],
    ['another party', (honest) => ({ ...honest, azp: 'another-service' })],
    ['another issuer', (honest) => ({ ...honest, iss: 'https://accounts.google.com' })],
    [
      'an end that has passed',
      (honest) => ({ ...honest, iat: nowSeconds() - 7_200, exp: nowSeconds() - 3_600 }),
    ],
    ['no end', ({ exp: _exp, ...honest }) => honest],
    ['a beginning to come', (honest) => ({ ...honest, nbf: nowSeconds() + 3_600 })],
    ['the nonce of an earlier visit', (honest) => ({ ...honest, nonce: 'o'.repeat(43) })],
    ['no nonce', ({ nonce: _nonce, ...honest }) => honest],
    ['no subject', ({ sub: _sub, ...honest }) => honest],
    ['an invalid subject', (honest) => ({ ...honest, sub: `a\u0000b` })],
  ])('refuses a token with %s', async (_what, claims) => {
    server.behaviour.claims = claims;
    expect(await finish()).toEqual(['sign_in_refused', false]);
  });

  it.each(['none', 'foreign_kid', 'foreign_key', 'shared_secret'] as const)(
    'refuses a token that is signed by %s',
    async (signing) => {
      server.behaviour.signing = signing;
      expect(await finish()).toEqual(['sign_in_refused', false]);
    },
  );

  it('refuses an answer without a token', async () => {
    server.behaviour.token = 'no_id_token';
    expect(await finish()).toEqual(['sign_in_refused', false]);
  });

  it.each([
    ['another state', '?code=abc&state=other'],
    ['two states', `?code=abc&state=${VISIT.state}&state=${VISIT.state}`],
    ['two codes', `?code=abc&code=def&state=${VISIT.state}`],
    ['another issuer', `?code=abc&state=${VISIT.state}&iss=https%3A%2F%2Faccounts.google.com`],
    ['no state', '?code=abc'],
  ])(
    'refuses a way back with %s, and never shows its code to the provider',
    async (_what, query) => {
      expect([await finish(query), server.asked.count]).toEqual([['sign_in_refused', false], 0]);
    },
  );

  it.each<[string, (honest: JWTPayload) => JWTPayload]>([
    ['not verified', (honest) => ({ ...honest, email_verified: false })],
    ['called verified in a word', (honest) => ({ ...honest, email_verified: 'true' })],
    ['no address', (honest) => ({ ...honest, email: 'ana' })],
    ['not there', ({ email: _email, ...honest }) => honest],
  ])('shows no address that is %s', async (_what, claims) => {
    server.behaviour.claims = claims;
    expect(await finish()).toMatchObject({ subject: '10769150350006150715113082367', email: null });
  });

  it.each(['server_error', 'reset', 'huge', 'hang'] as const)(
    'L2: is no refusal when the provider fails (%s): the person begins again',
    async (token) => {
      server.behaviour.token = token;
      expect(await finish(undefined, token === 'hang' ? 400 : 60_000)).toEqual([
        'sign_in_unavailable',
        false,
      ]);
    },
  );

  it('says that a provider which does not know us is not the fault of the person', async () => {
    server.behaviour.token = 'unknown_client';
    expect(await finish()).toEqual(['sign_in_unavailable', false]);
  });

  it('looks for the provider again after it was not there, and takes none that calls itself by another name', async () => {
    const provider = open();
    const begin = (): Promise<unknown> =>
      provider.begin(VISIT).then(
        (url) => url.startsWith(`${server.url}/auth`),
        (error: unknown) => (error instanceof AppError ? [error.code, error.retryable] : error),
      );
    server.behaviour.discovery = 'server_error';
    const first = await begin();
    const finished = await finish();
    server.behaviour.discovery = 'foreign_issuer';
    const second = await begin();
    server.behaviour.discovery = 'honest';
    expect([first, finished, second, await begin()]).toEqual([
      ['sign_in_unavailable', true],
      ['sign_in_unavailable', false],
      ['sign_in_unavailable', true],
      true,
    ]);
  });

  it('speaks no plain http beyond this machine', async () => {
    const provider = createOpenId({
      issuer: 'http://provider.example',
      clientId: 'a',
      clientSecret: 'b',
      returnTo: server.returnTo,
    });
    await expect(provider.begin(VISIT)).rejects.toMatchObject({ code: 'sign_in_unavailable' });
  });

  it('L12: keeps secret, code and verifier out of what it throws', async () => {
    server.behaviour.claims = (honest) => ({ ...honest, aud: 'another-service' });
    const error = await open()
      .finish(`${server.returnTo}?code=the-code&state=${VISIT.state}`, VISIT)
      .catch((cause: unknown) => cause);
    const text = `${String(error)} ${JSON.stringify(error)} ${error instanceof Error ? String(error.cause) : ''}`;
    expect(
      [server.clientSecret, 'the-code', VISIT.verifier, VISIT.nonce, 'ana@example.org'].filter(
        (secret) => text.includes(secret),
      ),
    ).toEqual([]);
  });
});
