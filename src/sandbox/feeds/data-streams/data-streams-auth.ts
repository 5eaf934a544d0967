import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { timeOfStamp, type CallerTime } from '../../wire/caller-times.ts';
import { json, type FeedAnswer, type FeedRequest } from '../feed-host.ts';

/** Key and secret the data streams accept. */
export interface DataStreamsAccount {
  readonly key: string;
  readonly secret: string;
}

/** The server's time and a caller's may differ by this much (feeds.md section 2.1). */
const SKEW_MS = 5_000;
const EMPTY_BODY_HASH = createHash('sha256').digest('hex');

/**
 * Checks key, time and signature of a call or an upgrade; gives the refusal, or null when it may
 * pass.
 */
export function refuseUnsigned(
  request: FeedRequest,
  account: DataStreamsAccount,
  times: readonly CallerTime[],
): FeedAnswer | null {
  const [key, stamp, signature] = [
    request.header('authorization'),
    request.header('x-authorization-timestamp'),
    request.header('x-authorization-signature-sha256'),
  ];
  if (key === null || stamp === null || signature === null || !/^\d{1,16}$/.test(stamp))
    return json(400, { error: 'missing or malformed authorization header' });
  if (key !== account.key) return json(401, { error: 'unknown user' });
  if (timeOfStamp(Number(stamp), times, SKEW_MS) === null)
    return json(401, { error: 'timestamp out of range' });
  const expected = createHmac('sha256', account.secret)
    .update(`${request.method} ${request.target} ${EMPTY_BODY_HASH} ${key} ${stamp}`)
    .digest();
  const given = Buffer.from(signature, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected)
    ? null
    : json(401, { error: 'invalid signature' });
}
