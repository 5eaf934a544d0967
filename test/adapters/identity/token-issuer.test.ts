import { createHmac, generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDigests } from '../../../src/adapters/identity/sign-in-secrets.ts';
import { signingKey } from '../../../src/adapters/identity/signing-keys.ts';
import {
  createTokenIssuer,
  type KeyRing,
  type SigningKey,
} from '../../../src/adapters/identity/token-issuer.ts';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { asId, type UserId } from '../../../src/domain/ids.ts';
import type { AccessClaims, TokenIssuer } from '../../../src/ports/identity.ts';

const NOW_MS = 1_800_000_000_000;
const CLAIMS: AccessClaims = {
  userId: asId<UserId>('usr_1'),
  familyId: 'ses_1',
  method: 'otp',
  authenticatedAtMs: NOW_MS - 60_000,
  scopes: null,
  issuedAtMs: NOW_MS,
  expiresAtMs: NOW_MS + 900_000,
};
let key: SigningKey;
let foreign: SigningKey;
let issuer: TokenIssuer;
beforeAll(async () => {
  key = await signingKey(new Uint8Array(32).fill(1));
  foreign = await signingKey(new Uint8Array(32).fill(2));
  issuer = issuerOf({ signing: key, accepted: [key] });
});

const issuerOf = (ring: KeyRing, random = createSeededRandom(1)): TokenIssuer =>
  createTokenIssuer({ ring: () => ring, random, issuer: 'predictd', audience: 'api' });

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const PAYLOAD = {
  iss: 'predictd',
  aud: 'api',
  sub: 'usr_1',
  sid: 'ses_1',
  jti: 'x',
  amr: ['otp'],
  auth_time: NOW_MS / 1_000 - 60,
  iat: NOW_MS / 1_000,
  exp: NOW_MS / 1_000 + 900,
};
const signed = (
  payload: Record<string, unknown>,
  header: { alg: string; kid?: string; typ?: string },
  by = key,
) => new SignJWT(payload).setProtectedHeader(header).sign(by.privateKey);

async function verdict(token: string, nowMs = NOW_MS): Promise<unknown> {
  try {
    return await issuer.verify(token, nowMs);
  } catch (error) {
    return error instanceof AppError ? error.code : error;
  }
}

