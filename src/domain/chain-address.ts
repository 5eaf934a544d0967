import type { Web3ChainId } from './web3-chains.ts';

/** Returns an address as it is kept and compared: case is significant on Solana alone. */
export function foldedAddress(chain: Web3ChainId, address: string): string {
  return chain === 'SOLANA' ? address : address.toLowerCase();
}

/** Returns the address of a wallet as it is kept and compared where its chain is not known. */
export function addressKey(address: string): string {
  return address.startsWith('0x') ? address.toLowerCase() : address;
}

/**
 * Reports whether two names are of one wallet or token of a chain; null is the chain's own coin.
 * Case means nothing in an EVM address, and everything in one of Solana, which never begins so.
 */
export function isSameOnChain(one: string | null, other: string | null): boolean {
  return (
    one === other || (one?.startsWith('0x') === true && one.toLowerCase() === other?.toLowerCase())
  );
}
