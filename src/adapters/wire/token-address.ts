import { getAddress, isAddress } from 'viem';
import type { Web3ChainId } from '../../domain/web3-chains.ts';

/**
 * Returns an address of a chain in its one spelling, so that the same token reads the same in every
 * list: with its checksum on EVM chains (EIP-55), and as it is on Solana, where case is
 * significant. What is no address, such as the id of a pool, is left as it is.
 */
export function spelledAddress(chain: Web3ChainId, text: string): string {
  return chain !== 'SOLANA' && isAddress(text, { strict: false }) ? getAddress(text) : text;
}