describe('access tokens', () => {
  it('say who they are for, and do so until they end', async () => {
    const token = await issuer.issue(CLAIMS);
    expect([
      await verdict(token),
      await verdict(token, CLAIMS.expiresAtMs - 1),
      await verdict(token, CLAIMS.expiresAtMs),
    ]).toEqual([CLAIMS, CLAIMS, 'token_expired']);
  });

  it('are those of another process with the same seed', async () => {
    const same = await signingKey(new Uint8Array(32).fill(1));
    const again = issuerOf({ signing: same, accepted: [same] });
    expect(await again.verify(await issuer.issue(CLAIMS), NOW_MS)).toEqual(CLAIMS);
  });

  it('publish only the public half of their key', () => {
    expect(issuer.publicKeys()).toEqual({
      keys: [
        {
          kty: 'OKP',
          crv: 'Ed25519',
          x: expect.any(String),
          kid: key.keyId,
          alg: 'EdDSA',
          use: 'sig',
        },
      ],
    });
  });

  it('are refused with every forged header', async () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const header = { alg: 'EdDSA', kid: key.keyId, typ: 'at+jwt' };
    const hmacInput = `${part({ ...header, alg: 'HS256' })}.${part(PAYLOAD)}`;
    const hmac = createHmac('sha256', key.publicKey.export({ type: 'spki', format: 'pem' }))
      .update(hmacInput)
      .digest('base64url');
    const good = await signed(PAYLOAD, header);
    const tokens = [
      `${part({ ...header, alg: 'none' })}.${part(PAYLOAD)}.`,
      `${hmacInput}.${hmac}`,
      await signed(PAYLOAD, header, foreign),
      await signed(PAYLOAD, { ...header, kid: foreign.keyId }, foreign),
      await signed(PAYLOAD, { alg: 'EdDSA', typ: 'at+jwt' }),
      await signed(PAYLOAD, { ...header, typ: 'JWT' }),
      await signed(PAYLOAD, { alg: 'EdDSA', kid: key.keyId }),
      `${part({ ...header, jwk: publicKey.export({ format: 'jwk' }) })}.${part(PAYLOAD)}.${good.split('.')[2]}`,
      `${good.split('.')[0]}.${part({ ...PAYLOAD, sub: 'usr_2' })}.${good.split('.')[2]}`,
      `${good}x`,
      'a.b.c',
      '',
    ];
    expect([
      await verdict(good),
      new Set(await Promise.all(tokens.map((token) => verdict(token)))),
    ]).toEqual([CLAIMS, new Set(['token_invalid'])]);
  });

  it('are refused with every wrong claim', async () => {
    const header = { alg: 'EdDSA', kid: key.keyId, typ: 'at+jwt' };
    const without = (name: keyof typeof PAYLOAD) =>
      Object.fromEntries(Object.entries(PAYLOAD).filter(([each]) => each !== name));
    const payloads = [
      { ...PAYLOAD, aud: 'other' },
      { ...PAYLOAD, iss: 'other' },
      { ...PAYLOAD, nbf: NOW_MS / 1_000 + 60 },
      { ...PAYLOAD, sid: 5 },
      { ...PAYLOAD, aud: ['other', 'third'] },
      { ...PAYLOAD, amr: ['pwd'] },
      { ...PAYLOAD, amr: 'otp' },
      { ...PAYLOAD, scope: 'read' },
      { ...PAYLOAD, amr: ['apikey'] },
      without('aud'),
      without('iss'),
      without('sub'),
      without('sid'),
      without('exp'),
      without('iat'),
      without('jti'),
      without('amr'),
      without('auth_time'),
    ];
    const verdicts = await Promise.all(
      payloads.map(async (payload) => verdict(await signed(payload, header))),
    );
    expect(new Set(verdicts)).toEqual(new Set(['token_invalid']));
  });
});

describe('tokens of API keys', () => {
  it('carry the scopes of the key, and only those there are', async () => {
    const claims: AccessClaims = {
      ...CLAIMS,
      familyId: 'key_1',
      method: 'apikey',
      scopes: ['read'],
    };
    const odd = await signed(
      { ...PAYLOAD, amr: ['apikey'], scope: 'read export admin' },
      { alg: 'EdDSA', kid: key.keyId, typ: 'at+jwt' },
    );
    expect([
      await verdict(await issuer.issue(claims)),
      ((await verdict(odd)) as AccessClaims).scopes,
    ]).toEqual([claims, ['read']]);
  });
});

describe('a ring of keys', () => {
  it('takes tokens of the key it no longer signs with, until that is taken away', async () => {
    const ring = { signing: key, accepted: [key] };
    const turning = createTokenIssuer({
      ring: () => ring,
      random: createSeededRandom(2),
      issuer: 'predictd',
      audience: 'api',
    });
    const before = await turning.issue(CLAIMS);
    Object.assign(ring, { signing: foreign, accepted: [key, foreign] });
    const after = await turning.issue(CLAIMS);
    const both = await Promise.all([before, after].map((token) => turning.verify(token, NOW_MS)));
    Object.assign(ring, { accepted: [foreign] });
    await expect(turning.verify(before, NOW_MS)).rejects.toMatchObject({ code: 'token_invalid' });
    expect([both, await turning.verify(after, NOW_MS)]).toEqual([[CLAIMS, CLAIMS], CLAIMS]);
  });
});

describe('createDigests', () => {
  it('keeps purposes and keys apart, and compares whole values', () => {
    const [one, two] = [
      createDigests(new Uint8Array(32).fill(1)),
      createDigests(new Uint8Array(32).fill(2)),
    ];
    const digests = [
      one.digest('code', 'a'),
      one.digest('refresh', 'a'),
      one.digest('code', 'b'),
      two.digest('code', 'a'),
    ];
    expect(new Set(digests).size).toBe(4);
    expect([one.same('ab', 'ab'), one.same('ab', 'ac'), one.same('ab', 'abc')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
