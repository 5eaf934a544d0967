import type { FaultBoard } from '../../faults.ts';
import { behind } from './behind.ts';
import type { SolanaChain } from './chain.ts';
import type { SolanaFaucet } from './faucet.ts';

/** What methods work on. */
export interface RpcWorld {
  readonly chain: SolanaChain;
  readonly faucet: SolanaFaucet;
  /**
   * True when the next transaction shall get lost on its way to a block, as most are on a busy
   * network.
   */
  readonly losesTransaction: () => boolean;
  /** True when the answer to a call that took a transaction shall get lost on its way back. */
  readonly losesAnswer: () => boolean;
}

/** Makes what a node works on, under the faults of the network. */
export function rpcWorld({
  chain,
  faucet,
  faults,
}: Pick<RpcWorld, 'chain' | 'faucet'> & { readonly faults: FaultBoard }): RpcWorld {
  let hasTaken = false;
  return {
    get chain() {
      return faults.isArmed('solana-node-behind') ? behind(chain) : chain;
    },
    faucet,
    losesTransaction() {
      hasTaken = true;
      return faults.take('solana-transaction-lost') !== null;
    },
    losesAnswer() {
      const loses = hasTaken && faults.take('solana-answer-lost') !== null;
      hasTaken = false;
      return loses;
    },
  };
}

/** One method: positional arguments in, result out. Throws an RpcFailure. */
export type RpcMethod = (world: RpcWorld, params: readonly unknown[]) => unknown;

/** How long a confirmed block lives that a fork drops. */
const FORK_MS = 3_000;

/** When a payer's transaction is dropped with its block, by the faults of the network. */
export function forksBy(faults: FaultBoard): (feePayer: string) => number | null {
  return (address) => faults.take('solana-fork', { address })?.delayOr(FORK_MS) ?? null;
}
