import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTwilioVerify } from '../../../src/adapters/twilio-verify/twilio-verify.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { startVerifyServer, type VerifyServer } from '../../support/fixtures/verify-server.ts';

const PHONE = '+14155552671';
let server: VerifyServer;
let verifier: ReturnType<typeof createTwilioVerify>;
const open = (password = server.password, timeoutMs = 60_000) =>
  createTwilioVerify({
    baseUrl: server.url,
    serviceSid: server.serviceSid,
    username: server.username,
    password,
    timeoutMs,
  });
const outcomeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => value,
    (error: unknown) => (error instanceof AppError ? [error.code, error.retryable] : error),
  );

beforeEach(async () => {
  server = await startVerifyServer();
  verifier = open();
});
afterEach(async () => {
  await verifier.close();
  await server.close();
});

describe('Twilio Verify', () => {
  it('is asked by form, with the phone once and by the reference afterwards', async () => {
    const reference = await verifier.send(PHONE, null);
    await verifier.check({ phone: PHONE, reference, code: '000000' });
    const base = `/v2/Services/${server.serviceSid}`;
    expect([reference, server.seen]).toEqual([
      expect.stringMatching(/^VE[0-9a-f]{32}$/),
      [
        {
          path: `${base}/Verifications`,
          form: { To: PHONE, Channel: 'sms' },
          contentType: 'application/x-www-form-urlencoded',
        },
        {
          path: `${base}/VerificationCheck`,
          form: { VerificationSid: reference, Code: '000000' },
          contentType: 'application/x-www-form-urlencoded',
        },
      ],
    ]);
  });

  it('is done with a code after five wrong ones, and with one that was right once', async () => {
    const reference = await verifier.send(PHONE, null);
    const verdicts = [];
    for (let attempt = 0; attempt < 6; attempt += 1)
      verdicts.push(await verifier.check({ phone: PHONE, reference, code: '000000' }));
    const next = await verifier.send(PHONE, reference);
    const code = server.codeFor(PHONE) ?? '';
    verdicts.push(
      await verifier.check({ phone: PHONE, reference: next, code }),
      await verifier.check({ phone: PHONE, reference: next, code }),
    );
    expect(verdicts).toEqual([
      'wrong',
      'wrong',
      'wrong',
      'wrong',
      'wrong',
      'spent',
      'right',
      'expired',
    ]);
  });

  it('sends on when the code to be replaced is no longer known there', async () => {
    const earlier = await verifier.send(PHONE, null);
    server.advance(600_000);
    expect(await verifier.send(PHONE, earlier)).not.toBe(earlier);
  });

  it.each([
    ['a number it does not take', 400, 60_200, ['invalid_request', false]],
    ['a landline', 400, 60_205, ['invalid_request', false]],
    ['a blocked range', 403, 60_410, ['country_not_supported', false]],
    ['enough sends', 429, 60_203, ['too_many_attempts', true]],
    ['too many calls', 429, 20_429, ['sign_in_unavailable', true]],
    ['a limit of the service', 429, 60_207, ['sign_in_unavailable', true]],
    ['an unknown reason', 400, 61_999, ['sign_in_unavailable', true]],
  ])('refuses to send with a clear code for %s', async (_what, status, code, outcome) => {
    server.refuse(PHONE, status, code);
    expect(await outcomeOf(verifier.send(PHONE, null))).toEqual(outcome);
  });

  it('says that it does not know us, and that trying again is no use', async () => {
    const stranger = open('another token');
    expect(await outcomeOf(stranger.send(PHONE, null))).toEqual(['sign_in_unavailable', false]);
    await stranger.close();
  });

  it.each([
    'server_error',
    'no_answer',
    'reset',
    'no_json',
    'unknown_meaning',
    'foreign_verification',
  ] as const)('L2: guesses nothing about a code when the answer is %s', async (how) => {
    const reference = await verifier.send(PHONE, null);
    const code = server.codeFor(PHONE) ?? '';
    const impatient = open(server.password, 500);
    server.fail(how);
    const checked = await outcomeOf(impatient.check({ phone: PHONE, reference, code }));
    server.fail(how);
    const sent = await outcomeOf(impatient.send(PHONE, null));
    await impatient.close();
    expect([checked, sent]).toEqual([
      ['sign_in_unavailable', true],
      ['sign_in_unavailable', true],
    ]);
  });

  it('L12: keeps account, token and code out of what it throws', async () => {
    const reference = await verifier.send(PHONE, null);
    server.fail('server_error');
    const error = await verifier
      .check({ phone: PHONE, reference, code: '123456' })
      .catch((cause: unknown) => cause);
    const text = `${String(error)} ${JSON.stringify(error)}`;
    expect(
      [server.password, '123456', PHONE, server.username].filter((secret) => text.includes(secret)),
    ).toEqual([]);
  });
});
