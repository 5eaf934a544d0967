import { describe, expect, it } from 'vitest';
import { liveProfile } from '../../../config/profiles/live.ts';
import { sandboxProfile } from '../../../config/profiles/sandbox.ts';
import { testProfile } from '../../../config/profiles/test.ts';
import { readEnvironment } from '../../../config/schema.ts';

const NEEDED = { PREDICTD_BASE_RPC_URL: 'http://127.0.0.1:2', PREDICTD_SOLANA_RPC_URL: 'http://127.0.0.1:3', PREDICTD_POLYGON_RPC_URL: 'http://127.0.0.1:1', PREDICTD_MASTER_KEY: 'ab'.repeat(32), PREDICTD_INFERENCE_KEY: 'UP-1' };
const TWILIO = { PREDICTD_TWILIO_SERVICE: `VA${'1'.repeat(32)}`, PREDICTD_TWILIO_ACCOUNT: `AC${'2'.repeat(32)}`, PREDICTD_TWILIO_SECRET: 'token' };
const ACCOUNT = { baseUrl: 'https://verify.twilio.com/v2', serviceSid: TWILIO.PREDICTD_TWILIO_SERVICE, username: TWILIO.PREDICTD_TWILIO_ACCOUNT, password: 'token' };

describe('codes', () => {
  it('are sent by the telephone service where its account is given, and never in the sandbox', () => {
    const environment = readEnvironment({ ...NEEDED, ...TWILIO });
    expect([liveProfile, testProfile, sandboxProfile].map((profile) => profile(environment).identity.codes)).toEqual([ACCOUNT, ACCOUNT, 'shown']);
  });

  it('are not sent at all by a live daemon without an account', () => {
    const environment = readEnvironment(NEEDED);
    expect([liveProfile, testProfile].map((profile) => profile(environment).identity.codes)).toEqual(['none', 'shown']);
  });

  it.each(Object.keys(TWILIO))('are not guessed about when %s is missing', (name) => {
    const half = Object.fromEntries(Object.entries(TWILIO).filter(([each]) => each !== name));
    expect(() => liveProfile(readEnvironment({ ...NEEDED, ...half }))).toThrow(/belong together/);
  });
});
