import type { Endpoints } from '../../config/profiles/profile.ts';
import { SOLANA_PROXY } from '../../config/limits/solana.ts';
import { createEvmAccounts } from '../adapters/evm/evm-account.ts';
import { createEvmChain } from '../adapters/evm/evm-chain.ts';
import { createSolanaCalls, type SolanaCalls } from '../adapters/solana/calls.ts';
import { createSolanaNode } from '../adapters/solana/node.ts';
import { createSolana } from '../adapters/solana/solana.ts';
import type { ChainHealth } from './chain-health.ts';
import { AppError } from '../domain/errors.ts';
import { WEB3_CHAINS, type Web3ChainId } from '../domain/web3-chains.ts';
import type { ChainClients, EvmClients, SolanaClients } from '../ports/chain-clients.ts';
import type { EvmAccounts } from '../ports/evm-account.ts';
import type { EvmChain } from '../ports/evm.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Solana, SolanaChanges, SolanaNode } from '../ports/solana.ts';

/** Nodes of the EVM chains there are; Polygon, where the Safes are, always. */
type EvmNodes = { readonly POLYGON: EvmChain } & Readonly<Partial<Record<Web3ChainId, EvmChain>>>;

/** The chains behind ports. */
export interface Chains {
  /** What a venue is lent. */
  readonly clients: ChainClients;
  readonly evm: EvmNodes;
  /** What accounts of one's own need of the same nodes. */
  readonly evmAccounts: Readonly<Partial<Record<Web3ChainId, EvmAccounts>>>;
  readonly solana: Solana & SolanaChanges;
  readonly solanaNode: SolanaNode;
  close(): Promise<void>;
}

/** Returns the EVM chains there is a node of. */
export function evmNodesOf({ evm, evmAccounts }: Pick<Chains, 'evm' | 'evmAccounts'>) {
  return WEB3_CHAINS.flatMap(({ chain }) => {
    const [node, accounts] = [evm[chain], evmAccounts[chain]];
    return node === undefined || accounts === undefined ? [] : [{ chain, accounts, evm: node }];
  });
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
  const evm: EvmNodes = {
    ...others,
    POLYGON: createEvmChain({
      chainId: 137,
      rpcUrl: endpoints.polygonRpc,
      metrics,
      heard: heard('POLYGON'),
    }),
  };
  const solana = solanaClients(calls, metrics);
  return {
    clients: chainClients({ solana, evm, evmAccounts }),
    evm,
    evmAccounts,
    solana: solana.solana,
    solanaNode: createSolanaNode(patient),
    async close() {
      await Promise.all([calls.close(), patient.close()]);
    },
  };
}

/** Returns the clients of one Solana node. */
export function solanaClients(calls: SolanaCalls, metrics: Metrics): SolanaClients {
  return { solana: createSolana(calls, metrics), node: createSolanaNode(calls) };
}

/** Returns what gives each chain's clients by its id. */
export function chainClients({
  solana,
  evm = {},
  evmAccounts = {},
}: {
  readonly solana?: SolanaClients;
  readonly evm?: Readonly<Partial<Record<Web3ChainId, EvmChain>>>;
  readonly evmAccounts?: Readonly<Partial<Record<Web3ChainId, EvmAccounts>>>;
}): ChainClients {
  const clientsOf = (chain: Web3ChainId): SolanaClients | EvmClients => {
    const [node, accounts] = [evm[chain], evmAccounts[chain]];
    if (chain === 'SOLANA' && solana !== undefined) return solana;
    if (node !== undefined && accounts !== undefined) return { evm: node, accounts };
    throw new AppError('config_invalid', `no node of the chain ${chain} is set`);
  };
  return clientsOf as ChainClients; // Solana's under its id, EVM clients under all others
}
