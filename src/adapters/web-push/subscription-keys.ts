import { ECDH } from 'node:crypto';
import type { FieldError } from '../../domain/errors.ts';

const POINT_BYTES = 65;
const AUTH_BYTES = 16;

/**
 * What is wrong with the keys of a subscription (RFC 8291, section 3): a point that is not on P-256
 * would tell of our own key.
 */
export function keyFaults({
  p256dh,
  auth,
}: {
  readonly p256dh: string;
  readonly auth: string;
}): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (!isPoint(p256dh))
    faults.push({
      path: '/keys/p256dh',
      message: 'must be base64url of an uncompressed point of P-256',
    });
  if (bytesOf(auth)?.length !== AUTH_BYTES)
    faults.push({ path: '/keys/auth', message: `must be base64url of ${AUTH_BYTES} bytes` });
  return faults;
}

function isPoint(text: string): boolean {
  const bytes = bytesOf(text);
  if (bytes === null || bytes.length !== POINT_BYTES || bytes[0] !== 4) return false;
  try {
    ECDH.convertKey(bytes, 'prime256v1', undefined, undefined, 'compressed');
    return true;
  } catch {
    return false;
  }
}

/** Bytes of base64url, with or without padding; null for anything else. */
function bytesOf(text: string): Buffer | null {
  return /^[A-Za-z0-9_-]{1,128}={0,2}$/.test(text) ? Buffer.from(text, 'base64url') : null;
}
