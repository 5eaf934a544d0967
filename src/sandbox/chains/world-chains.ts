import { join } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import { BASE_CHAIN, VENUE_A_CHAIN } from '../venues/venue-a/chain/chain-addresses.ts';
import { produceBlocks } from './evm/block-production.ts';
import {
  deployBase,
  deployVenueA,
  type DeployedChain,
} from '../venues/venue-a/chain/deploy-venue-a.ts';
import { startEvmNode } from './evm/evm-node.ts';

/** The world's EVM chains. */
export interface WorldChains {
  /** Chain 137, with the venue on it. */
  readonly polygon: DeployedChain;
  /** Chain 8453, where dollars come from. */
  readonly base: DeployedChain;
  close(): Promise<void>;
}

/** How the chains are made. */
export interface WorldChainsOptions {
  readonly seed: number;
  /** Where the chains outlive a stop; null keeps nothing. */
  readonly folder: string | null;
  readonly clock: Clock;
  /** Market seconds in a second of `clock`: blocks come at the markets' pace. */
  readonly speed: number;
  readonly ports: { readonly polygon: number; readonly base: number };
}

/** Starts both chains at once, each a process of its own that ends with this one. Errors: `chain_unavailable`, `store_locked`. */
export async function startWorldChains({
  seed,
  folder,
  clock,
  speed,
  ports,
}: WorldChainsOptions): Promise<WorldChains> {
  const start = async (name: 'polygon' | 'base', chainId: number, deploy: typeof deployVenueA) => {
    const node = await startEvmNode({
      chainId,
      stateFile: folder === null ? null : join(folder, `${name}.json`),
      port: ports[name],
    });
    try {
      const chain = await deploy(node, seed);
      const blocks = produceBlocks(node, clock, speed);
      return { chain, close: () => blocks.stop().then(() => node.close()) };
    } catch (error) {
      await node.close();
      throw error;
    }
  };
  const [polygon, base] = await Promise.allSettled([
    start('polygon', VENUE_A_CHAIN.chainId, deployVenueA),
    start('base', BASE_CHAIN.chainId, deployBase),
  ]);
  if (polygon.status === 'fulfilled' && base.status === 'fulfilled') {
    return {
      polygon: polygon.value.chain,
      base: base.value.chain,
      close: async () => void (await Promise.all([polygon.value.close(), base.value.close()])),
    };
  }
  for (const half of [polygon, base]) if (half.status === 'fulfilled') await half.value.close();
  throw polygon.status === 'rejected'
    ? polygon.reason
    : base.status === 'rejected'
      ? base.reason
      : new Error('one of the chains did not start');
}
