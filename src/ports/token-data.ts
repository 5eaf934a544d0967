import type { TokenListing } from '../domain/token-listing.ts';
import type { Web3ChainId } from '../domain/web3-chains.ts';

/** Whether a caller waits for the answer, or a list is kept fresh; the first go first. */
export type TokenDataUrgency = 'asked' | 'refresh';

/** What is known of a token beyond its market. */
export interface TokenDetails {
  readonly description: string | null;
  readonly websites: readonly string[];
  readonly holders: number | null;
  /** 0 to 100, the source's own opinion. */
  readonly score: string | null;
  readonly mintAuthority: string | null;
  readonly freezeAuthority: string | null;
}

/**
 * Token data from outside. Errors of every call: `token_data_unavailable` (retryable),
 * `rate_limited` (retryable) where our own budget is used up.
 */
export interface TokenData {
  /** Pools of a chain, most notable or most traded first; twenty a page, pages from 1. */
  pools(query: {
    readonly chain: Web3ChainId;
    readonly ranking: 'trending' | 'volume';
    readonly page: number;
    readonly urgency: TokenDataUrgency;
  }): Promise<readonly TokenListing[]>;
  /** Tokens whose name, ticker or address holds a text, on all chains. */
  search(text: string): Promise<readonly TokenListing[]>;
  /** Pools of one token, deepest first; empty where it has none. */
  poolsOf(chain: Web3ChainId, address: string): Promise<readonly TokenListing[]>;
  /** Null where the source knows nothing of it. */
  details(chain: Web3ChainId, address: string): Promise<TokenDetails | null>;
  /**
   * Dollars for one whole token as plain digits, by address as asked for; those unknown are left
   * out. At most 30 at once.
   */
  prices(
    chain: Web3ChainId,
    addresses: readonly string[],
    urgency: TokenDataUrgency,
  ): Promise<ReadonlyMap<string, string>>;
}
