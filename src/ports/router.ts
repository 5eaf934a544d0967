import type { Web3ChainId } from '../domain/web3-chains.ts';

/** A token as the router lists it; its texts are data. */
export interface RoutedToken {
  readonly chain: Web3ChainId;
  /** Null for the chain's own coin. */
  readonly address: string | null;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly priceUsd: string | null;
  readonly marketCapUsd: string | null;
  readonly volume24hUsd: string | null;
}

/** What the router can route. Errors of every call: `router_unavailable` (retryable), `rate_limited` (retryable). */
export interface RouterTokens {
  /** Tokens of the chains, most traded first; those whose name or ticker holds `search`. */
  tokens(query: {
    readonly chains: readonly Web3ChainId[];
    readonly search: string;
    readonly limit: number;
  }): Promise<readonly RoutedToken[]>;
  /** One token by its address or its ticker; null where the router knows none. */
  token(chain: Web3ChainId, token: string): Promise<RoutedToken | null>;
}
