import { ID_DIGITS, slotText } from '../domain/slot.ts';
import type { Random } from '../ports/random.ts';

/**
 * A new id: `prefix` and 26 characters of Crockford's base 32, 130 bits of chance, or 120 behind
 * those of a slot.
 */
export function freshId(random: Random, prefix: string, slot: number | null = null): string {
  const body = Array.from(random.bytes(26), (byte) => ID_DIGITS[byte & 31]).join('');
  return `${prefix}${slot === null ? body : slotText(slot) + body.slice(2)}`;
}
