/**
 * Users are parted into 1,024 slots for ever, and a shard has some of them. What belongs to a user
 * names its slot by the first two characters behind the prefix of its id (`usr_0g…`, `ses_0g…`), so
 * that whoever sees an id knows where to ask.
 */
export const SLOTS = 1_024;

/** Crockford's base 32: two of these digits are a slot. */
export const ID_DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const NAMED = /^[a-z]+_([0-9a-hjkmnp-tv-z])([0-9a-hjkmnp-tv-z])/;

/** Returns the slot, 0 to 1,023, that an id names; null where it names none. */
export function slotOf(id: string): number | null {
  const [, high, low] = NAMED.exec(id) ?? [];
  if (high === undefined || low === undefined) return null;
  return ID_DIGITS.indexOf(high) * ID_DIGITS.length + ID_DIGITS.indexOf(low);
}

/** Returns the two characters of a slot. */
export function slotText(slot: number): string {
  return `${ID_DIGITS.charAt(slot >> 5)}${ID_DIGITS.charAt(slot & 31)}`;
}

/** Returns the slot where what has this digest, in base64url, is dealt with. */
export function slotOfDigest(digest: string): number {
  return Buffer.from(digest, 'base64url').readUInt16BE(0) % SLOTS;
}
