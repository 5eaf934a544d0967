import type { OfferedSwap } from '../domain/swap-checks.ts';
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

/** What a caller wants routed; the coin is the null address. */
export interface RouteRequest {
  readonly fromChain: Web3ChainId;
  readonly toChain: Web3ChainId;
  readonly sellToken: string | null;
  readonly buyToken: string | null;
  readonly amount: bigint;
  readonly sender: string;
  readonly receiver: string;
  readonly slippageBps: number;
}

/** What the router says it would do: data, to be checked before anything of it is signed. */
export interface RouteOffer extends OfferedSwap {
  readonly tool: string;
  readonly seconds: number;
  readonly fees: readonly { readonly name: string; readonly usd: string }[];
  /** The gas its transaction would take on an EVM chain; null where it does not say. */
  readonly gas: bigint | null;
}

/** What the router says became of a transfer: a hint of where to search, never proof. */
export interface RouteStatus {
  readonly state: 'unknown' | 'pending' | 'done' | 'refunded' | 'partial' | 'failed';
  /** `other` for a chain we do not know; null where it does not say. */
  readonly receivingChain: Web3ChainId | 'other' | null;
  readonly receivingHash: string | null;
  /** What arrived instead where it is `partial`; null for the coin. */
  readonly receivedToken: string | null;
}

/** Finds ways from one token to another. Errors: `router_unavailable` (retryable), `no_route`. */
export interface Router {
  offer(request: RouteRequest): Promise<RouteOffer>;
  status(sent: {
    readonly transactionHash: string;
    readonly fromChain: Web3ChainId;
    readonly toChain: Web3ChainId;
    readonly tool: string;
  }): Promise<RouteStatus>;
}

/**
 * What the router can route. Errors of every call: `router_unavailable` (retryable), `rate_limited`
 * (retryable).
 */
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
