import { AppError } from '../../domain/errors.ts';
import { PublicHash } from '../../ports/log.ts';

/** What takes the place of a secret. */
export const REDACTED = '[redacted]';

/** A line is for reading: longer things are cut. */
const DEPTH_MAXIMUM = 6;
const MEMBERS_MAXIMUM = 64;
const TEXT_MAXIMUM = 2_000;

/**
 * Fields whose value is a secret, or a person's, whatever it looks like. `tokenId` and the like
 * name outcome tokens.
 */
const SECRET_FIELD =
  /secret|passw|passphrase|mnemonic|private_?key|master_?key|api_?key|sealed|signature|authorization|cookie|bearer|jwt|^otp|one_?time_?code|phone|^(access|refresh|id|auth|session)?_?token$/i;
/** Fields that hold a public 32-byte name, which looks like a private key. */
const PUBLIC_HASH_FIELD =
  /^(order|market|condition|trade|transaction|intent|decision|event|entry|token|group|request|sent|received|approval)_?(id|ids|hash|hashes|key)$|^(hash|root|digest|transactionHash)$/i;

const BEARER = /\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]+/gi;
const JWT = /\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g;
const API_KEY = /\b(?:pk|sk|rt)_[A-Za-z0-9_-]{8,}/g;
/**
 * 32 bytes or more in hex. Decimal token ids are as long, so without 0x a letter must be among the
 * digits.
 */
const LONG_HEX = /\b(?:0x[0-9a-fA-F]{64,}|(?=[0-9]*[a-fA-F])[0-9a-fA-F]{64,})(?![0-9a-zA-Z])/g;
/** name=value and "name":"value" inside texts such as URLs and bodies. */
const NAMED_SECRET =
  /((?:secret|passphrase|password|api_?key|access_?token|refresh_?token|signature)["']?\s*[=:]\s*["']?)[^\s"'&,;}]+/gi;

/**
 * Copies log fields without secrets (L12): by the field's name, and in every text by the form of
 * keys, tokens and signatures. Only a `PublicHash` in a field named as one stays whole. Errors
 * become name, code, message and cause. What is too deep, long or wide is cut; nothing throws.
 */
export function redactFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return redactMembers(fields, 0);
}

/** Text without what looks like a secret. */
export function redactText(text: string): string {
  const cut = text.length > TEXT_MAXIMUM ? `${text.slice(0, TEXT_MAXIMUM)}…` : text;
  return cut
    .replace(NAMED_SECRET, `$1${REDACTED}`)
    .replace(BEARER, `$1 ${REDACTED}`)
    .replace(JWT, REDACTED)
    .replace(API_KEY, REDACTED)
    .replace(LONG_HEX, REDACTED);
}

function redactMembers(fields: object, depth: number): Record<string, unknown> {
  const kept = Object.entries(fields)
    .slice(0, MEMBERS_MAXIMUM)
    .map(([name, value]) => [name, redactField(name, value, depth)] as const);
  return Object.fromEntries(kept);
}

function redactField(name: string, value: unknown, depth: number): unknown {
  if (value instanceof PublicHash && PUBLIC_HASH_FIELD.test(name)) return value.hex;
  if (
    SECRET_FIELD.test(name) &&
    !PUBLIC_HASH_FIELD.test(name) &&
    value !== null &&
    value !== undefined
  )
    return REDACTED;
  if (
    typeof value === 'string' &&
    PUBLIC_HASH_FIELD.test(name) &&
    /^0x[0-9a-fA-F]{64}$/.test(value)
  )
    return value;
  return redactValue(value, depth);
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null)
    return typeof value === 'function' || typeof value === 'symbol' ? `[${typeof value}]` : value;
  if (depth >= DEPTH_MAXIMUM) return '[deep]';
  if (value instanceof Error) return redactError(value, depth + 1);
  if (Array.isArray(value))
    return value.slice(0, MEMBERS_MAXIMUM).map((member) => redactValue(member, depth + 1));
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  return redactMembers(value, depth + 1);
}

/**
 * The stack tells where a programmer's error came from; an AppError says what happened by its code.
 */
function redactError(error: Error, depth: number): Record<string, unknown> {
  const code: unknown = 'code' in error ? error.code : undefined;
  return {
    name: error.name,
    ...(code === undefined ? {} : { code: redactValue(code, depth) }),
    message: redactText(error.message),
    ...(error instanceof AppError || error.stack === undefined
      ? {}
      : { stack: redactText(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: redactValue(error.cause, depth) }),
  };
}
