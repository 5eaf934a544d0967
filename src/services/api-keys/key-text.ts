import { crc32 } from '../../domain/crc32.ts';
import { slotText } from '../../domain/slot.ts';
import type { Random } from '../../ports/random.ts';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const START = 'pk_';
/** 43 characters of base 62 carry 256 bits, and 244 behind a slot. */
const BODY_CHARS = 43;
/** Six carry the 32 bits of the checksum. */
const CHECK_CHARS = 6;
/** What of a key is shown in lists and used to find it. */
const PREFIX_CHARS = START.length + 8;

/**
 * Makes a key: "pk_", 43 characters of chance, the first two those of its user's slot, and six that
 * check the rest. The check drops typing errors and garbage; it protects nothing.
 */
export function freshKeyText(random: Random, slot: number | null): string {
  const chance = Array.from({ length: BODY_CHARS }, () =>
    DIGITS.charAt(random.integer(DIGITS.length)),
  ).join('');
  const body = slot === null ? chance : slotText(slot) + chance.slice(2);
  return `${START}${body}${checkOf(START + body)}`;
}

/** True for text that can be a key of this service, by its form and checksum alone. */
export function isKeyText(text: string): boolean {
  if (text.length !== START.length + BODY_CHARS + CHECK_CHARS || !/^pk_[0-9A-Za-z]+$/.test(text))
    return false;
  return text.endsWith(checkOf(text.slice(0, -CHECK_CHARS)));
}

/** The part of a key that may be shown. */
export function keyPrefix(text: string): string {
  return text.slice(0, PREFIX_CHARS);
}

function checkOf(text: string): string {
  // of ASCII alone
  let rest = crc32(Uint8Array.from(text, (char) => char.charCodeAt(0)));
  let check = '';
  for (let index = 0; index < CHECK_CHARS; index += 1) {
    check = DIGITS.charAt(rest % DIGITS.length) + check;
    rest = Math.floor(rest / DIGITS.length);
  }
  return check;
}
