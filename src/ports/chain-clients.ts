import type { Web3ChainId } from '../domain/web3-chains.ts';
import type { EvmAccounts } from './evm-account.ts';
import type { EvmChain } from './evm.ts';
import type { Solana, SolanaChanges, SolanaNode } from './solana.ts';

/** A node of Solana. */
export interface SolanaClients {
  readonly solana: Solana & SolanaChanges;
  readonly node: SolanaNode;
}

/** A node of an EVM chain, and what accounts of one's own need of it. */
export interface EvmClients {
  readonly evm: EvmChain;
  readonly accounts: EvmAccounts;
}

/**
 * The one client of each chain that everything in the process shares: its connections, its
 * time-outs and the note of whether it answers. Errors: `config_invalid` for a chain that no node
 * is set for.
 */
export type ChainClients = <Id extends Web3ChainId>(
  chain: Id,
) => Id extends 'SOLANA' ? SolanaClients : EvmClients;
