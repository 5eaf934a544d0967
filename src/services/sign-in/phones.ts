import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { AppError } from '../../domain/errors.ts';

/** Kinds of line a code can reach; the others are paid-for traps or take no messages. */
const REACHABLE = new Set(['MOBILE', 'FIXED_LINE_OR_MOBILE', 'PERSONAL_NUMBER', undefined]);

/** Reads a phone number in international form into E.164. Errors: `invalid_request` with the path. */
export function parsePhone(text: string): string {
  const number = parsePhoneNumberFromString(text.trim(), { extract: false });
  if (number?.isValid() !== true || !REACHABLE.has(number.getType())) {
    const message = 'a mobile number in international form, such as +14155552671';
    throw new AppError('invalid_request', `phone: ${message}`, { fields: [{ path: '/phone', message }] });
  }
  return number.number;
}

/** Shows enough of a number to recognise one's own: "+1••••••2671". */
export function maskPhone(phone: string): string {
  return `${phone.slice(0, 2)}${'•'.repeat(Math.max(0, phone.length - 6))}${phone.slice(-4)}`;
}
