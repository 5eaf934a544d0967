const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/**
 * Reads what `base58Of` writes; null for a text with other letters. Bytes that are secret are the
 * caller's to wipe.
 */
export function base58Bytes(text: string): Uint8Array | null {
  const bytes: number[] = [];
  for (const letter of text) {
    let carry = ALPHABET.indexOf(letter);
    if (carry < 0) return null;
    for (let index = 0; index < bytes.length; index += 1) {
      carry += (bytes[index] ?? 0) * 58;
      bytes[index] = carry & 255;
      carry >>= 8;
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 255);
  }
  const zeros = text.length - text.replace(/^1+/, '').length;
  return Uint8Array.from([...Array<number>(zeros).fill(0), ...bytes.reverse()]);
}

/**
 * Writes bytes in base 58 with Bitcoin's alphabet, as Solana writes addresses and keys: each
 * leading zero byte is a "1".
 */
export function base58Of(bytes: Uint8Array): string {
  const digits: number[] = [];
  for (const byte of bytes) {
    let carry = byte;
    for (let index = 0; index < digits.length; index += 1) {
      carry += (digits[index] ?? 0) * 256;
      digits[index] = carry % 58;
      carry = Math.floor(carry / 58);
    }
    while (carry > 0) {
      digits.push(carry % 58);
      carry = Math.floor(carry / 58);
    }
  }
  const firstNonZero = bytes.findIndex((byte) => byte !== 0);
  const zeros = firstNonZero === -1 ? bytes.length : firstNonZero;
  return (
    '1'.repeat(zeros) +
    digits
      .reverse()
      .map((digit) => ALPHABET.charAt(digit))
      .join('')
  );
}
