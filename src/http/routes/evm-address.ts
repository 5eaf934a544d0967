import { isAddress } from 'viem';
import type { z } from 'zod';

/**
 * Has a field that may hold an address of an EVM chain refuse one in mixed case whose letters do
 * not fit its checksum (EIP-55): one of them is mistyped. Letters of one case carry no checksum,
 * and other text, such as a ticker or an address of Solana, passes.
 */
export function checksummed(field: z.ZodString): z.ZodString {
  return field.refine(fitsChecksum, 'an address whose letters fit its checksum (EIP-55)');
}

/** Reports whether a text is anything but an EVM address in mixed case with another checksum. */
export function fitsChecksum(text: string): boolean {
  if (!EVM_ADDRESS.test(text)) return true;
  const digits = text.slice(2);
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return isOneCase || isAddress(text);
}

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;
