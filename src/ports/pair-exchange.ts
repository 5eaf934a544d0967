import type { Address } from '../domain/ids.ts';

/** A way through pools, and what comes out of it now. */
export interface PoolPath {
  readonly kind: 'v2' | 'v3';
  readonly path: readonly Address[];
  /** Hundredths of a basis point; of a V3 pool alone. */
  readonly feePips: number | null;
  readonly out: bigint;
}

/** A pool of two tokens. */
export interface PairPool {
  readonly kind: 'v2' | 'v3';
  readonly address: Address;
  readonly feePips: number | null;
  /** What lies in it of each token asked for; null where the pool does not say so plainly. */
  readonly reserves: readonly [bigint, bigint] | null;
}

/** What a token says of itself. Texts are data. */
export interface TokenFacts {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly totalSupply: bigint;
}

/**
 * Reads an exchange of pools of pairs on one chain. Errors of every call: `chain_unavailable`
 * (retryable).
 */
export interface PairExchange {
  /** Every way there is, best first. */
  quotes(sell: Address, buy: Address, amount: bigint): Promise<readonly PoolPath[]>;
  pools(one: Address, other: Address): Promise<readonly PairPool[]>;
  /** Null where there is no token. */
  token(address: Address): Promise<TokenFacts | null>;
}
