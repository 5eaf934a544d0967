import { describe, expect, it } from 'vitest';
import { liveProfile } from '../../../config/profiles/live.ts';
import { sandboxProfile } from '../../../config/profiles/sandbox.ts';
import { testProfile } from '../../../config/profiles/test.ts';
import { readEnvironment } from '../../../config/schema.ts';

const NEEDED = {
  PREDICTD_BASE_RPC_URL: 'http://127.0.0.1:2',
  PREDICTD_SOLANA_RPC_URL: 'http://127.0.0.1:3',
  PREDICTD_POLYGON_RPC_URL: 'http://127.0.0.1:1',
  PREDICTD_MASTER_KEY: 'ab'.repeat(32),
  PREDICTD_INFERENCE_KEY: 'UP-1',
};
const TWILIO = {
  PREDICTD_TWILIO_SERVICE: `VA${'1'.repeat(32)}`,
  PREDICTD_TWILIO_ACCOUNT: `AC${'2'.repeat(32)}`,
  PREDICTD_TWILIO_SECRET: 'token',
};
const ACCOUNT = {
  baseUrl: 'https://verify.twilio.com/v2',
  serviceSid: TWILIO.PREDICTD_TWILIO_SERVICE,
  username: TWILIO.PREDICTD_TWILIO_ACCOUNT,
  password: 'token',
};

describe('codes', () => {
  it('are sent by the telephone service where its account is given, and never in the sandbox', () => {
    const environment = readEnvironment({ ...NEEDED, ...TWILIO });
    expect(
      [liveProfile, testProfile, sandboxProfile].map(
        (profile) => profile(environment).identity.codes,
      ),
    ).toEqual([ACCOUNT, ACCOUNT, 'shown']);
  });

  it('are not sent at all by a live daemon without an account', () => {
    const environment = readEnvironment(NEEDED);
    expect(
      [liveProfile, testProfile].map((profile) => profile(environment).identity.codes),
    ).toEqual(['none', 'shown']);
  });

  it.each(Object.keys(TWILIO))('are not guessed about when %s is missing', (name) => {
    const half = Object.fromEntries(Object.entries(TWILIO).filter(([each]) => each !== name));
    expect(() => liveProfile(readEnvironment({ ...NEEDED, ...half }))).toThrow(/belong together/);
  });
});

const GOOGLE = {
  PREDICTD_GOOGLE_CLIENT_ID: 'ours',
  PREDICTD_GOOGLE_CLIENT_SECRET: 'secret',
  PREDICTD_GOOGLE_RETURN_URL: 'https://predictd.example/sign-in/google/',
};
const SOCIAL = {
  PREDICTD_SOCIAL_DOMAIN: 'predictd.example',
  PREDICTD_SOCIAL_URI: 'https://predictd.example/sign-in',
  PREDICTD_SOCIAL_RPC_URL: 'https://node.example/key',
};

describe('other identity providers', () => {
  it('are not signed in by in a live daemon without their settings, and always in the sandbox', () => {
    const environment = readEnvironment(NEEDED);
    const [live, sandbox] = [liveProfile(environment), sandboxProfile(environment)];
    expect([
      live.identity.google,
      live.identity.social,
      live.endpoints?.openId,
      sandbox.identity.google?.returnTo,
      sandbox.identity.social,
    ]).toEqual([
      null,
      null,
      'https://accounts.google.com',
      'http://127.0.0.1:8787/sign-in/google',
      { domain: '127.0.0.1:8787', uri: 'http://127.0.0.1:8787/sign-in/social' },
    ]);
  });

  it('are those of the settings, to the letter', () => {
    const { identity, endpoints } = liveProfile(
      readEnvironment({ ...NEEDED, ...GOOGLE, ...SOCIAL }),
    );
    expect([identity.google, identity.social, endpoints?.socialRpc]).toEqual([
      {
        clientId: 'ours',
        clientSecret: 'secret',
        returnTo: 'https://predictd.example/sign-in/google/',
      },
      { domain: 'predictd.example', uri: 'https://predictd.example/sign-in' },
      'https://node.example/key',
    ]);
  });

  it.each([...Object.keys(GOOGLE), ...Object.keys(SOCIAL)])(
    'are not guessed about when %s is missing',
    (name) => {
      const half = Object.fromEntries(
        Object.entries({ ...GOOGLE, ...SOCIAL }).filter(([each]) => each !== name),
      );
      expect(() => liveProfile(readEnvironment({ ...NEEDED, ...half }))).toThrow(/belong together/);
    },
  );

  it('are spoken to in the open on this machine alone', () => {
    expect(() =>
      liveProfile(
        readEnvironment({ ...NEEDED, PREDICTD_GOOGLE_ISSUER: 'http://accounts.google.com' }),
      ),
    ).toThrow(/https/);
    expect(
      liveProfile(readEnvironment({ ...NEEDED, PREDICTD_GOOGLE_ISSUER: 'http://127.0.0.1:9' }))
        .endpoints?.openId,
    ).toBe('http://127.0.0.1:9');
  });
});
