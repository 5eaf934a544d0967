import { createVirtualClock } from '../../src/adapters/clock/virtual-clock.ts';
import { createDigests } from '../../src/adapters/identity/sign-in-secrets.ts';
import { createOwnCodes } from '../../src/adapters/identity/own-codes.ts';
import { createSeededRandom } from '../../src/adapters/random/seeded-random.ts';
import { createTwilioVerify } from '../../src/adapters/twilio-verify/twilio-verify.ts';
import { startVerifyServer } from '../support/fixtures/verify-server.ts';
import { describePhoneVerifier } from './phone-verifier.ts';

describePhoneVerifier('our own codes', async () => {
  const clock = createVirtualClock(1_800_000_000_000);
  const brought = new Map<string, string>();
  const verifier = createOwnCodes({
    random: createSeededRandom(3),
    clock,
    digests: createDigests(new Uint8Array(32).fill(5)),
    deliver: async (phone, code) => void brought.set(phone, code),
  });
  return {
    verifier,
    codeFor: (phone) => brought.get(phone) ?? '',
    advance: (ms) => clock.advance(ms),
    end: async () => undefined,
  };
});

describePhoneVerifier('Twilio Verify over the wire', async () => {
  const server = await startVerifyServer();
  const { url: baseUrl, serviceSid, username, password } = server;
  const verifier = createTwilioVerify({ baseUrl, serviceSid, username, password });
  return {
    verifier,
    codeFor: (phone) => server.codeFor(phone) ?? '',
    advance: async (ms) => server.advance(ms),
    async end() {
      await verifier.close();
      await server.close();
    },
  };
});
