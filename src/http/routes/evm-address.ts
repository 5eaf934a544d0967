import { getAddress, isAddress } from 'viem';
import type { z } from 'zod';

/**
 * Has a field that may hold an address of an EVM chain read it into its one spelling, so that what
 * compares or answers it sees no other. One whose letters do not fit its checksum is refused, and
 * one that begins with 0X; other text, such as a ticker or an address of Solana, passes unchanged.
 */
export function checksummed(field: z.ZodString): z.ZodString {
  return field
    .superRefine((text, context) => {
      const message = evmAddressFault(text);
      if (message !== null) context.addIssue({ code: 'custom', message });
    })
    .overwrite(withChecksum);
}

/**
 * Says what is wrong with an EVM address: letters in mixed case that do not fit its checksum
 * (EIP-55), since one of them is mistyped, or a prefix that no chain writes. Letters of one case
 * carry no checksum. Null where nothing is, and for any other text.
 */
export function evmAddressFault(text: string): string | null {
  if (!EVM_ADDRESS.test(text)) return null;
  if (text.startsWith('0X')) return 'an address that begins with 0x, its x in lower case';
  const digits = text.slice(2);
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return isOneCase || isAddress(text) ? null : 'an address whose letters fit its checksum (EIP-55)';
}

/** Returns an EVM address with its checksum (EIP-55), and any other text as it is. */
export function withChecksum(text: string): string {
  return EVM_ADDRESS.test(text) ? getAddress(text.toLowerCase()) : text;
}

/** Also with the X of a caller who put all of it in upper case, which is then refused. */
const EVM_ADDRESS = /^0[xX][0-9a-fA-F]{40}$/;
