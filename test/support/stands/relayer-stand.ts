import { join } from 'node:path';
import { encodeFunctionData } from 'viem';
import type { Hex } from 'viem';
import { createSeededRandom } from '../../../src/adapters/random/seeded-random.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { VENUE_A_CHAIN } from '../../../src/sandbox/venues/venue-a/chain/chain-addresses.ts';
import { TOKEN_ABI } from '../../../src/sandbox/chains/evm/contract-abis.ts';
import { deploy } from './deploy-chains.ts';
import type { EvmNode } from '../../../src/sandbox/chains/evm/evm-node.ts';
import { startEvmNode } from '../../../src/sandbox/chains/evm/evm-node.ts';
import { createFaultBoard } from '../../../src/sandbox/faults.ts';
import type { FaultBoard } from '../../../src/sandbox/faults.ts';
import { openRecordShelf } from '../../../src/sandbox/storage/record-shelf.ts';
import type { Relayer } from '../../../src/sandbox/venues/venue-a/relayer/relayer.ts';
import { startRelayer } from '../../../src/sandbox/venues/venue-a/relayer/relayer.ts';
import type { DeployedChain } from '../../../src/sandbox/chains/evm/deploy-chain.ts';

/** Credentials of the one builder the stand knows. */
export const BUILDER = {
  key: 'builder-1',
  secret: Buffer.alloc(32, 7).toString('base64'),
  passphrase: 'open sesame',
};

/** A local chain with the venue's contracts. */
export interface ChainStand {
  readonly node: EvmNode;
  readonly chain: DeployedChain;
  /** Mints test dollars, the venue's collateral unless stated. */
  mint(to: Hex, micros: bigint, token?: Hex): Promise<void>;
  balanceOf(owner: Hex, token?: Hex): Promise<bigint>;
  close(): Promise<void>;
}

/** Starts chain 137 as the sandbox has it, on a port of its own and in memory unless a file is given. */
export async function startChainStand(stateFile: string | null = null): Promise<ChainStand> {
  const node = await startEvmNode({ chainId: 137, stateFile });
  const chain = await deploy('polygon', node);
  return {
    node,
    chain,
    async mint(to, micros, token = VENUE_A_CHAIN.collateral) {
      await chain.sender('deployer').send({
        to: token,
        data: encodeFunctionData({ abi: TOKEN_ABI, functionName: 'mint', args: [to, micros] }),
      });
    },
    balanceOf: (owner, token = VENUE_A_CHAIN.collateral) =>
      node.client.readContract({
        address: token,
        abi: TOKEN_ABI,
        functionName: 'balanceOf',
        args: [owner],
      }),
    close: () => node.close(),
  };
}

/** A relayer on a chain, and the board of its faults. */
export interface RelayerStand {
  readonly relayer: Relayer;
  readonly faults: FaultBoard;
}

let stands = 0;

/** Starts a relayer; with a folder it remembers what an earlier one there took in. */
export async function startRelayerStand(
  chain: DeployedChain,
  clock: Clock,
  folder: string | null = null,
): Promise<RelayerStand> {
  stands += 1;
  const random = createSeededRandom(`relayer ${stands}`);
  const faults = createFaultBoard(random);
  const file = (name: string) => (folder === null ? null : join(folder, name));
  const relayer = await startRelayer({
    chain,
    faults,
    clock,
    random,
    findBuilder: (key) => (key === BUILDER.key ? BUILDER : null),
    actions: openRecordShelf(file('relayer-actions.jsonl'), 1),
    transactions: openRecordShelf(file('relayer-transactions.jsonl'), 1),
  });
  return { relayer, faults };
}
