import { asId, type Address } from '../../domain/ids.ts';
import type { Keccak } from './keccak.ts';

/**
 * Writes 20 bytes as EIP-55 asks: a letter is upper case where the hash of the lower-case text has
 * a high nibble.
 */
export function addressOfBytes(keccak: Keccak, bytes: Uint8Array): Address {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
  const hash = Buffer.from(keccak(Buffer.from(hex, 'ascii'))).toString('hex');
  let text = '0x';
  for (let index = 0; index < hex.length; index += 1) {
    const letter = hex.charAt(index);
    text += hash.charCodeAt(index) >= 0x38 ? letter.toUpperCase() : letter;
  }
  return asId<Address>(text);
}
