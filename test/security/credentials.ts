import { SignJWT } from 'jose';
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import {
  openSignInSecrets,
  type SignInSecrets,
} from '../../src/adapters/identity/sign-in-secrets.ts';
import { openSigningKeys } from '../../src/adapters/identity/signing-keys.ts';
import type { SigningKey } from '../../src/adapters/identity/token-issuer.ts';
import { createLocalEncryptor } from '../../src/adapters/keys/local-encryptor.ts';
import { openKeyVault } from '../../src/adapters/keys/key-vault.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { loadKeccak } from '../../src/adapters/wire/keccak.ts';
import type { ErrorCode } from '../../src/domain/errors.ts';
import type { UserId } from '../../src/domain/ids.ts';
import type { Route } from '../../src/http/route.ts';
import type { AccessClaims, KeyScope } from '../../src/ports/identity.ts';
import { INTERNAL_SECRET, NEXT_INTERNAL_SECRET, startApi, type TestApi } from '../http/api.ts';

/** What a caller shows, and why it is to be let in or not. */
export interface Credential {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The code it is refused with at a row of the table; null where it is let in. */
  refusal(route: Route): ErrorCode | null;
}

const MINUTE_MS = 60_000;
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/**
 * An API, and one of every kind of caller there is, for all tests of the file; there once its first
 * test begins.
 */
export function apiWithCredentials(): {
  readonly api: TestApi;
  readonly credentials: readonly Credential[];
} {
  // filled before any test reads it
  const callers = {} as { api: TestApi; credentials: readonly Credential[] };
  beforeAll(async () => {
    callers.api = await startApi();
    callers.credentials = await everyCredential(callers.api);
  });
  afterAll(() => callers.api.close());
  return callers;
}

