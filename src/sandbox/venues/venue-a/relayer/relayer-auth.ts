import { createHmac, timingSafeEqual } from 'node:crypto';
import { RELAYER_MODEL } from '../../../../../config/limits/sandbox-chains.ts';
import type { Clock } from '../../../../ports/clock.ts';
import type { Call } from '../../../wire/http-server.ts';

/** A builder's secret and passphrase, found by its key. */
interface BuilderSecret {
  readonly secret: string;
  readonly passphrase: string;
}

/** Finds a builder by its key; null for an unknown one. */
export type FindBuilder = (key: string) => BuilderSecret | null;

/**
 * The builder key a request was made with: HMAC over time, method, path without query and raw body
 * under the builder's secret (venue_a.md section 2.3). Null when anything about it is wrong.
 */
export function builderProof(call: Call, find: FindBuilder, clock: Clock): string | null {
  const key = call.header('poly_builder_api_key');
  const timestamp = call.header('poly_builder_timestamp');
  const builder = key === '' ? null : find(key);
  if (
    builder === null ||
    !isFresh(timestamp, clock) ||
    !isEqual(Buffer.from(call.header('poly_builder_passphrase')), Buffer.from(builder.passphrase))
  )
    return null;
  const expected = createHmac('sha256', Buffer.from(builder.secret, 'base64'))
    .update(`${timestamp}${call.method}${call.path}${call.body}`)
    .digest();
  return isEqual(Buffer.from(call.header('poly_builder_signature'), 'base64'), expected)
    ? key
    : null;
}

function isFresh(timestamp: string, clock: Clock): boolean {
  // A client that counts whole seconds may be almost a second behind.
  return (
    /^\d{1,12}$/.test(timestamp) &&
    Math.abs(Number(timestamp) * 1_000 - clock.nowMs()) <= RELAYER_MODEL.skewMs + 999
  );
}

function isEqual(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}
