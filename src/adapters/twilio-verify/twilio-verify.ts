import { TELEPHONE } from '../../../config/limits/identity.ts';
import type { PhoneVerifier } from '../../ports/phone-verifier.ts';
import { createHttpCalls } from '../wire/http-calls.ts';
import {
  readAnswer,
  readVerdict,
  REFUSALS,
  refused,
  unavailable,
  type VerifyAnswer,
} from './parse.ts';

/**
 * Codes by Twilio Verify v2: the service makes, sends and judges them, and no code is ever known
 * here. Nothing is repeated inside. Source: twilio@6.2.0 and its error pages (identity.md section
 * 1.4).
 */
export function createTwilioVerify(options: {
  /** `https://verify.twilio.com/v2`, without a trailing slash. */
  readonly baseUrl: string;
  /** `VA` and 32 hex digits. */
  readonly serviceSid: string;
  /** SID of the account, or of an API key, and its secret. */
  readonly username: string;
  readonly password: string;
  /** Real time one call may take. */
  readonly timeoutMs?: number;
}): PhoneVerifier & { close(): Promise<void> } {
  const { baseUrl, serviceSid, username, password, timeoutMs = TELEPHONE.callTimeoutMs } = options;
  const calls = createHttpCalls({
    baseUrl,
    connectionsMaximum: TELEPHONE.connectionsMaximum,
    keepAliveMs: TELEPHONE.keepAliveMs,
    connectTimeoutMs: TELEPHONE.connectTimeoutMs,
    answerMaximumBytes: TELEPHONE.answerMaximumBytes,
    headers: {
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
  });
  const post = async (
    path: string,
    fields: Readonly<Record<string, string>>,
  ): Promise<VerifyAnswer> =>
    readAnswer(
      await calls.send({
        method: 'POST',
        path: `/Services/${serviceSid}${path}`,
        body: new URLSearchParams(fields).toString(),
        timeoutMs,
      }),
    );

  return {
    close: () => calls.close(),
    async send(phone, earlier) {
      if (earlier !== null) await cancel(post, earlier);
      const answer = await post('/Verifications', { To: phone, Channel: 'sms' });
      if (answer.kind === 'refused') throw refused(answer);
      const { sid, to, status } = answer.verification;
      if (to !== phone || status !== 'pending')
        throw unavailable('answered with another verification than the one asked for');
      return sid;
    },
    async check({ phone, reference, code }) {
      const answer = await post('/VerificationCheck', { VerificationSid: reference, Code: code });
      if (
        answer.kind === 'verification' &&
        (answer.verification.to !== phone || answer.verification.sid !== reference)
      )
        throw unavailable('judged another verification than the one asked about');
      return readVerdict(answer);
    },
  };
}

/**
 * The service sends the same code again while a verification lives: only after its end is the next
 * code a fresh one.
 */
async function cancel(
  post: (path: string, fields: Readonly<Record<string, string>>) => Promise<VerifyAnswer>,
  reference: string,
): Promise<void> {
  const answer = await post(`/Verifications/${encodeURIComponent(reference)}`, {
    Status: 'canceled',
  });
  if (answer.kind === 'refused' && answer.code !== REFUSALS.notFound) throw refused(answer);
}
