import { join } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import { produceBlocks } from './evm/block-production.ts';
import {
  deployChain,
  EVM_CHAINS,
  type DeployContracts,
  type DeployedChain,
  type EvmChainName,
} from './evm/deploy-chain.ts';
import { startEvmNode } from './evm/evm-node.ts';

/** The world's EVM chains. */
export interface WorldChains extends Readonly<Record<EvmChainName, DeployedChain>> {
  /** Settles with a sentence when a chain is lost for good. */
  readonly lost: Promise<string>;
  close(): Promise<void>;
}

/**
 * Starts both chains at once, each a process of its own that ends with this one. Errors:
 * `chain_unavailable`, `store_locked`.
 */
export async function startWorldChains({
  seed,
  folder,
  clock,
  speed,
  contractsOn,
}: {
  readonly seed: number;
  /** Where the chains outlive a stop; null keeps nothing. */
  readonly folder: string | null;
  readonly clock: Clock;
  /** Market seconds in a second of `clock`: blocks come at the markets' pace. */
  readonly speed: number;
  /** What the venues have on each. */
  contractsOn(name: EvmChainName): readonly DeployContracts[];
}): Promise<WorldChains> {
  const start = async (name: EvmChainName) => {
    const node = await startEvmNode({
      chainId: EVM_CHAINS[name].chainId,
      stateFile: folder === null ? null : join(folder, `${name}.json`),
    });
    try {
      const chain = await deployChain(node, seed, { name, contracts: contractsOn(name) });
      const blocks = produceBlocks(node, clock, speed);
      let isClosing = false;
      return {
        chain,
        lost: node.ended.then(() =>
          isClosing ? new Promise<never>(() => undefined) : `the node of chain ${name} is gone`,
        ),
        close() {
          isClosing = true;
          return blocks.stop().then(() => node.close());
        },
      };
    } catch (error) {
      await node.close();
      throw error;
    }
  };
  const [polygon, base] = await Promise.allSettled([start('polygon'), start('base')]);
  if (polygon.status === 'fulfilled' && base.status === 'fulfilled') {
    return {
      polygon: polygon.value.chain,
      base: base.value.chain,
      lost: Promise.race([polygon.value.lost, base.value.lost]),
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
