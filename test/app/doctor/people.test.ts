import { createECDH } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Endpoints } from '../../../config/profiles/profile.ts';
import { readEnvironment } from '../../../config/schema.ts';
import { peopleChecks } from '../../../src/app/doctor/people-checks.ts';
import { profileOf } from '../../../src/app/profiles.ts';
import { createCountingMetrics } from '../../support/counting-metrics.ts';
import { startStubServer, type StubServer } from '../../support/fixtures/stub-server.ts';
import { found, levelsOf } from './found.ts';

const LIVE = {
  PREDICTD_PROFILE: 'live',
  PREDICTD_MASTER_KEY: 'ab'.repeat(32),
  PREDICTD_INFERENCE_KEY: 'inference',
  PREDICTD_POLYGON_RPC_URL: 'http://127.0.0.1:1',
  PREDICTD_BASE_RPC_URL: 'http://127.0.0.1:1',
  PREDICTD_SOLANA_RPC_URL: 'http://127.0.0.1:1',
} as const;
const SERVICE = `VA${'1'.repeat(32)}`;

let stub: StubServer;
beforeEach(async () => {
  stub = await startStubServer();
});
afterEach(() => stub.close());

function checksWith(settings: Readonly<Record<string, string>>) {
  const profile = profileOf(readEnvironment({ ...LIVE, ...settings }));
  // the live profile has its endpoints
  const endpoints = profile.endpoints as Endpoints;
  return peopleChecks(profile, endpoints, createCountingMetrics());
}
const telephone = () => ({
  PREDICTD_TWILIO_URL: stub.httpUrl,
  PREDICTD_TWILIO_SERVICE: SERVICE,
  PREDICTD_TWILIO_ACCOUNT: `AC${'2'.repeat(32)}`,
  PREDICTD_TWILIO_SECRET: 'token',
});
const assessor = () => ({
  PREDICTD_ASSESSOR_URL: `${stub.httpUrl}/v1`,
  PREDICTD_ASSESSOR_KEY: 'model-key',
  PREDICTD_ASSESSOR_MODEL: 'reader',
});

describe('sign-in, messages and the assessor', () => {
  it('say in words what is off', async () => {
    const checks = checksWith({});
    expect(await levelsOf(checks)).toEqual({
      'sign-in by Google': 'skipped',
      'social sign-in': 'skipped',
      'sign-in by phone': 'skipped',
      'messages to browsers': 'skipped',
      assessor: 'skipped',
    });
    expect((await found(checks, 'sign-in by Google')).sentence).toBe(
      'PREDICTD_GOOGLE_CLIENT_ID is not set',
    );
  });

  it('read the Verify service of the account, and send no code', async () => {
    stub.behaviour.answer = () => ({ body: { sid: SERVICE } });
    expect(await found(checksWith(telephone()), 'sign-in by phone')).toMatchObject({ level: 'ok' });
    expect(stub.requests.map(({ path }) => path)).toEqual([`/Services/${SERVICE}`]);
    stub.behaviour.answer = () => ({ status: 401, body: {} });
    expect(await found(checksWith(telephone()), 'sign-in by phone')).toMatchObject({
      level: 'fail',
      sentence: 'the service answered 401',
    });
    stub.behaviour.answer = () => ({ status: 404, body: {} });
    expect(await found(checksWith(telephone()), 'sign-in by phone')).toMatchObject({
      level: 'fail',
      sentence: 'the account has no such service',
    });
  });

  it('list the models, of which ours has to be one', async () => {
    stub.behaviour.answer = ({ headers }) =>
      headers.authorization === 'Bearer model-key'
        ? { body: { data: [{ id: 'reader' }] } }
        : { status: 401 };
    expect(await found(checksWith(assessor()), 'assessor')).toMatchObject({ level: 'ok' });
    expect(
      await found(checksWith({ ...assessor(), PREDICTD_ASSESSOR_MODEL: 'other' }), 'assessor'),
    ).toMatchObject({ level: 'warn', sentence: 'none of its 1 models is other' });
    expect(
      await found(checksWith({ ...assessor(), PREDICTD_ASSESSOR_KEY: 'wrong' }), 'assessor'),
    ).toMatchObject({ level: 'warn', sentence: 'it answered 401' });
  });

  it('have the provider describe itself, and a provider that does not fails', async () => {
    const google = {
      PREDICTD_GOOGLE_ISSUER: stub.httpUrl,
      PREDICTD_GOOGLE_CLIENT_ID: 'us',
      PREDICTD_GOOGLE_CLIENT_SECRET: 'secret',
      PREDICTD_GOOGLE_RETURN_URL: 'https://app.example/back',
    };
    stub.behaviour.answer = () => ({
      headers: { 'content-type': 'application/json' },
      body: {
        issuer: stub.httpUrl,
        authorization_endpoint: `${stub.httpUrl}/authorize`,
        token_endpoint: `${stub.httpUrl}/token`,
        jwks_uri: `${stub.httpUrl}/keys`,
      },
    });
    expect(await found(checksWith(google), 'sign-in by Google')).toMatchObject({ level: 'ok' });
    stub.behaviour.answer = () => ({ status: 500 });
    await expect(found(checksWith(google), 'sign-in by Google')).rejects.toMatchObject({
      code: 'sign_in_unavailable',
    });
  });

  it('ask the registry of ids on its own chain', async () => {
    const social = {
      PREDICTD_SOCIAL_DOMAIN: 'app.example',
      PREDICTD_SOCIAL_URI: 'https://app.example/social',
      PREDICTD_SOCIAL_RPC_URL: stub.httpUrl,
    };
    const node = (chainId: string) => () => ({
      headers: { 'content-type': 'application/json' },
      body: { jsonrpc: '2.0', id: 1, result: chainId },
    });
    stub.behaviour.answer = node('0x1');
    await expect(found(checksWith(social), 'social sign-in')).rejects.toMatchObject({
      code: 'sign_in_unavailable',
    });
    expect(stub.requests.length).toBe(1);
  });

  it('take a private key of P-256 for messages, and show its public half alone', async () => {
    const curve = createECDH('prime256v1');
    curve.generateKeys();
    const push = (key: string) => ({
      PREDICTD_PUSH_CONTACT: 'mailto:operator@example.com',
      PREDICTD_PUSH_PRIVATE_KEY: key,
    });
    const key = Buffer.from(curve.getPrivateKey('hex').padStart(64, '0'), 'hex').toString(
      'base64url',
    );
    const { level, sentence } = await found(checksWith(push(key)), 'messages to browsers');
    expect([
      level,
      sentence.includes(curve.getPublicKey('base64url')),
      sentence.includes(key),
    ]).toEqual(['ok', true, false]);
    await expect(
      found(checksWith(push('_'.repeat(43))), 'messages to browsers'),
    ).rejects.toMatchObject({ code: 'config_invalid' });
  });
});
