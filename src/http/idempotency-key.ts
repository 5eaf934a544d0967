/** What an `Idempotency-Key` is made of: visible ASCII, at most `SURFACE.idempotencyKeyMaximumChars` of it. */
export const IDEMPOTENCY_KEY_TEXT = /^[\x21-\x7e]+$/;
