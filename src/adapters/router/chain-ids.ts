import type { Web3ChainId } from '../../domain/web3-chains.ts';

/** Ids of the chains at the router (web3.md section 1). */
export const ROUTER_CHAIN_IDS: Readonly<Record<Web3ChainId, number>> = {
  ETHEREUM: 1,
  BASE: 8_453,
  POLYGON: 137,
  BSC: 56,
  ARBITRUM: 42_161,
  SOLANA: 1_151_111_081_099_710,
};

/** Returns the chain of an id at the router; null for one we do not know. */
export function chainOfRouter(id: number | bigint): Web3ChainId | null {
  for (const [chain, known] of Object.entries(ROUTER_CHAIN_IDS))
    if (BigInt(known) === BigInt(id)) return chain as Web3ChainId; // a key of the table
  return null;
}
