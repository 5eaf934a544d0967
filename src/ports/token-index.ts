import type { Address } from '../domain/ids.ts';
import type { Web3ChainId } from '../domain/web3-chains.ts';

/**
 * An indexer of a whole chain, which says which tokens a wallet holds. What it says is data: a hint
 * of where to search, and never a balance.
 */
export interface TokenIndex {
  /** Reports whether it knows a chain. */
  covers(chain: Web3ChainId): boolean;
  /**
   * Addresses, in lower case, of tokens it says a wallet holds some of, in its own order. Errors:
   * `token_data_unavailable`, `rate_limited`, each retryable.
   */
  held(chain: Web3ChainId, owner: Address): Promise<readonly Address[]>;
}
