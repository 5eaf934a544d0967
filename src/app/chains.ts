import type { Endpoints } from '../../config/profiles/profile.ts';
import { SOLANA_PROXY } from '../../config/limits/solana.ts';
import { createEvmAccounts } from '../adapters/evm/evm-account.ts';
import { createEvmChain } from '../adapters/evm/evm-chain.ts';
import { createSolanaCalls } from '../adapters/solana/calls.ts';
import { createSolanaNode } from '../adapters/solana/node.ts';
import { createSolana } from '../adapters/solana/solana.ts';
import type { ChainHealth } from './chain-health.ts';
import { WEB3_CHAINS, type Web3ChainId } from '../domain/web3-chains.ts';
import type { EvmAccounts } from '../ports/evm-account.ts';
import type { EvmChain } from '../ports/evm.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Solana, SolanaChanges, SolanaNode } from '../ports/solana.ts';

/** Nodes of the EVM chains there are; Polygon, where the Safes are, always. */
type EvmNodes = { readonly POLYGON: EvmChain } & Readonly<Partial<Record<Web3ChainId, EvmChain>>>;

/** The chains behind ports. */
export interface Chains {
  readonly evm: EvmNodes;
  /** What accounts of one's own need of the same nodes. */
  readonly evmAccounts: Readonly<Partial<Record<Web3ChainId, EvmAccounts>>>;
  readonly solana: Solana & SolanaChanges;
  readonly solanaNode: SolanaNode;
  close(): Promise<void>;
}

/** Opens the chains of a profile. Nothing is called before a port is used. */
export function openChains(endpoints: Endpoints, metrics: Metrics, health: ChainHealth): Chains {
  const heard = (chain: Web3ChainId) => (isAnswered: boolean) => health.note(chain, isAnswered);
  const rpcUrls: Readonly<Partial<Record<Web3ChainId, string | null>>> = {
    ETHEREUM: endpoints.ethereumRpc,
    BASE: endpoints.baseRpc,
    BSC: endpoints.bscRpc,
    ARBITRUM: endpoints.arbitrumRpc,
  };
  const node = (
    chain: Web3ChainId,
    rpcUrl: string | null | undefined,
  ): Partial<Record<Web3ChainId, EvmChain>> => {
    const chainId = WEB3_CHAINS.find((facts) => facts.chain === chain)?.chainId ?? null;
    return rpcUrl === null || rpcUrl === undefined || chainId === null
      ? {}
      : { [chain]: createEvmChain({ chainId, rpcUrl, metrics, heard: heard(chain) }) };
  };
  const all: Readonly<Partial<Record<Web3ChainId, string | null>>> = {
    ...rpcUrls,
    POLYGON: endpoints.polygonRpc,
  };
  const evmAccounts = Object.fromEntries(
    WEB3_CHAINS.flatMap(({ chain, chainId }) => {
      const rpcUrl = all[chain] ?? null;
      return rpcUrl === null || chainId === null
        ? []
        : [[chain, createEvmAccounts({ chainId, rpcUrl, metrics, heard: heard(chain) })] as const];
    }),
  );
  const others = WEB3_CHAINS.reduce(
    (nodes, { chain }) => ({ ...nodes, ...node(chain, rpcUrls[chain]) }),
    {},
  );
  const calls = createSolanaCalls({
    rpcUrl: endpoints.solanaRpc,
    metrics,
    heard: heard('SOLANA'),
  });
  const patient = createSolanaCalls({
    rpcUrl: endpoints.solanaRpc,
    metrics,
    timeoutMs: SOLANA_PROXY.timeoutMs,
  });
  return {
    evm: {
      ...others,
      POLYGON: createEvmChain({
        chainId: 137,
        rpcUrl: endpoints.polygonRpc,
        metrics,
        heard: heard('POLYGON'),
      }),
    },
    evmAccounts,
    solana: createSolana(calls, metrics),
    solanaNode: createSolanaNode(patient),
    async close() {
      await Promise.all([calls.close(), patient.close()]);
    },
  };
}
