import type { SolanaChain } from './chain.ts';
import type { SolanaFaucet } from './faucet.ts';

/** What methods work on. */
export interface RpcWorld {
  readonly chain: SolanaChain;
  readonly faucet: SolanaFaucet;
  /** True when the next transaction shall get lost on its way to a block, as most are on a busy network. */
  readonly losesTransaction: () => boolean;
}

/** One method: positional arguments in, result out. Throws an RpcFailure. */
export type RpcMethod = (world: RpcWorld, params: readonly unknown[]) => unknown;
