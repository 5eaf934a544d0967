import type { Random } from '../ports/random.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** A new id: `prefix` and 26 characters of Crockford's base 32, 130 bits of chance. */
export function freshId(random: Random, prefix: string): string {
  return `${prefix}${Array.from(random.bytes(26), (byte) => ALPHABET[byte & 31]).join('')}`;
}
