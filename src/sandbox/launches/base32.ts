const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** Returns bytes in base32 without padding, lower case (RFC 4648 section 6). */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(held >> bits) & 31];
    }
  }
  return bits === 0 ? text : text + ALPHABET[(held << (5 - bits)) & 31];
}
