import type { UserContext } from '../route.ts';
import type { InputSchemas } from '../route-input.ts';

const CHALLENGE = /^otp_[0-9a-z]{26}$/;
const CODE = /^\d{6}$/;

/**
 * Headers of a call that takes a fresh code from the user's phone: bodies are compared when a call
 * is repeated, and addresses end up in logs.
 */
export const ONE_TIME_CODE_HEADERS: NonNullable<InputSchemas['headers']> = {
  'X-Challenge-Id': { field: 'challengeId', description: 'The challengeId of the code.' },
  'X-One-Time-Code': { field: 'code', description: 'Six digits, from your phone.' },
};

/**
 * Reads the code of a call; null for what is missing. What has another form is no proof, as if
 * nothing had come.
 */
export function oneTimeCodeOf({ header }: Pick<UserContext, 'header'>): {
  readonly challengeId: string | null;
  readonly code: string | null;
} {
  return {
    challengeId: wellFormed(header('x-challenge-id'), CHALLENGE),
    code: wellFormed(header('x-one-time-code'), CODE),
  };
}

function wellFormed(text: string | null, form: RegExp): string | null {
  return text !== null && form.test(text) ? text : null;
}
