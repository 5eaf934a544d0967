import { getAddress, isAddress } from 'viem';
import { asId, type Address } from '../../domain/ids.ts';

/**
 * Reads an address: letters of one case, or of both with the checksum they must then carry
 * (EIP-55); null for any other text, and where a letter of it is mistyped.
 */
export function readAddress(text: string): Address | null {
  const isUpper = text === `0x${text.slice(2).toUpperCase()}`;
  const read = isUpper ? text.toLowerCase() : text;
  return isAddress(read) ? asId<Address>(getAddress(read)) : null;
}
