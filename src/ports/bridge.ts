import type { Address } from '../domain/ids.ts';

/** Chains money can come from (spec, Funding). */
export type BridgeChain = 'ETHEREUM' | 'POLYGON' | 'ARBITRUM' | 'BASE' | 'OPTIMISM' | 'BSC' | 'SOLANA' | 'BITCOIN' | 'TRON';

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

/** How far a deposit has come; `failed` stays with the bridge. */
export type BridgeTransferStatus = 'detected' | 'processing' | 'origin_confirmed' | 'submitted' | 'completed' | 'failed';

/** A deposit on its way, as the bridge tells it: a hint where to look, since only the chain's word books money. */
export interface BridgeTransfer {
  readonly chainId: string;
  readonly tokenAddress: string;
  /** In the token's smallest unit, decimal text. */
  readonly amount: string;
  readonly status: BridgeTransferStatus;
  /** Of the credit on Polygon once there is one. */
  readonly transactionHash: string | null;
  readonly createdAtMs: number | null;
}

/** Brings money from other chains to a Safe on Polygon (venue_a.md section 13). Errors of every call: `bridge_unavailable` (retryable). */
export interface Bridge {
  supportedAssets(): Promise<readonly BridgeAsset[]>;
  /** The same addresses each time for the same wallet. */
  depositAddresses(wallet: Address): Promise<DepositAddresses>;
  /** Transfers to a deposit address, in the bridge's order; the newest when there are many. */
  status(depositAddress: string): Promise<readonly BridgeTransfer[]>;
}