/** Makes one of every kind of caller there is, against the keys of a running API. */
async function everyCredential(api: TestApi): Promise<readonly Credential[]> {
  const issuers = await issuersOf(api);
  const named = await api.signIn();
  const nameless = await api.signIn({ username: null });
  const ended = await api.signIn();
  await api.request('POST', '/api/auth/logout', { token: ended.token });
  const session = await api.services.sessions.authenticate(named.token);
  const claims: AccessClaims = {
    ...session,
    familyId: session.sessionId,
    issuedAtMs: api.clock.nowMs(),
    expiresAtMs: api.clock.nowMs() + 10 * MINUTE_MS,
  };
  const owner = await api.services.sessions.authenticate((await api.signIn()).token);
  const { key: text } = await api.services.apiKeys.create(owner, {
    name: 'text',
    scopes: ['read', 'trade'],
  });
  const keyToken = (scopes: readonly KeyScope[]) => tokenOfKey(api, owner, scopes);
  const revoked = await keyToken(['read', 'trade']);
  await api.services.apiKeys.revoke(owner.userId, revoked.keyId);
  const removed = await keyToken(['read', 'trade']);
  await api.services.apiKeys.revoke(owner.userId, removed.keyId);
  await api.services.apiKeys.remove(owner.userId, removed.keyId);
  return [
    { name: 'nothing', headers: {}, refusal: asUser('unauthenticated') },
    bearer('a session', named.token, asUser(null)),
    bearer('a session without a username', nameless.token, (route) =>
      asUser(route.auth === 'user' ? 'username_required' : null)(route),
    ),
    bearer('an ended session', ended.token, asUser('token_invalid')),
    bearer('a key that may read', (await keyToken(['read'])).accessToken, asKey(['read'])),
    bearer('a key that may trade', (await keyToken(['trade'])).accessToken, asKey(['trade'])),
    bearer(
      'a key that may both',
      (await keyToken(['read', 'trade'])).accessToken,
      asKey(['read', 'trade']),
    ),
    bearer('a revoked key', revoked.accessToken, asUser('api_key_invalid')),
    bearer('a deleted key', removed.accessToken, asUser('api_key_invalid')),
    bearer('a key itself', text, asUser('token_invalid')),
    bearer('garbage', 'garbage', asUser('token_invalid')),
    bearer('a token beyond all length', 'a'.repeat(4_000), asUser('token_invalid')),
    {
      name: 'another scheme',
      headers: { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` },
      refusal: asUser('token_invalid'),
    },
    {
      name: 'a token in another place',
      headers: { cookie: `token=${named.token}`, 'x-access-token': named.token },
      refusal: asUser('unauthenticated'),
    },
    bearer(
      'an expired token',
      await issuers.own.tokens.issue({
        ...claims,
        issuedAtMs: claims.issuedAtMs - 30 * MINUTE_MS,
        expiresAtMs: claims.issuedAtMs,
      }),
      asUser('token_expired'),
    ),
    bearer(
      'a token for another audience',
      await issuers.otherAudience.tokens.issue(claims),
      asUser('token_invalid'),
    ),
    bearer(
      'a token of another issuer',
      await issuers.otherIssuer.tokens.issue(claims),
      asUser('token_invalid'),
    ),
    bearer(
      'a token of a session that never was',
      await issuers.own.tokens.issue({ ...claims, familyId: `ses_${'0'.repeat(26)}` }),
      asUser('token_invalid'),
    ),
    bearer(
      "a token of another's session",
      await issuers.own.tokens.issue({
        ...claims,
        familyId: (await api.services.sessions.authenticate(nameless.token)).sessionId,
      }),
      asUser('token_invalid'),
    ),
    ...(await forged(api, issuers.key, named.token)),
    ...[INTERNAL_SECRET, NEXT_INTERNAL_SECRET].map(
      (secret, index): Credential => ({
        name: `secret ${index + 1} of the service`,
        headers: { 'x-internal-secret': secret },
        refusal: (route) => (route.auth === 'internal' ? null : asUser('unauthenticated')(route)),
      }),
    ),
    {
      name: 'a wrong secret',
      headers: { 'x-internal-secret': `${INTERNAL_SECRET}x` },
      refusal: asUser('unauthenticated'),
    },
    {
      name: 'an empty secret',
      headers: { 'x-internal-secret': '' },
      refusal: asUser('unauthenticated'),
    },
    {
      name: 'a session and a wrong secret',
      headers: { authorization: `Bearer ${named.token}`, 'x-internal-secret': 'wrong' },
      refusal: asUser(null),
    },
    {
      name: 'a secret as a token',
      headers: { authorization: `Bearer ${INTERNAL_SECRET}` },
      refusal: asUser('token_invalid'),
    },
  ];
}

function bearer(name: string, token: string, refusal: Credential['refusal']): Credential {
  return { name, headers: { authorization: `Bearer ${token}` }, refusal };
}

/**
 * Anybody reaches what is public, and on this machine what is its operator's, no one without the
 * secret what is internal; elsewhere the caller's own code.
 */
function asUser(code: ErrorCode | null): Credential['refusal'] {
  return ({ auth }) =>
    auth === 'public' || auth === 'operator'
      ? null
      : auth === 'internal'
        ? 'unauthenticated'
        : code;
}

function asKey(scopes: readonly KeyScope[]): Credential['refusal'] {
  return (route) =>
    asUser(scopes.some((scope) => scope === route.scope) ? null : 'forbidden')(route);
}

async function tokenOfKey(
  { services }: TestApi,
  owner: { readonly userId: UserId; readonly authenticatedAtMs: number },
  scopes: readonly KeyScope[],
) {
  const { key } = await services.apiKeys.create(owner, { name: scopes.join(' '), scopes });
  return services.apiKeys.exchange(key);
}

/**
 * Identities over the API's own keys: what they issue is signed right, whatever else is wrong with
 * it.
 */
async function issuersOf({ store, clock }: TestApi): Promise<{
  readonly own: SignInSecrets;
  readonly otherAudience: SignInSecrets;
  readonly otherIssuer: SignInSecrets;
  readonly key: SigningKey;
}> {
  const random = createSeededRandom(11);
  const vault = await openKeyVault({
    store,
    encryptor: createLocalEncryptor(new Uint8Array(32).fill(3), random),
    random,
    keccak: await loadKeccak(),
  });
  const parts = { store, vault, random, clock, log: quiet };
  const identity = (issuer: string, audience: string) =>
    openSignInSecrets({
      ...parts,
      issuer,
      audience,
    });
  return {
    own: await identity('predictd', 'predictd-api'),
    otherAudience: await identity('predictd', 'another-service'),
    otherIssuer: await identity('another', 'predictd-api'),
    key: (await openSigningKeys(parts)).ring().signing,
  };
}

/**
 * Tokens of an attacker who has the public key and a good token, but no private key; and right ones
 * of another kind.
 */
async function forged(
  { clock }: TestApi,
  key: SigningKey,
  good: string,
): Promise<readonly Credential[]> {
  const [header = '', payload = '', signature = ''] = good.split('.');
  const write = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims: Record<string, unknown> = JSON.parse(
    Buffer.from(payload, 'base64url').toString('utf8'),
  );
  const signed = (
    protectedHeader: { readonly kid?: string; readonly typ?: string },
    change: Readonly<Record<string, unknown>> = {},
  ) =>
    new SignJWT({ ...claims, ...change })
      .setProtectedHeader({ alg: 'EdDSA', ...protectedHeader })
      .sign(key.privateKey);
  const right = { kid: key.keyId, typ: 'at+jwt' };
  const byHmac = `${write({ alg: 'HS256', ...right })}.${payload}`;
  const publicText = Buffer.from(key.publicJwk.x ?? '', 'base64url');
  const tokens: readonly (readonly [string, string])[] = [
    ['a token of algorithm none', `${write({ alg: 'none', ...right })}.${payload}.`],
    [
      'a token of algorithm none with the signature of a good one',
      `${write({ alg: 'none', ...right })}.${payload}.${signature}`,
    ],
    [
      'a token signed by the public key as a secret',
      `${byHmac}.${createHmac('sha256', publicText).update(byHmac).digest('base64url')}`,
    ],
    [
      'a token whose user was changed',
      `${header}.${write({ ...claims, sub: 'usr_00000000000000000000000000' })}.${signature}`,
    ],
    ['a token without its signature', `${header}.${payload}.`],
    [
      'a token with a broken signature',
      `${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
    ],
    [
      'a token that brings its own key',
      `${write({ alg: 'EdDSA', ...right, jwk: key.publicJwk })}.${payload}.${signature}`,
    ],
    ['a token of an unknown key', await signed({ ...right, kid: 'unknown' })],
    ['a token without a key', await signed({ typ: 'at+jwt' })],
    ['a token of another kind', await signed({ ...right, typ: 'JWT' })],
    ['a token without a session', await signed(right, { sid: undefined })],
    ['a token with two ways of signing in', await signed(right, { amr: ['otp', 'apikey'] })],
    ['a session that claims a scope', await signed(right, { scope: 'read trade' })],
    [
      'a token from the future',
      await signed(right, { nbf: Math.floor(clock.nowMs() / 1_000) + 3_600 }),
    ],
  ];
  return tokens.map(([name, token]) => bearer(name, token, asUser('token_invalid')));
}
