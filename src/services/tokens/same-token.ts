import { isSameOnChain } from '../../domain/chain-address.ts';
import { AppError } from '../../domain/errors.ts';
import type { Web3ChainId } from '../../domain/web3-chains.ts';

/** A token by its place; null for the chain's own coin. */
interface TokenAt {
  readonly chain: Web3ChainId;
  readonly address: string | null;
}

/** Reports whether both are one token of one chain. */
export function isSameToken(one: TokenAt, other: TokenAt): boolean {
  return one.chain === other.chain && isSameOnChain(one.address, other.address);
}

/** Refuses a pair of a token and itself, at the field of the second. Errors: `invalid_request`. */
export function assertOtherToken(one: TokenAt, other: TokenAt, path: `/${string}`): void {
  if (!isSameToken(one, other)) return;
  throw new AppError('invalid_request', 'a token is not swapped for itself', {
    fields: [{ path, message: 'must be another token, or on another chain' }],
  });
}
