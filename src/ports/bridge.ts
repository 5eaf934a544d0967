import type { BridgeTransfer } from '../domain/deposit.ts';
import type { Address } from '../domain/ids.ts';

/** Chains money can come from (spec, Funding). */
export type BridgeChain =
  | 'ETHEREUM'
  | 'POLYGON'
  | 'ARBITRUM'
  | 'BASE'
  | 'OPTIMISM'
  | 'BSC'
  | 'SOLANA'
  | 'BITCOIN'
  | 'TRON';

/** One token the bridge takes on one chain. */
export interface BridgeAsset {
  readonly chain: BridgeChain;
  /** The bridge's own name of the chain: "1", "137", … */
  readonly chainId: string;
  readonly symbol: string;
  readonly name: string;
  readonly tokenAddress: string;
  readonly decimals: number;
  /** Least deposit in US dollars, as decimal text; less is kept by the bridge. */
  readonly minimumUsd: string;
}

/** Where a user sends money from each family of chains. */
export interface DepositAddresses {
  /** Every EVM chain. */
  readonly evm: string;
  readonly solana: string;
  readonly bitcoin: string;
  readonly tron: string;
}

/**
 * Brings money from other chains to a Safe on Polygon (venue_a.md section 13). Errors of every
 * call: `bridge_unavailable` (retryable).
 */
export interface Bridge {
  supportedAssets(): Promise<readonly BridgeAsset[]>;
  /** The same addresses each time for the same wallet. */
  depositAddresses(wallet: Address): Promise<DepositAddresses>;
  /**
   * Transfers to a deposit address, in the bridge's order; the newest `BRIDGE.transfersMaximum`
   * when there are more.
   */
  status(depositAddress: string): Promise<readonly BridgeTransfer[]>;
}
