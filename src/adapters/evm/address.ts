import { getAddress, isAddress } from 'viem';
import { asId, type Address } from '../../domain/ids.ts';

/**
 * Reads an address: letters of one case, or of both with the checksum they must then carry
 * (EIP-55); null for any other text, and where a letter of it is mistyped.
 */
export function readAddress(text: string): Address | null {
  return isAddress(text) ? asId<Address>(getAddress(text)) : null;
}
