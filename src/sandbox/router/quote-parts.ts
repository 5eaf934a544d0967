import type { Hex } from 'viem';
import type { FaultBoard } from '../faults.ts';
import type { TokenServerOptions } from '../tokens/gecko-terminal.ts';
import type { RouterToken } from './routed-tokens.ts';
import type { SolanaSide } from './solana-side.ts';
import type { SwapChains } from './swap-chains.ts';

export interface QuoteParts extends TokenServerOptions {
  readonly chains: SwapChains;
  /** Null: nothing is routed from or to Solana. */
  readonly solana: SolanaSide | null;
  readonly faults: FaultBoard;
}

/** What a caller asks for, checked. */
export interface Asked {
  readonly from: RouterToken;
  readonly to: RouterToken;
  readonly amount: bigint;
  readonly sender: string;
  readonly receiver: string;
  readonly slippage: number;
}

/** What was agreed to, under a name. */
export interface Terms {
  readonly id: Hex;
  readonly minimum: bigint;
  readonly deadline: bigint;
}
