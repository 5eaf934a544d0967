import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { AppError } from '../../domain/errors.ts';

/**
 * Kinds of line a code is sent to; the others are paid-for traps, lent numbers, or take no messages
 * (identity.md section 1.2).
 */
const REACHABLE: ReadonlySet<string | undefined> = new Set(['MOBILE', 'FIXED_LINE_OR_MOBILE']);

const COUNTRY_NAMES = new Intl.DisplayNames(['en'], { type: 'region' });

/** A number in E.164 form and the country it belongs to, as two letters. */
export interface Phone {
  readonly number: string;
  readonly country: string;
}

/**
 * Reads a phone number in international form. Errors: `invalid_request` with the path for what is
 * no mobile number, `country_not_supported` beyond `countries` (two letters each).
 */
export function parsePhone(text: string, countries: ReadonlySet<string>): Phone {
  const number = parsePhoneNumberFromString(text.trim(), { extract: false });
  if (
    number?.isValid() !== true ||
    number.ext !== undefined ||
    number.country === undefined ||
    !REACHABLE.has(number.getType())
  ) {
    const message = 'a mobile number in international form, such as +14155552671';
    throw new AppError('invalid_request', `phone: ${message}`, {
      fields: [{ path: '/phone', message }],
    });
  }
  if (!countries.has(number.country)) {
    const country = COUNTRY_NAMES.of(number.country) ?? number.country;
    const message = `no codes are sent to phones of ${country}; take a phone of another country, or sign in another way`;
    throw new AppError('country_not_supported', message, { fields: [{ path: '/phone', message }] });
  }
  return { number: number.number, country: number.country };
}

/** Shows enough of a number to recognise one's own: "+1••••••2671". */
export function maskPhone(phone: string): string {
  return `${phone.slice(0, 2)}${'•'.repeat(Math.max(0, phone.length - 6))}${phone.slice(-4)}`;
}
