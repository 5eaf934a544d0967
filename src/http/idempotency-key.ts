import { API } from '../../config/limits.ts';
import { AppError } from '../domain/errors.ts';

/**
 * What an `Idempotency-Key` is made of: visible ASCII, at most `API.idempotencyKeyMaximumChars` of
 * it.
 */
export const IDEMPOTENCY_KEY_TEXT = /^[\x21-\x7e]+$/;

/** Reads the header `Idempotency-Key`; null where there is none. Errors: `invalid_request`. */
export function idempotencyKeyOf(header: string | null): string | null {
  if (
    header === null ||
    (IDEMPOTENCY_KEY_TEXT.test(header) && header.length <= API.idempotencyKeyMaximumChars)
  )
    return header;
  const message = `1 to ${API.idempotencyKeyMaximumChars} visible ASCII characters`;
  throw new AppError('invalid_request', `Idempotency-Key must be ${message}`, {
    fields: [{ path: '/header/idempotency-key', message }],
  });
}
