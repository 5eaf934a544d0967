import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';

/** Crockford's base 32: no letters that resemble digits, and its order is that of its numbers. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_CHARS = 10;
const CHANCE_CHARS = 16;
/** The lower four bits of each character. */
const HEX_OF = new Map(
  Array.from(ALPHABET, (letter, value) => [letter, (value & 15).toString(16)] as const),
);
const NO_DIGITS = '0'.repeat(CHANCE_CHARS);

/** Returns when an id was made, epoch ms of its clock, by the characters behind its prefix. */
export function timeOfId(body: string): number {
  let time = 0;
  for (const letter of body.slice(0, TIME_CHARS)) time = time * 32 + ALPHABET.indexOf(letter);
  return time;
}

/**
 * Returns sixteen hex digits of an id's chance, not all zero: the same of one id at any time, for
 * what has to be named after it elsewhere.
 */
export function hexOfId(id: string): string {
  let digits = '';
  for (let at = id.length - CHANCE_CHARS; at < id.length; at += 1)
    digits += at < 0 ? '1' : (HEX_OF.get(id.charAt(at)) ?? 'f');
  return digits === NO_DIGITS ? '1'.padStart(CHANCE_CHARS, '0') : digits;
}

/**
 * Makes 26 characters that sort by the time they were made: ten of time, sixteen of chance (80
 * bits). Put a prefix such as "int_" before them.
 */
export function newIdBody({
  clock,
  random,
}: {
  readonly clock: Clock;
  readonly random: Random;
}): string {
  let time = '';
  for (let rest = clock.nowMs(), index = 0; index < TIME_CHARS; index += 1) {
    time = ALPHABET.charAt(rest % 32) + time;
    rest = Math.floor(rest / 32);
  }
  let chance = '';
  for (const byte of random.bytes(CHANCE_CHARS)) chance += ALPHABET.charAt(byte & 31);
  return time + chance;
}
