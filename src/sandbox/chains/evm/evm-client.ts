import { createTestClient, defineChain, http, publicActions } from 'viem';
import { LOCAL_CHAIN } from '../../../../config/limits/sandbox-chains.ts';

/** Typed JSON-RPC of a local node: reads of any chain, and the node's own `anvil_` calls. */
export type EvmClient = ReturnType<typeof createEvmClient>;

/**
 * Speaks to the local node at `url`, each time once `isReady` has resolved. Every call has a
 * time-out and is made once: the sandbox's nodes are on loopback.
 */
export function createEvmClient(
  url: string,
  chainId: number,
  isReady: () => Promise<void> = () => Promise.resolve(),
) {
  const chain = defineChain({
    id: chainId,
    name: `local ${chainId}`,
    nativeCurrency: { name: 'Coin', symbol: 'COIN', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  return createTestClient({
    mode: 'anvil',
    chain,
    transport: http(url, {
      timeout: LOCAL_CHAIN.callTimeoutMs,
      retryCount: 0,
      maxResponseBodySize: LOCAL_CHAIN.answerMaximumBytes,
      fetchFn: async (input, init) => {
        await isReady();
        return fetch(input, init);
      },
    }),
    pollingInterval: LOCAL_CHAIN.pollMs,
    cacheTime: 0,
  }).extend(publicActions);
}

/** Returns the priority fee, wei a unit of gas, that the sandbox's own transactions pay. */
export function priorityFeeOn(chainId: number): bigint {
  return LOCAL_CHAIN.priorityFeeMinimumWei[chainId] ?? LOCAL_CHAIN.priorityFeeWei;
}
