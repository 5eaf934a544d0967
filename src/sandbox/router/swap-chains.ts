import { join } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import { produceBlocks } from '../chains/evm/block-production.ts';
import { deployMulticall } from '../chains/evm/deploy-chain.ts';
import { startEvmNode, type EvmNode } from '../chains/evm/evm-node.ts';
import { openLocalChain, type LocalChain } from '../chains/evm/local-chain.ts';
import type { WorldChains } from '../chains/world-chains.ts';
import type { TokenMarket } from '../tokens/token-market.ts';
import type { TokenChain } from '../tokens/token-table.ts';
import { serveHttp, type Listening } from '../wire/http-server.ts';
import { openSwapChain, placeTokens, type SwapChain } from './swap-chain.ts';

/** EVM chains of the router. */
export type SwapChainName = Exclude<TokenChain, 'SOLANA'>;

/** Chains nothing but swaps and wallets need: each starts when it is first asked. */
const SIDE_CHAINS = { ETHEREUM: 1, BSC: 56, ARBITRUM: 42_161 } as const;
type SideChain = keyof typeof SIDE_CHAINS;

/** The chains that swaps run on. */
export interface SwapChains {
  /** JSON-RPC of the chains that start when they are first asked. */
  readonly rpcUrls: Readonly<Record<SideChain, string>>;
  /**
   * Opens a chain with its tokens and pools, once. Errors: `chain_unavailable`, `chain_reverted`.
   */
  open(chain: SwapChainName): Promise<SwapChain>;
  close(): Promise<void>;
}

export interface SwapChainsOptions {
  readonly seed: number;
  /** Where the chains outlive a stop; null keeps nothing. */
  readonly folder: string | null;
  /** Wall time, that of chains too. */
  readonly clock: Clock;
  readonly speed: number;
  /** The chains that run anyway. */
  readonly world: Promise<WorldChains>;
  readonly market: TokenMarket;
  /** The second of the market clock that prices are of. */
  readonly second: () => number;
}

/** Serves the addresses of the chains; no node is started before one is asked. */
export async function startSwapChains(options: SwapChainsOptions): Promise<SwapChains> {
  const { market, second, world } = options;
  const nodes = new Map<SideChain, Promise<OpenNode>>();
  const opened = new Map<SwapChainName, Promise<SwapChain>>();

  function node(chain: SideChain): Promise<OpenNode> {
    const known = nodes.get(chain);
    if (known !== undefined) return known;
    const started = startNode(chain, options);
    nodes.set(chain, started);
    // what did not start, or is gone, is started when it is next asked
    const forget = (): void => {
      nodes.delete(chain);
      opened.delete(chain);
    };
    started.then((open) => open.node.ended.then(forget).then(open.close), forget).catch(forget);
    return started;
  }

  async function localOf(chain: SwapChainName): Promise<LocalChain> {
    if (chain === 'POLYGON') return (await world).polygon;
    if (chain === 'BASE') return (await world).base;
    return (await node(chain)).local;
  }

  function open(chain: SwapChainName): Promise<SwapChain> {
    const known =
      opened.get(chain) ??
      localOf(chain).then((local) => openSwapChain(local, { chain, market, second }));
    opened.set(chain, known);
    known.catch(() => opened.delete(chain));
    return known;
  }

  const gates = await Promise.all(
    (Object.keys(SIDE_CHAINS) as SideChain[]).map(async (chain) => ({
      chain,
      gate: await startGate(options.clock, async () => {
        const { url } = (await node(chain)).node;
        // its pools are read without being quoted by the router before
        if (chain === 'BSC') void open(chain).catch(() => undefined);
        return url;
      }),
    })),
  );
  return {
    rpcUrls: Object.fromEntries(gates.map(({ chain, gate }) => [chain, gate.url])) as Record<
      SideChain,
      string
    >, // one for each
    open,
    async close() {
      await Promise.all(gates.map(({ gate }) => gate.close()));
      for (const started of await Promise.allSettled(nodes.values()))
        if (started.status === 'fulfilled') await started.value.close();
    },
  };
}

interface OpenNode {
  readonly node: EvmNode;
  readonly local: LocalChain;
  readonly close: () => Promise<void>;
}

async function startNode(
  chain: SideChain,
  { seed, folder, clock, speed, market }: SwapChainsOptions,
): Promise<OpenNode> {
  const node = await startEvmNode({
    chainId: SIDE_CHAINS[chain],
    stateFile: folder === null ? null : join(folder, `${chain.toLowerCase()}.json`),
  });
  try {
    const local = await openLocalChain(node, seed);
    await deployMulticall(local);
    await placeTokens(local, { chain, tokens: market.tokens });
    const blocks = produceBlocks(node, clock, speed);
    return { node, local, close: () => blocks.stop().then(() => node.close()) };
  } catch (error) {
    await node.close();
    throw error;
  }
}

/** Hands JSON-RPC on to a node that is started by the first question. */
function startGate(clock: Clock, urlOf: () => Promise<string>): Promise<Listening> {
  return serveHttp({
    clock,
    routes: [
      {
        method: 'POST',
        path: '/',
        async run({ body }) {
          try {
            const answer = await fetch(await urlOf(), {
              method: 'POST',
              body,
              headers: { 'content-type': 'application/json' },
            });
            return { kind: 'json', status: answer.status, body: await answer.json() };
          } catch {
            return { kind: 'cut' };
          }
        },
      },
    ],
  });
}
