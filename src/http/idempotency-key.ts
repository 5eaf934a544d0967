import { API } from '../../config/limits/api.ts';
import { AppError } from '../domain/errors.ts';

/**
 * What an `Idempotency-Key` is made of: visible ASCII, at most `API.idempotencyKeyMaximumChars` of
 * it.
 */
export const IDEMPOTENCY_KEY_TEXT = /^[\x21-\x7e]+$/;

/** The same in words. */
export const IDEMPOTENCY_KEY_WORDS = `1 to ${API.idempotencyKeyMaximumChars} visible ASCII characters`;

/** Reports whether a text may be a key. */
export function isIdempotencyKey(text: string): boolean {
  return IDEMPOTENCY_KEY_TEXT.test(text) && text.length <= API.idempotencyKeyMaximumChars;
}

/** Reads the header `Idempotency-Key`; null without one. Errors: `invalid_request`. */
export function idempotencyKeyOf(header: string | null): string | null {
  if (header === null || isIdempotencyKey(header)) return header;
  throw new AppError('invalid_request', `Idempotency-Key must be ${IDEMPOTENCY_KEY_WORDS}`, {
    fields: [{ path: '/header/idempotency-key', message: IDEMPOTENCY_KEY_WORDS }],
  });
}
